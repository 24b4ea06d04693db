// Traces side by side, as a model reads them. A batch is a pure function of its arguments, so a
// resumed run sees what an uninterrupted one would have seen.
//
// Every array is [trace, step], row-major, contiguous.
#pragma once

#include <cstdint>
#include <vector>

#include "core/values/experiment_spec.h"
#include "tasks/task.h"

namespace lab::data {

struct Batch {
    int traces = 0, steps = 0;
    std::vector<std::int64_t> tokens;
    std::vector<std::int64_t> targets;  ///< -1: nothing is to be predicted here
    std::vector<float> weights;         ///< of the target in the loss; 0 where there is none
    std::vector<std::uint8_t> kinds;    ///< tasks::TokenKind of the target
    std::vector<int> reveals;           ///< number of the printed value that is the target, else -1
};

/// Traces in a training batch: tokensPerBatch / tokens in a trace, at least 4 and at most 2^20.
[[nodiscard]] int tracesIn(const tasks::Task& task, const values::TrainingSpec& training,
                           values::TraceLength length);

/// Batch number `step` of the seed spec.seed: trace i is drawn from
/// Rng(seed, Stream::kTraining, step * 2^20 + i). A kOutput target weighs valueWeight, any other
/// otherWeight.
[[nodiscard]] Batch trainingBatch(const tasks::Task& task, const values::ExperimentSpec& spec,
                                  values::TraceLength length, std::int64_t step);

/// The fixed set of a length: spec.evaluation.traces traces drawn from
/// Rng(evaluation.seed, Stream::kEvaluation, (commands * 2^17 + spacing) * 2^20 + i), so a length
/// has the same set in every spec with that task and seed.
[[nodiscard]] Batch evaluationBatch(const tasks::Task& task, const values::ExperimentSpec& spec,
                                    values::TraceLength length);

}  // namespace lab::data
