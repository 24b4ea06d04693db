// How well a model does on fixed sets of traces, one set a length.
//
// A value is right when it is the first largest logit at its place, given the true tokens before
// it. Sets are drawn apart from the training batches (core/data/batch.h) and are the same at every
// evaluation.
#pragma once

#include <vector>

#include "core/data/batch.h"
#include "core/models/sequence_model.h"
#include "core/training/loss.h"
#include "core/values/experiment_spec.h"
#include "core/values/telemetry_records.h"
#include "tasks/task.h"

namespace lab::training {

/// Counts of one set; exact, so sets read in pieces add up to the same.
class EvaluationCounts {
public:
    void add(const data::Batch& batch, const TokenLosses& losses);
    [[nodiscard]] values::LengthAccuracy result(values::TraceLength length) const;

private:
    std::int64_t m_values = 0, m_right = 0, m_traces = 0, m_wholeTraces = 0;
    double m_nats = 0;
    std::vector<std::int64_t> m_valuesByReveal, m_rightByReveal;
};

/// In the order of `lengths`. Memory is bounded: a set is read a few traces at a time.
[[nodiscard]] std::vector<values::LengthAccuracy> evaluateLengths(
    models::SequenceModel& model, const tasks::Task& task, const values::ExperimentSpec& spec,
    const std::vector<values::TraceLength>& lengths);

}  // namespace lab::training
