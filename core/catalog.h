// What the lab has to offer before anything is trained: architectures, presets, facts, example
// traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/values/experiment_spec.h"
#include "core/values/facts.h"

namespace lab {

[[nodiscard]] std::vector<values::ArchitectureRow> architectures();
[[nodiscard]] std::vector<values::PresetRow> presets();
/// Throws LabError{kInvalidInput} that lists the known keys.
[[nodiscard]] values::ExperimentSpec preset(std::string_view key);

/// These need a task or model without problems; otherwise LabError{kInvalidInput}.
[[nodiscard]] values::TaskFacts factsOf(const values::ExperimentSpec& spec);
[[nodiscard]] values::ModelFacts factsOf(const values::ModelSpec& model,
                                         const values::TaskSpec& task);

/// One trace of the task as text: a REPL transcript, or the elements of a word problem in a row.
[[nodiscard]] std::string sampleText(const values::TaskSpec& task, values::TraceLength length,
                                     std::uint64_t seed);

/// Spec to TOML text and back. Reading throws LabError{kInvalidInput} "source:line:column: ...".
/// Keys that the schema does not know are kept and written back.
[[nodiscard]] std::string toToml(const values::ExperimentSpec& spec,
                                 std::string_view keepFrom = {});
[[nodiscard]] values::ExperimentSpec fromToml(std::string_view text, std::string_view source);

/// What this machine and build have: pairs of a stable key and a sentence, for doctor and About.
struct DoctorLine {
    std::string key, value;
    bool good = true;
};
[[nodiscard]] std::vector<DoctorLine> doctor();

[[nodiscard]] std::string_view version();

}  // namespace lab
