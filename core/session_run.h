// The training thread of a Session: orders at step borders, steps, what is due after them, and
// what is told to the outside.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/mailbox.h"
#include "core/recorder.h"
#include "core/session.h"
#include "core/throughput.h"
#include "core/training/trainer.h"

namespace lab {

/// Where a run's news go. Members of Session, safe from any thread.
struct RunChannels {
    telemetry::LatestValue<values::Snapshot> snapshots;
    telemetry::EventQueue<values::Metric> metrics;
    telemetry::EventQueue<values::RunEvent> events;
    telemetry::LatestValue<ModelHandle> weights;
};

/// All members are called by the training thread, but the constructor.
class SessionRun {
public:
    /// `recorder` may be null. `savedAtStep` -1: there is no checkpoint yet.
    SessionRun(training::Trainer& trainer, Mailbox& mailbox, RunChannels& channels,
               Recorder* recorder, std::int64_t savedAtStep);

    /// The whole run. Nothing escapes: a failure becomes a snapshot and an event.
    void run(bool background) noexcept;

private:
    using Clock = std::chrono::steady_clock;
    enum class Border { kStep, kStop };

    void train();
    Border atBorder();
    void enter(values::RunState state, values::RunEvent::Kind kind, const std::string& text);
    void oneStep();
    void evaluate();
    void changeRate(double rate);
    void save();
    void publishWeights();
    void publish(bool always);
    void tell(values::RunEvent::Kind kind, const std::string& text);
    void tell(const std::vector<values::Metric>& metrics);
    void end(values::RunState state, const std::string& message);

    training::Trainer& m_trainer;
    Mailbox& m_mailbox;
    RunChannels& m_channels;
    Recorder* m_recorder;
    values::Snapshot m_snapshot;
    Throughput m_throughput;
    std::string m_saveProblem;
    Clock::time_point m_published;
    std::int64_t m_weightsAtStep = -1;
};

}  // namespace lab
