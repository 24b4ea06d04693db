// What can be said about a file or a text without a model: tensors, transcripts, exact beliefs,
// experiments. Part of the door to core that needs no LibTorch.
//
// Failures are LabError{kInvalidInput} whose message begins with the source and says why the text
// is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/values/experiment_spec.h"

namespace lab {

struct TensorRow {
    std::string name, dtype;  ///< dtype as the file writes it, e.g. "BF16"
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;
};
struct TensorListing {
    std::vector<TensorRow> tensors;  ///< in the order of their bytes
    std::map<std::string, std::string> metadata;
};
/// Of a safetensors file; its data is not read.
[[nodiscard]] TensorListing tensorsIn(const std::filesystem::path& file);
/// The same for a whole file in memory.
[[nodiscard]] TensorListing tensorsIn(std::string_view bytes, const std::string& source);

struct TranscriptStep {
    int line = 0;                                                 ///< of the command, from 1
    std::vector<std::pair<std::string, std::int64_t>> variables;  ///< after it, in order of names
};
struct TranscriptVerdict {
    bool ok = false;
    int line = 0, column = 0;           ///< of the first fault, from 1; 0 when there is none
    std::string message;                ///< what was found and what was expected
    std::vector<TranscriptStep> steps;  ///< of an accepted transcript
};
/// Whether the text is a session that the lab understands, and what it computes.
[[nodiscard]] TranscriptVerdict checkTranscript(std::string_view text);

/// One hidden state that is possible.
struct StateBelief {
    std::string state;
    std::string fraction;  ///< exact "p/q"; empty when computed in floating point
    double probability = 0;
};
struct BeliefRow {
    std::string event;
    std::string stepFraction;    ///< exact probability of this event given those before; or empty
    double stepProbability = 0;  ///< 0: the events contradict each other, and there is no belief
    std::vector<StateBelief> belief;
};
struct BeliefCase {
    std::string name;             ///< empty when the file does not say
    std::vector<BeliefRow> rows;  ///< ends at a contradiction
};
struct BeliefOptions {
    bool fractions = false;  ///< exact instead of double precision
    /// A transcript is read as by one who sees commands and prints but not the first values; else
    /// as by one who sees everything.
    bool watching = false;
    std::vector<std::string> events{};  ///< of an automaton, by symbol: instead of the file's
};
/// The posterior after each event of an automaton in JSON (core/storage/automaton_json.h), of each
/// in a file with several, in TOML (automaton_toml.h), as JFLAP saves it (automaton_jff.h, which
/// has no events of its own), or of a REPL transcript.
[[nodiscard]] std::vector<BeliefCase> posteriorOf(std::string_view text, const std::string& source,
                                                  const BeliefOptions& options);

/// The spec after one "training.steps=100", "model.width=32" (every model) or "model[1].width=32".
[[nodiscard]] values::ExperimentSpec withSetting(const values::ExperimentSpec& spec,
                                                 std::string_view assignment);
/// One line for each key of an experiment file that nothing reads: perhaps a slip of the pen.
[[nodiscard]] std::vector<std::string> unknownKeysIn(std::string_view text,
                                                     std::string_view source);

}  // namespace lab
