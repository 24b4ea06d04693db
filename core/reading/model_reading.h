// What a model makes of a trace: the probability of every token given those before it, and, after
// every event, what it would answer if each cup were printed now.
//
// The answer is read by appending ">>> print('x', x)" with its line end and the name x to a copy of
// the state, one row of a batch a cup, and taking the softmax over the values of the trace. The
// copy is dropped, so asking changes nothing. Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/model_handle.h"
#include "core/models/sequence_model.h"
#include "core/values/trace_reading.h"
#include "tasks/repl_trace.h"

namespace lab::reading {

class ModelReader {
public:
    /// Null: no model.
    void setModel(std::shared_ptr<const ModelHandle> handle);

    /// Fills what the model says into `reading`, or modelProblem when it cannot read this trace.
    /// False when `overtaken` (asked once an event) said so; `reading` is then of no use.
    [[nodiscard]] bool fill(values::TraceReading& reading, const std::function<bool()>& overtaken);

private:
    [[nodiscard]] std::optional<std::string> vocabularyProblem(
        const values::TraceReading& reading) const;
    void readTokens(values::TraceReading& reading, std::size_t begin, const at::Tensor& logits);
    [[nodiscard]] values::Belief askAll(const values::TraceReading& reading) const;

    std::shared_ptr<const ModelHandle> m_handle;
    std::unique_ptr<tasks::ReplTask> m_task;  // null: the model reads no traces
    std::unique_ptr<models::SequenceModel> m_model;
    models::State m_state;
    std::vector<double> m_next;  // probabilities of the next token, from the token before
};

}  // namespace lab::reading
