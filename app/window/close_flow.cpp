#include "app/window/close_flow.h"

#include <QMainWindow>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>

#include "app/window/file_flow.h"
#include "app/workbench.h"

namespace lab::app {

CloseFlow::CloseFlow(Workbench& bench, FileFlow& files, QMainWindow& window)
    : QObject(&window), m_bench(bench), m_files(files), m_window(window) {
    connect(&m_bench.runs, &RunController::ended, this, &CloseFlow::closeWhenEnded);
}

CloseFlow::Answer CloseFlow::ask() const {
    QMessageBox box(QMessageBox::Question, tr("Models are training"),
                    tr("%1 of the models are still training.").arg(m_bench.runs.activeCount()),
                    QMessageBox::NoButton, &m_window);
    box.setObjectName(QStringLiteral("askTraining"));
    box.setInformativeText(
        tr("Stopped runs keep a checkpoint: File > Reopen run goes on from there."));
    const QPushButton* stop = box.addButton(tr("Stop with a checkpoint"), QMessageBox::AcceptRole);
    const QPushButton* finish =
        box.addButton(tr("Keep going, close when done"), QMessageBox::ActionRole);
    box.addButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() == stop) {
        return Answer::kStop;
    }
    return box.clickedButton() == finish ? Answer::kFinishFirst : Answer::kCancel;
}

bool CloseFlow::mayClose() {
    const bool training = m_bench.runs.activeCount() > 0;
    if (m_plan == Plan::kStopping) {
        return !training;
    }
    if (!m_files.mayLoseChanges()) {
        m_plan = Plan::kStay;
        return false;
    }
    if (!training) {
        return true;
    }
    switch (ask()) {
        case Answer::kStop: closeQuietly(); break;
        case Answer::kFinishFirst:
            m_bench.runs.resumeAll();
            m_plan = Plan::kFinishFirst;
            m_window.showMinimized();
            break;
        case Answer::kCancel: m_plan = Plan::kStay; break;
    }
    return false;
}

void CloseFlow::closeQuietly() {
    m_plan = Plan::kStopping;
    emit m_bench.notice(tr("Stopping: the last checkpoint is being written ..."));
    m_bench.runs.stopAll();
    closeWhenEnded();
}

void CloseFlow::closeWhenEnded() {
    if (m_plan != Plan::kStay && m_bench.runs.activeCount() == 0) {
        QTimer::singleShot(0, &m_window, &QWidget::close);
    }
}

}  // namespace lab::app
