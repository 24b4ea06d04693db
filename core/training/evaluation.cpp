#include "core/training/evaluation.h"

#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "core/training/loss.h"

namespace lab::training {
namespace {

constexpr double kTokensAtATime = 16'000;
constexpr double kPairsAtATime = 10e6;  // of tokens that attend to each other

/// Traces that are read together: bounds what a forward pass holds, whatever the architecture.
int tracesAtATime(int steps) {
    const double tokens = std::max(1, steps);
    return std::max(
        1, static_cast<int>(std::min(kTokensAtATime / tokens, kPairsAtATime / (tokens * tokens))));
}

/// Traces [begin, begin + count) of a batch.
data::Batch pieceOf(const data::Batch& batch, int begin, int count) {
    data::Batch piece;
    piece.traces = count;
    piece.steps = batch.steps;
    const auto from = static_cast<std::ptrdiff_t>(begin) * batch.steps;
    const auto to = from + static_cast<std::ptrdiff_t>(count) * batch.steps;
    piece.tokens.assign(batch.tokens.begin() + from, batch.tokens.begin() + to);
    piece.targets.assign(batch.targets.begin() + from, batch.targets.begin() + to);
    piece.weights.assign(batch.weights.begin() + from, batch.weights.begin() + to);
    piece.kinds.assign(batch.kinds.begin() + from, batch.kinds.begin() + to);
    piece.reveals.assign(batch.reveals.begin() + from, batch.reveals.begin() + to);
    return piece;
}

double share(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

}  // namespace

void EvaluationCounts::add(const data::Batch& batch, const TokenLosses& losses) {
    for (int trace = 0; trace < batch.traces; ++trace) {
        bool whole = true;
        for (int step = 0; step < batch.steps; ++step) {
            const auto at =
                static_cast<std::size_t>(trace) * static_cast<std::size_t>(batch.steps) +
                static_cast<std::size_t>(step);
            if (batch.reveals[at] < 0) {
                continue;
            }
            const auto reveal = static_cast<std::size_t>(batch.reveals[at]);
            if (reveal >= m_valuesByReveal.size()) {
                m_valuesByReveal.resize(reveal + 1);
                m_rightByReveal.resize(reveal + 1);
            }
            const bool right = losses.correct[at] != 0;
            ++m_values;
            ++m_valuesByReveal[reveal];
            m_right += right ? 1 : 0;
            m_rightByReveal[reveal] += right ? 1 : 0;
            m_nats += static_cast<double>(losses.nats[at]);
            whole = whole && right;
        }
        ++m_traces;
        m_wholeTraces += whole ? 1 : 0;
    }
}

values::LengthAccuracy EvaluationCounts::result(values::TraceLength length) const {
    values::LengthAccuracy result;
    result.length = length;
    result.value = share(m_right, m_values);
    result.wholeTrace = share(m_wholeTraces, m_traces);
    for (std::size_t i = 0; i < m_valuesByReveal.size(); ++i) {
        result.byReveal.push_back(share(m_rightByReveal[i], m_valuesByReveal[i]));
    }
    result.loss = m_values > 0 ? m_nats / static_cast<double>(m_values) : 0.0;
    return result;
}

std::vector<values::LengthAccuracy> evaluateLengths(
    models::SequenceModel& model, const tasks::Task& task, const values::ExperimentSpec& spec,
    const std::vector<values::TraceLength>& lengths) {
    const c10::NoGradGuard noGradient;
    const at::Device device = model.parameters().front().value.device();
    std::vector<values::LengthAccuracy> results;
    for (const auto length : lengths) {
        const data::Batch set = data::evaluationBatch(task, spec, length);
        const int most = tracesAtATime(set.steps);
        EvaluationCounts counts;
        for (int begin = 0; begin < set.traces; begin += most) {
            const data::Batch piece = pieceOf(set, begin, std::min(most, set.traces - begin));
            const at::Tensor logits = model.forward(tokensOf(piece).to(device));
            counts.add(piece, batchLoss(logits, piece, model.execution()).tokens);
        }
        results.push_back(counts.result(length));
    }
    return results;
}

}  // namespace lab::training
