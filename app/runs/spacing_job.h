// Measures one model's accuracy over spacing (or over length, for a word problem) on a thread of
// its own, one point after the other, so that the curve grows while it is looked at.
//
// At a fixed number of commands, spacing alone grows from 1 to half of them: what separates a
// model that tracks from one that leans on the last print.
#pragma once

#include <QObject>
#include <memory>
#include <thread>
#include <vector>

#include "core/runs.h"
#include "core/telemetry/event_queue.h"
#include "core/values/experiment_spec.h"

namespace lab::app {

/// The points of the curve, shortest first.
[[nodiscard]] std::vector<values::TraceLength> spacingLengths(const values::ExperimentSpec& spec);

class SpacingJob final : public QObject {
    Q_OBJECT

public:
    SpacingJob(int runId, std::shared_ptr<const ModelHandle> model, values::ExperimentSpec spec,
               QObject* parent = nullptr);
    /// Waits for the point that is being measured; cancel first and wait for isDone to avoid that.
    ~SpacingJob() override;

    [[nodiscard]] int runId() const noexcept { return m_runId; }
    [[nodiscard]] bool isDone() const noexcept { return m_done; }
    [[nodiscard]] int pointCount() const noexcept { return m_points; }  ///< in all
    void poll();
    /// No signal comes any more; the point being measured still has to end.
    void cancel();
    [[nodiscard]] bool isCancelled() const noexcept { return m_cancelled; }

signals:
    void measured(int runId, const lab::values::LengthAccuracy& accuracy);
    void finished(int runId);
    void failed(const QString& message);

private:
    /// What crosses: a point, the end, or why it failed.
    struct Message {
        values::LengthAccuracy accuracy;
        bool last = false;
        std::string failure;
    };

    int m_runId;
    int m_points;
    bool m_done = false;
    bool m_cancelled = false;
    std::shared_ptr<telemetry::EventQueue<Message>> m_messages;
    std::jthread m_thread;  // last: joined before what it uses goes
};

}  // namespace lab::app
