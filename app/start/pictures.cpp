#include "app/start/pictures.h"

#include <QDir>
#include <QEventLoop>
#include <QPixmap>
#include <QTabWidget>
#include <QTimer>
#include <algorithm>

#include "app/start/options.h"
#include "app/window/main_window.h"
#include "core/values/lab_error.h"
#include "widgets/timeline.h"

namespace lab::app {
namespace {

constexpr int kTrainMs = 12'000;  ///< at most; ends with the runs
constexpr int kSettleMs = 700;    ///< readings and plots of a page

/// The third print: some are past, some to come.
int tellingEvent(const values::TraceReading& reading) {
    int prints = 0;
    for (std::size_t i = 0; i < reading.events.size(); ++i) {
        if (reading.events[i].kind == values::EventReading::Kind::kReveal && ++prints == 2) {
            return static_cast<int>(i);
        }
    }
    return static_cast<int>(reading.events.size()) - 1;
}

void save(MainWindow& window, const QString& path) {
    if (!window.grab().save(path)) {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               MainWindow::tr("%1 cannot be written").arg(path).toStdString());
    }
}

/// The page on show, and each further tab of it as a picture of its own.
void savePage(MainWindow& window, const QString& beginning, const QString& theme) {
    letPass(kSettleMs);
    save(window, QStringLiteral("%1_%2.png").arg(beginning, theme));
    auto* tabs = window.page(window.mode()).findChild<QTabWidget*>();
    for (int tab = 1; tabs != nullptr && tab < tabs->count(); ++tab) {
        tabs->setCurrentIndex(tab);
        letPass(kSettleMs);
        save(window, QStringLiteral("%1-%2_%3.png").arg(beginning).arg(tab + 1).arg(theme));
    }
    if (tabs != nullptr) {
        tabs->setCurrentIndex(0);
    }
}

}  // namespace

void letPass(int milliseconds) {
    QEventLoop loop;
    QTimer::singleShot(milliseconds, Qt::PreciseTimer, &loop, &QEventLoop::quit);
    loop.exec();
}

void takePictures(MainWindow& window, Workbench& bench, const QString& folder) {
    if (!QDir().mkpath(folder)) {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               MainWindow::tr("%1 cannot be made").arg(folder).toStdString());
    }
    if (bench.runs.runs().empty()) {
        bench.startTraining();
    }
    for (int waited = 0; waited < kTrainMs && bench.runs.activeCount() > 0; waited += 100) {
        letPass(100);
    }
    if (window.timeline().playing()) {
        window.timeline().togglePlaying();
    }
    for (Run* run : bench.runs.currentRuns()) {
        if (run->model != nullptr) {
            bench.measureSpacing(run->id);
        }
    }
    const auto measuring = [&bench] {
        return std::ranges::any_of(bench.runs.currentRuns(),
                                   [&bench](const Run* run) { return bench.isMeasuring(run->id); });
    };
    for (int waited = 0; waited < 2 * kTrainMs && measuring(); waited += 100) {
        letPass(100);
    }
    if (const auto reading = bench.reader.exact(); reading != nullptr) {
        emit bench.cursorWanted(tellingEvent(*reading));
    }
    for (const auto& [theme, name] :
         {std::pair(ThemeChoice::kLight, "light"), std::pair(ThemeChoice::kDark, "dark")}) {
        window.setTheme(theme);
        for (int mode = 0; mode < kModeCount; ++mode) {
            window.showMode(mode);
            savePage(window, QStringLiteral("%1/%2").arg(folder, modeNames().at(mode)),
                     QString::fromLatin1(name));
        }
    }
    window.showMode(kShellGame);
}

}  // namespace lab::app
