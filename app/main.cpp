// The desktop program.
#include <QSettings>
#include <QTimer>
#include <cstdio>
#include <exception>

#include "app/frame/frame_log.h"
#include "app/frame/gui_bench.h"
#include "app/start/application.h"
#include "app/start/display.h"
#include "app/start/logging.h"
#include "app/start/options.h"
#include "app/start/pictures.h"
#include "app/window/file_flow.h"
#include "app/window/main_window.h"
#include "core/runs.h"
#include "core/session.h"
#include "widgets/icons.h"
#include "widgets/timeline.h"

namespace lab::app {
namespace {

constexpr int kDone = 0, kFailed = 1, kCheckFailed = 6;

void print(std::FILE* to, const QString& text) {
    std::fputs(text.toUtf8().constData(), to);
    std::fflush(to);
}

ThemeChoice themeOf(const Options& options) {
    const int kept = QSettings().value(QStringLiteral("view/theme"), 0).toInt();
    return options.theme.value_or(kept == 1   ? ThemeChoice::kLight
                                  : kept == 2 ? ThemeChoice::kDark
                                              : ThemeChoice::kSystem);
}

void openExperiment(const Options& options, Workbench& bench) {
    if (!options.file.isEmpty()) {
        bench.document.open(options.file);
    } else {
        bench.openPreset(options.preset.isEmpty() ? QStringLiteral("first-minute")
                                                  : options.preset);
    }
}

/// For pictures and measurements: no question, no kept layout, nothing recorded.
int runUnattended(const Options& options, MainWindow& window, Workbench& bench) {
    if (options.benchGui) {
        const GuiBenchReport report = benchGui(window, bench, options.benchSeconds);
        print(stdout, textOf(report, options.json));
        window.closeQuietly();
        return report.pass() ? kDone : kCheckFailed;
    }
    takePictures(window, bench, options.screenshots);
    window.closeQuietly();
    return kDone;
}

int runWindow(const Options& options) {
    const bool unattended = options.benchGui || !options.screenshots.isEmpty();
    Workbench bench(unattended ? std::filesystem::path{} : lab::defaultStore());
    MainWindow window(bench,
                      unattended ? MainWindow::Layout::kStandard : MainWindow::Layout::kKept);
    window.setWindowIcon(widgets::lineIcon(QStringLiteral("shell")));
    window.setTheme(themeOf(options));
    openExperiment(options, bench);
    std::unique_ptr<FrameLog> log;
    if (!options.frameLog.isEmpty()) {
        log = std::make_unique<FrameLog>(options.frameLog, bench.clock);
    }
    window.show();
    if (!options.mode.isEmpty()) {
        window.showMode(static_cast<int>(modeNames().indexOf(options.mode)));
    }
    if (options.train) {
        bench.startTraining();
    }
    window.timeline().togglePlaying();  // the first look is a moving one
    if (unattended) {
        return runUnattended(options, window, bench);
    }
    if (options.quitAfter > 0) {
        QTimer::singleShot(static_cast<int>(options.quitAfter * 1000), &window,
                           [&window] { window.closeQuietly(); });
    }
    return Application::exec();
}

}  // namespace
}  // namespace lab::app

int main(int count, char** arguments) {
    using namespace lab::app;
    lab::tuneAllocator();
    QStringList words;
    for (int i = 0; i < count; ++i) {
        words << QString::fromLocal8Bit(arguments[i]);
    }
    const Parsed parsed = parseOptions(words);
    if (parsed.exitCode) {
        const bool good = *parsed.exitCode == 0;
        print(good ? stdout : stderr,
              good ? parsed.text
                   : QStringLiteral("thimblerig: %1\nTry thimblerig --help.\n").arg(parsed.text));
        return *parsed.exitCode;
    }
    if (const std::string why = whyNoDisplay(count, arguments); !why.empty()) {
        print(stderr, QString::fromStdString(why) + QLatin1Char('\n'));
        return kFailed;
    }
    Application application(count, arguments);
    startLogging();
    try {
        return runWindow(parsed.options);
    } catch (const std::exception& error) {
        print(stderr, QStringLiteral("thimblerig: %1\n").arg(QString::fromUtf8(error.what())));
        return kFailed;
    }
}
