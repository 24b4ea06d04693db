// May the window close? Asks about unsaved changes and about what trains; a run is never lost: it
// stops with a checkpoint, or trains to its end first.
#pragma once

#include <QObject>

class QMainWindow;

namespace lab::app {

class FileFlow;
class Workbench;

class CloseFlow final : public QObject {
    Q_OBJECT

public:
    CloseFlow(Workbench& bench, FileFlow& files, QMainWindow& window);

    /// False: not now. The window is closed again by itself once the runs have ended, when that
    /// was the answer.
    [[nodiscard]] bool mayClose();
    void closeQuietly();

private:
    enum class Answer { kStop, kFinishFirst, kCancel };
    /// What happens when the last run has ended.
    enum class Plan { kStay, kFinishFirst, kStopping };
    [[nodiscard]] Answer ask() const;
    void closeWhenEnded();

    Workbench& m_bench;
    FileFlow& m_files;
    QMainWindow& m_window;
    Plan m_plan = Plan::kStay;
};

}  // namespace lab::app
