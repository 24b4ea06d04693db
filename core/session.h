// One training run on its own thread. With catalog.h, reader.h and runs.h the only door into core.
//
// Thread safety: call from one thread; the channels may be read from any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/telemetry/event_queue.h"
#include "core/telemetry/latest_value.h"
#include "core/values/experiment_spec.h"
#include "core/values/telemetry_records.h"

namespace lab {

class ModelHandle;  ///< an immutable copy of a model's weights with its spec; made and read inside
                    ///< core

struct SessionOptions {
    /// Where the run is recorded (index and folder, see runs.h). Empty: nothing is written.
    std::filesystem::path store;
    /// Go on from this recorded run's last checkpoint instead of starting anew.
    std::string resumeRunId;
    /// Lower the priority of the training thread so that a window stays fluid.
    bool background = false;
};

/// Keeps the large arrays of a step in the heap instead of mapping and unmapping them each time:
/// some tenth of a step. To be called first in main.
void tuneAllocator() noexcept;

class Session {
public:
    using Options = SessionOptions;

    /// Throws LabError{kInvalidInput} when problemsIn(spec) is not empty or spec.models.size() !=
    /// 1, and LabError{kDevice} when the device is not there.
    explicit Session(values::ExperimentSpec spec, Options options = {});
    ~Session();  ///< stops and joins
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void start();
    /// These return at once and act at the next step border.
    void requestStop() noexcept;  ///< writes a checkpoint (when recorded) and ends as kStopped
    void pause() noexcept;
    void resume() noexcept;
    void stepOnce() noexcept;                    ///< one step, then paused again
    void setLearningRate(double rate) noexcept;  ///< the new peak; the schedule's shape stays
    void requestCheckpoint() noexcept;
    void requestWeights() noexcept;  ///< fresh weights will appear in weights()

    void wait();  ///< until the run has ended

    [[nodiscard]] const values::ExperimentSpec& spec() const noexcept;
    [[nodiscard]] std::string runId() const;  ///< empty when nothing is recorded
    [[nodiscard]] telemetry::LatestValue<values::Snapshot>& snapshots() noexcept;
    [[nodiscard]] telemetry::EventQueue<values::Metric>& metrics() noexcept;
    [[nodiscard]] telemetry::EventQueue<values::RunEvent>& events() noexcept;
    [[nodiscard]] telemetry::LatestValue<ModelHandle>& weights() noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lab
