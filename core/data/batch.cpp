#include "core/data/batch.h"

#include <algorithm>

#include "core/data/task_factory.h"

namespace lab::data {
namespace {

constexpr int kTraceBits = 20;  ///< of a stream's index: the number of the trace

struct Source {
    std::uint64_t seed;
    std::uint32_t stream;
    std::uint64_t set;  ///< which batch or which evaluation set
};

/// The loss weight of each kind of target.
float weightOf(tasks::TokenKind kind, const values::TrainingSpec& training) {
    return static_cast<float>(kind == tasks::TokenKind::kOutput ? training.valueWeight
                                                                : training.otherWeight);
}

void append(Batch& batch, const tasks::Trace& trace, const values::TrainingSpec& training) {
    batch.tokens.insert(batch.tokens.end(), trace.tokens.begin(), trace.tokens.end());
    batch.targets.insert(batch.targets.end(), trace.targets.begin(), trace.targets.end());
    batch.reveals.insert(batch.reveals.end(), trace.reveals.begin(), trace.reveals.end());
    for (std::size_t i = 0; i < trace.targets.size(); ++i) {
        const tasks::TokenKind kind = trace.targetKinds[i];
        batch.kinds.push_back(static_cast<std::uint8_t>(kind));
        batch.weights.push_back(trace.targets[i] < 0 ? 0.0F : weightOf(kind, training));
    }
}

Batch sampled(const tasks::Task& task, const values::TrainingSpec& training, int traces,
              tasks::Length length, Source source) {
    Batch batch;
    batch.traces = traces;
    batch.steps = task.tokensIn(length);
    const auto cells = static_cast<std::size_t>(traces) * static_cast<std::size_t>(batch.steps);
    batch.tokens.reserve(cells);
    batch.targets.reserve(cells);
    batch.weights.reserve(cells);
    batch.kinds.reserve(cells);
    batch.reveals.reserve(cells);
    for (int i = 0; i < traces; ++i) {
        tasks::Rng rng(source.seed, source.stream,
                       source.set << kTraceBits | static_cast<std::uint64_t>(i));
        append(batch, task.sample(rng, length), training);
    }
    return batch;
}

}  // namespace

int tracesIn(const tasks::Task& task, const values::TrainingSpec& training,
             values::TraceLength length) {
    return std::clamp(training.tokensPerBatch / task.tokensIn(lengthOf(length)), 4,
                      1 << kTraceBits);
}

Batch trainingBatch(const tasks::Task& task, const values::ExperimentSpec& spec,
                    values::TraceLength length, std::int64_t step) {
    return sampled(task, spec.training, tracesIn(task, spec.training, length), lengthOf(length),
                   {spec.seed, tasks::Stream::kTraining, static_cast<std::uint64_t>(step)});
}

Batch evaluationBatch(const tasks::Task& task, const values::ExperimentSpec& spec,
                      values::TraceLength length) {
    const auto set = static_cast<std::uint64_t>(length.commands) << 17U |
                     static_cast<std::uint64_t>(length.spacing);
    return sampled(task, spec.training, spec.evaluation.traces, lengthOf(length),
                   {spec.evaluation.seed, tasks::Stream::kEvaluation, set});
}

}  // namespace lab::data
