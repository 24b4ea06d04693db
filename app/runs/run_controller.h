// Starts, steers and collects training runs: one Session per model of an experiment, side by side.
//
// The only place where sessions and the window meet. It is polled by the frame clock; nothing is
// pushed from a training thread. Runs of earlier starts stay in the list for comparison until they
// are removed.
#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/runs/run.h"
#include "core/values/run_record.h"

namespace lab::app {

class RunController final : public QObject {
    Q_OBJECT

public:
    /// `store` empty: runs are not recorded.
    explicit RunController(std::filesystem::path store, QObject* parent = nullptr);
    ~RunController() override;  ///< stops and joins what still runs

    [[nodiscard]] const std::filesystem::path& store() const noexcept { return m_store; }
    /// Oldest first. Pointers stay valid until the run is removed.
    [[nodiscard]] const std::vector<std::unique_ptr<Run>>& runs() const noexcept { return m_runs; }
    [[nodiscard]] Run* find(int id) const;
    [[nodiscard]] std::vector<Run*> currentRuns() const;
    [[nodiscard]] int activeCount() const;
    [[nodiscard]] bool allPaused() const;  ///< false when none is active

    /// One run for each model. Throws LabError; then none has started.
    void start(const values::ExperimentSpec& spec);
    /// Opens a recorded run with its curves and its last checkpoint; the one already open if it is.
    Run& openRecorded(const values::RunRecord& record);
    /// Goes on from the last checkpoint of a recorded run that is open and not active.
    void resumeTraining(int id);
    void remove(int id);  ///< not while it is active

    void pauseAll();
    void resumeAll();
    void stepAll();
    void stopAll();
    void checkpointAll();
    void setLearningRate(double rate);  ///< the peak, of every active run
    void setShown(int id, bool shown);
    /// Fresh weights of an active run will appear as modelArrived.
    void requestWeights(int id);

    /// Takes everything that the training threads have published.
    void poll();
    /// Waits until every run has ended, at most `milliseconds`; true when all have.
    bool waitForEnd(int milliseconds);

signals:
    void listChanged();         ///< runs came, went, or are shown differently
    void advanced();            ///< at most once a poll: some run has new numbers
    void stateChanged(int id);  ///< a run began, paused, resumed or ended
    void modelArrived(int id);
    void ended(int id);

private:
    Run& add(values::ExperimentSpec spec);
    bool take(Run& run);
    void noteState(Run& run, values::RunState before);
    [[nodiscard]] QString freeName(const values::ExperimentSpec& spec) const;
    template <class Action>
    void forActive(Action action) const;

    std::filesystem::path m_store;
    int m_nextId = 1;
    std::vector<std::unique_ptr<Run>> m_runs;
};

}  // namespace lab::app
