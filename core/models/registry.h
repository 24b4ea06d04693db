// The table of architectures.
#pragma once

#include <span>
#include <string_view>

#include "core/models/mixer.h"

namespace lab::models {

struct Architecture {
    std::string_view key;      ///< stable: written in specs and checkpoints
    std::string_view title;    ///< shown to people
    std::string_view summary;  ///< one sentence: what it carries from token to token
    MakeMixer mixer;
};

[[nodiscard]] std::span<const Architecture> architectureTable();

}  // namespace lab::models
