// From a parsed TOML table to an experiment. Inside core/storage only: costs its user toml++.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/toml_library.h"
#include "core/values/experiment_spec.h"

namespace lab::storage {

/// Something wrong, or merely unknown, at a place in the text.
struct Finding {
    toml::source_position at;
    std::string field;  ///< as in values::Problem
    std::string text;   ///< "is 0, must be ..."
};

struct SpecReading {
    values::ExperimentSpec spec;  ///< defaults where a value could not be taken
    std::vector<Finding> findings;
    std::vector<Finding> unknown;                         ///< keys that the schema does not have
    std::map<std::string, toml::source_position> places;  ///< where a field was set
};

[[nodiscard]] SpecReading readSpec(const toml::table& root);

}  // namespace lab::storage
