// What the pages share: the document, the runs, the trace on show and its cursor, the frame clock
// and the table of actions.
#pragma once

#include <QObject>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/document/experiment_document.h"
#include "app/frame/frame_clock.h"
#include "app/reading/reader_controller.h"
#include "app/runs/run_controller.h"
#include "app/runs/spacing_job.h"
#include "app/window/actions.h"
#include "widgets/stage/stage_scene.h"

namespace lab::app {

/// Where the trace on show came from.
struct Demonstration {
    values::TraceLength length{.commands = 12, .spacing = 3};
    std::uint64_t seed = 1;
    bool edited = false;  ///< a person changed the text: it is no longer the task's
};

class Workbench final : public QObject {
    Q_OBJECT

public:
    explicit Workbench(std::filesystem::path store, QObject* parent = nullptr);
    ~Workbench() override;

    ExperimentDocument document;
    RunController runs;
    ReaderController reader;
    FrameClock clock;
    Actions actions;
    QUndoStack traceHistory;  ///< edits of the transcript; the document has its own

    /// Throws LabError when the preset is unknown.
    void openPreset(const QString& key);
    /// One run for each model of the document, shown on the stages. Throws LabError.
    void startTraining();
    void openRun(const values::RunRecord& record);
    void resumeTraining(int runId);

    [[nodiscard]] const Demonstration& demonstration() const noexcept { return m_demonstration; }
    /// Whether the task of the document can be shown as a transcript with cups.
    [[nodiscard]] bool taskHasCups() const;
    /// Draws a trace of the document's task and puts the cursor before it.
    void generateTrace(values::TraceLength length, std::uint64_t seed);
    void nextTrace();  ///< the same length, the next seed
    /// By a person, so it can be undone. A text that does not parse is shown with its fault.
    void editTrace(const QString& transcript);

    /// The trace cursor: what every view shows. The timeline moves it.
    [[nodiscard]] widgets::StageMoment moment() const noexcept { return m_moment; }
    void setMoment(widgets::StageMoment moment);

    /// The run that menus and details mean; 0: none.
    [[nodiscard]] int chosenRun() const noexcept { return m_chosenRun; }
    void chooseRun(int runId);

    /// Measures accuracy over spacing of a run's newest weights; replaces a measurement going on.
    void measureSpacing(int runId);
    [[nodiscard]] bool isMeasuring(int runId) const;

signals:
    void notice(const QString& text);   ///< something to know; goes away by itself
    void trouble(const QString& text);  ///< something failed; stays until it is closed
    void spacingChanged(int runId);
    void demonstrationChanged();
    void momentChanged();
    void cursorWanted(int event);  ///< a view asks the timeline to move the cursor
    void chosenRunChanged();

private:
    friend class TraceCommand;
    void putTrace(const QString& transcript, bool edited);
    void followSpec();
    void showOnStages(int runId);

    Demonstration m_demonstration;
    widgets::StageMoment m_moment;
    int m_chosenRun = 0;
    std::optional<values::TaskSpec> m_tracedTask;  ///< what the trace on show was drawn from
    std::vector<std::unique_ptr<SpacingJob>> m_spacingJobs;
};

}  // namespace lab::app
