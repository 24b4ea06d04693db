#include "app/runs/spacing_job.h"

#include <algorithm>
#include <exception>

namespace lab::app {
namespace {

constexpr int kFewestCommands = 64;
constexpr int kMostCommands = 256;  ///< keeps the whole curve within seconds
constexpr int kMostTraces = 64;

int longest(const std::vector<values::TraceLength>& lengths) {
    return std::ranges::max_element(lengths, {}, &values::TraceLength::commands)->commands;
}

}  // namespace

std::vector<values::TraceLength> spacingLengths(const values::ExperimentSpec& spec) {
    const int commands =
        std::clamp(longest(spec.evaluation.lengths), kFewestCommands, kMostCommands);
    std::vector<values::TraceLength> lengths;
    if (spec.task.kind == values::TaskKind::kWordProblem) {
        for (int tokens = 4; tokens <= 2 * commands; tokens *= 2) {
            lengths.push_back({.commands = tokens, .spacing = 1});
        }
        return lengths;
    }
    for (int spacing = 1; spacing <= commands / 2; spacing *= 2) {
        lengths.push_back({.commands = commands, .spacing = spacing});
    }
    return lengths;
}

SpacingJob::SpacingJob(int runId, std::shared_ptr<const ModelHandle> model,
                       values::ExperimentSpec spec, QObject* parent)
    : QObject(parent),
      m_runId(runId),
      m_points(static_cast<int>(spacingLengths(spec).size())),
      m_messages(std::make_shared<telemetry::EventQueue<Message>>()) {
    spec.evaluation.traces = std::min(spec.evaluation.traces, kMostTraces);
    m_thread = std::jthread([messages = m_messages, model = std::move(model),
                             spec = std::move(spec)](const std::stop_token& stop) {
        try {
            for (const values::TraceLength& length : spacingLengths(spec)) {
                if (stop.stop_requested()) {
                    break;
                }
                for (values::LengthAccuracy& accuracy : evaluate(*model, spec, {length})) {
                    messages->push({std::move(accuracy), false, {}});
                }
            }
            messages->push({{}, true, {}});
        } catch (const std::exception& error) {  // a thread boundary: shown by the window
            messages->push({{}, true, error.what()});
        }
    });
}

SpacingJob::~SpacingJob() = default;

void SpacingJob::cancel() {
    m_cancelled = true;
    m_thread.request_stop();
}

void SpacingJob::poll() {
    for (const Message& message : m_messages->takeAll()) {
        if (m_cancelled) {
            m_done = m_done || message.last;
            continue;
        }
        if (!message.last) {
            emit measured(m_runId, message.accuracy);
            continue;
        }
        m_done = true;
        if (!message.failure.empty()) {
            emit failed(QString::fromStdString(message.failure));
        }
        emit finished(m_runId);
    }
}

}  // namespace lab::app
