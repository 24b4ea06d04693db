#include "app/window/run_status.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>

#include "app/workbench.h"
#include "widgets/run_cards.h"

namespace lab::app {

RunStatus::RunStatus(const Workbench& bench, QWidget* parent)
    : QWidget(parent),
      m_bench(bench),
      m_runs(new QLabel(this)),
      m_device(new QLabel(this)),
      m_saved(new QLabel(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 0, 6, 0);
    row->setSpacing(18);
    row->addWidget(m_device);
    row->addWidget(m_runs);
    row->addWidget(m_saved);
    m_device->setToolTip(tr("Where models train, and on how many threads each"));
    m_runs->setToolTip(tr("Runs of this window: steps a second and loss"));
    m_saved->setToolTip(tr("Whether the experiment has changes that are not in its file"));
    refresh();
}

QString RunStatus::runsText() const {
    QStringList parts;
    for (const Run* run : m_bench.runs.currentRuns()) {
        const values::Snapshot& now = run->snapshot;
        if (now.state == values::RunState::kRunning) {
            parts << tr("%1: %2 steps/s, loss %3")
                         .arg(run->name, QLocale().toString(now.stepsPerSecond, 'f', 0),
                              QLocale().toString(now.loss, 'f', 3));
        } else {
            parts << tr("%1: %2").arg(run->name, widgets::stateTitle(now.state));
        }
    }
    return parts.isEmpty() ? tr("nothing trains") : parts.join(QStringLiteral("   |   "));
}

void RunStatus::refresh() {
    const values::TrainingSpec& training = m_bench.document.spec().training;
    const QString device = training.device == values::Device::kCuda ? tr("CUDA device") : tr("CPU");
    m_device->setText(training.threads == 1
                          ? tr("%1, one thread a model").arg(device)
                          : tr("%1, %2 threads a model").arg(device).arg(training.threads));
    m_runs->setText(runsText());
    m_saved->setText(m_bench.document.isDirty()          ? tr("\u25CF not saved")
                     : m_bench.document.path().isEmpty() ? tr("no file yet")
                                                         : tr("\u2713 saved"));
}

}  // namespace lab::app
