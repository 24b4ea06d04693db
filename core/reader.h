// Reads one trace with the exact filter and with a model, on a thread of its own.
//
// Thread safety: call from one thread; readings() may be read from any. A request replaces the one
// that waits.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "core/session.h"
#include "core/telemetry/latest_value.h"
#include "core/values/experiment_spec.h"
#include "core/values/trace_reading.h"

namespace lab {

/// Text to events, cups and exact beliefs; no model. Fast: called while a person types.
[[nodiscard]] std::variant<values::TraceReading, values::TranscriptProblem> readTranscript(
    std::string_view transcript);

class Reader {
public:
    Reader();
    ~Reader();  ///< stops and joins
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// Null: no model. The current trace is read again.
    void setModel(std::shared_ptr<const ModelHandle> model);
    /// Must be a transcript that readTranscript accepts.
    void setTranscript(std::string transcript);

    /// One reading for every change of model or transcript that was not overtaken by a newer one.
    [[nodiscard]] telemetry::LatestValue<values::TraceReading>& readings() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// What a handle holds, for badges.
[[nodiscard]] std::string nameOf(const ModelHandle& model);
[[nodiscard]] std::int64_t stepOf(const ModelHandle& model);

}  // namespace lab
