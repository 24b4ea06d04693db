// Where a command takes its experiment from: a TOML file or a preset, then changes.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/values/experiment_spec.h"

namespace lab::headless {

struct SpecOptions {
    std::string file;  ///< "-": standard input
    std::string preset;
    std::optional<std::uint64_t> seed;
    std::vector<std::string> settings;  ///< "training.steps=100"
};

/// SPEC.toml, --preset, --seed and --set.
std::shared_ptr<SpecOptions> addSpecOptions(CLI::App& command);

/// The experiment, checked. Failure{kUsage} when the command line names none or changes what is not
/// there, Failure{kRefused} when the file is refused. Warns of keys that nothing reads.
[[nodiscard]] values::ExperimentSpec specFrom(const SpecOptions& options);
/// The changes of --seed and --set alone.
[[nodiscard]] values::ExperimentSpec changed(values::ExperimentSpec spec,
                                             const SpecOptions& options);

/// "32,4": commands, then spacing (1 when left out). Failure{kUsage} when it is not that.
[[nodiscard]] values::TraceLength lengthFrom(const std::string& text);
/// As metric names write it: "32,4".
[[nodiscard]] std::string nameOf(values::TraceLength length);

/// --store DIR.
void addStoreOption(CLI::App& command, std::string& store);
/// The folder that --store names, or the default.
[[nodiscard]] std::string storeFrom(const std::string& store);

}  // namespace lab::headless
