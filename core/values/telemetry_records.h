// What leaves the training thread: the latest Snapshot, every Metric, and rare RunEvents. No
// tensors.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/values/experiment_spec.h"
#include "core/values/token_kind.h"

namespace lab::values {

enum class RunState { kWaiting, kRunning, kPaused, kFinished, kStopped, kDiverged, kFailed };
[[nodiscard]] constexpr bool hasEnded(RunState state) {
    return state == RunState::kFinished || state == RunState::kStopped ||
           state == RunState::kDiverged || state == RunState::kFailed;
}

/// Memory of one head after the newest training batch.
struct HeadReading {
    int layer = 0, head = 0;
    double betaMean = 0, betaMax = 0;  ///< over the batch; 0 where the architecture has no beta
    double betaNearTwo = 0;            ///< fraction of tokens with beta > 1.9
    double stateNorm = 0;              ///< mean Frobenius norm of the state at the last token
};

/// Accuracy on one fixed evaluation set.
struct LengthAccuracy {
    TraceLength length;
    double value = 0;              ///< over every printed value (or product)
    double wholeTrace = 0;         ///< traces with every value right
    std::vector<double> byReveal;  ///< per reveal index
    double loss = 0;               ///< nats per printed value
};

/// The newest state of a run, for the screen. Losses in nats per token.
struct Snapshot {
    RunState state = RunState::kWaiting;
    std::int64_t step = 0, steps = 0;  ///< done, budget
    std::int64_t tokens = 0;
    double cpuSeconds = 0;      ///< CPU time of the training thread, evaluation excluded
    double stepsPerSecond = 0;  ///< wall clock, median of the last second or so
    double tokensPerSecond = 0;
    int stage = 0;
    TraceLength trainedLength;
    double learningRate = 0;
    double loss = 0;  ///< the weighted loss that is minimised
    double gradientNorm = 0;
    std::array<double, kTokenKindCount> lossByKind{};
    std::array<double, kTokenKindCount> accuracyByKind{};  ///< NaN where a batch has none of a kind
    std::vector<HeadReading> heads;
    std::vector<LengthAccuracy> evaluations;  ///< newest for each length, in spec order
    std::int64_t evaluatedAtStep = 0;
    std::int64_t savedAtStep = -1;  ///< -1: no checkpoint yet
    std::string message;            ///< why it ended, when it did not simply finish
};

/// One point of a curve. Series names, stable:
///   "loss", "loss/<kind>", "accuracy/<kind>", "learning_rate", "gradient_norm",
///   "tokens_per_second", "stage", "accuracy@L,S", "whole@L,S", "reveal@L,S/<i>",
///   "state_norm/<layer>.<head>", "beta_max/<layer>.<head>"
struct Metric {
    std::int64_t step = 0;
    double cpuSeconds = 0;
    std::string series;
    double value = 0;
};

/// Something worth a mark on every plot.
struct RunEvent {
    enum class Kind {
        kStarted,
        kStage,
        kSaved,
        kRateChanged,
        kPaused,
        kResumed,
        kDiverged,
        kEnded
    };
    Kind kind = Kind::kStarted;
    std::int64_t step = 0;
    std::string text;
};

}  // namespace lab::values
