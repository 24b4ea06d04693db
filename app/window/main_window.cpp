#include "app/window/main_window.h"

#include <QCloseEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QSettings>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

#include "app/pages/architecture_page.h"
#include "app/pages/shell_page.h"
#include "app/pages/task_page.h"
#include "app/pages/trace_page.h"
#include "app/pages/training_page.h"
#include "app/window/close_flow.h"
#include "app/window/file_flow.h"
#include "app/window/inspector.h"
#include "app/window/menus.h"
#include "app/window/message_bar.h"
#include "app/window/run_status.h"
#include "widgets/mode_bar.h"
#include "widgets/timeline.h"

namespace lab::app {
namespace {

constexpr int kStateVersion = 1;  ///< raise when docks change
constexpr double kRestMs = 1500;  ///< between the end of a trace and its repetition
constexpr QSize kStandardSize{1280, 800};

QString key(const char* name) {
    return QStringLiteral("window/") + QLatin1String(name);
}

}  // namespace

MainWindow::MainWindow(Workbench& bench, Layout layout) : m_bench(bench), m_layout(layout) {
    setObjectName(QStringLiteral("mainWindow"));
    resize(kStandardSize);
    buildCentre();
    buildDock();
    m_status = new RunStatus(m_bench, this);
    statusBar()->addPermanentWidget(m_status);
    m_files = new FileFlow(m_bench, *this);
    m_closing = new CloseFlow(m_bench, *m_files, *this);
    m_menus = new Menus(*this, m_bench, *m_files);
    connectBench();
    addFrameViews();
    showMode(kShellGame);
    showTitle();
}

MainWindow::~MainWindow() {
    m_bench.clock.stop();
}

void MainWindow::buildCentre() {
    m_modeBar = new widgets::ModeBar(this);
    m_stack = new QStackedWidget(this);
    m_messages = new MessageBar(this);
    m_timeline = new widgets::Timeline(this);
    m_timeline->setAccessibleName(tr("Timeline of the trace"));
    m_pages = {new ShellPage(m_bench), new TracePage(m_bench), new TaskPage(m_bench),
               new ArchitecturePage(m_bench), new TrainingPage(m_bench)};
    const std::vector<ModeRow> rows = modeRows();
    for (int mode = 0; mode < kModeCount; ++mode) {
        const ModeRow& row = rows[static_cast<std::size_t>(mode)];
        m_modeBar->addMode(row.icon, row.title, row.help);
        m_stack->addWidget(&page(mode));
    }
    connect(m_modeBar, &widgets::ModeBar::chosen, this, &MainWindow::showMode);

    auto* centre = new QWidget(this);
    auto* row = new QHBoxLayout(centre);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_modeBar);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(m_messages);
    column->addWidget(m_stack, 1);
    column->addWidget(m_timeline);
    row->addLayout(column, 1);
    setCentralWidget(centre);
}

void MainWindow::buildDock() {
    m_inspector = new Inspector(this);
    QDockWidget::DockWidgetFeatures features =
        QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetClosable;
    // Before Qt 6.5.4 a dock that floats on Wayland cannot be docked again (QTBUG-87332).
    if (!QGuiApplication::platformName().startsWith(QLatin1String("wayland"))) {
        features |= QDockWidget::DockWidgetFloatable;
    }
    m_inspector->setFeatures(features);
    addDockWidget(Qt::RightDockWidgetArea, m_inspector);
}

void MainWindow::addFrameViews() {
    FrameClock& clock = m_bench.clock;
    clock.addSource(this, [this](double elapsedMs) {
        m_advancing = true;
        if (m_timeline->advance(elapsedMs / 1000.0)) {
            followCursor();
        }
        m_advancing = false;
        if (m_restedMs >= 0 && (m_restedMs += elapsedMs) >= kRestMs) {
            m_restedMs = -1;
            m_timeline->togglePlaying();
        }
        m_bench.reader.setWatched(!isMinimized() && mode() != kTask && mode() != kArchitecture);
    });
    m_inspectorView = clock.addView(QStringLiteral("inspector"), m_inspector, ViewRate::kScalars,
                                    [this] { m_inspector->refresh(); });
    m_statusView = clock.addView(QStringLiteral("status"), m_status, ViewRate::kTables,
                                 [this] { m_status->refresh(); });
}

void MainWindow::followCursor() {
    m_bench.setMoment(m_timeline->moment());
    m_bench.clock.markDirty(m_inspectorView);
}

void MainWindow::connectBench() {
    connect(&m_bench, &Workbench::notice, m_messages, &MessageBar::showNotice);
    connect(&m_bench, &Workbench::trouble, m_messages, &MessageBar::showTrouble);
    connect(&m_bench, &Workbench::cursorWanted, m_timeline, [this](int event) {
        m_timeline->setCursor(event);
        followCursor();
    });
    connect(m_timeline, &widgets::Timeline::cursorChanged, this, &MainWindow::followCursor);
    connect(m_timeline, &widgets::Timeline::playingChanged, this, &MainWindow::repeatWhenOver);
    connect(m_timeline, &widgets::Timeline::followLiveChanged, &m_bench.reader,
            &ReaderController::setFollowsLive);
    const auto newReading = [this] {
        m_timeline->setReading(m_bench.reader.shown(0));
        followCursor();
    };
    connect(&m_bench.reader, &ReaderController::transcriptChanged, this, newReading);
    connect(&m_bench.reader, &ReaderController::readingChanged, this, newReading);

    const auto inspectorDirty = [this] {
        m_bench.clock.markDirty(m_inspectorView);
        m_bench.clock.markDirty(m_statusView);
    };
    connect(&m_bench.document, &ExperimentDocument::specChanged, this, inspectorDirty);
    connect(&m_bench.document, &ExperimentDocument::fileChanged, this, inspectorDirty);
    connect(&m_bench.document, &ExperimentDocument::fileChanged, this, &MainWindow::showTitle);
    connect(&m_bench.document, &ExperimentDocument::specChanged, this, &MainWindow::showTitle);
    connect(&m_bench.runs, &RunController::advanced, this, inspectorDirty);
    connect(&m_bench.runs, &RunController::listChanged, this, inspectorDirty);
    connect(&m_bench.runs, &RunController::stateChanged, this, inspectorDirty);
    connect(&m_bench, &Workbench::chosenRunChanged, this, inspectorDirty);
}

void MainWindow::repeatWhenOver(bool playing) {
    const bool over = !playing && m_advancing;  // nobody pressed pause
    m_restedMs = over && m_bench.actions[QStringLiteral("trace.repeat")]->isChecked() ? 0 : -1;
}

void MainWindow::showMode(int mode) {
    m_stack->setCurrentIndex(mode);
    m_modeBar->setCurrent(mode);
    m_inspector->setPage(&page(mode));
    emit modeChanged(mode);
}

int MainWindow::mode() const {
    return m_stack->currentIndex();
}

Page& MainWindow::page(int mode) const {
    return *m_pages.at(static_cast<std::size_t>(mode));
}

void MainWindow::setTheme(widgets::ThemeChoice choice) {
    if (auto* application = qobject_cast<QApplication*>(QApplication::instance())) {
        widgets::applyTheme(*application, choice);
        m_bench.clock.markAllDirty();
    }
}

void MainWindow::showTitle() {
    setWindowTitle(tr("%1[*]").arg(m_bench.document.title()));
    setWindowModified(m_bench.document.isDirty());
}

void MainWindow::resetLayout() {
    m_inspector->setFloating(false);
    addDockWidget(Qt::RightDockWidgetArea, m_inspector);
    m_inspector->show();
    if (!isMaximized() && !isFullScreen()) {
        resize(kStandardSize);
    }
    resizeDocks({m_inspector}, {m_inspector->minimumSizeHint().width()}, Qt::Horizontal);
}

void MainWindow::restoreLayout() {
    const QSettings settings;
    restoreGeometry(settings.value(key("geometry")).toByteArray());
    restoreState(settings.value(key("state")).toByteArray(), kStateVersion);
}

void MainWindow::keepLayout() const {
    QSettings settings;
    settings.setValue(key("geometry"), saveGeometry());
    settings.setValue(key("state"), saveState(kStateVersion));
}

void MainWindow::showEvent(QShowEvent* event) {
    QMainWindow::showEvent(event);
    if (!m_restored) {
        m_restored = true;
        if (m_layout == Layout::kKept) {
            restoreLayout();
        }
        m_bench.clock.start();
    }
}

void MainWindow::closeQuietly() {
    m_closing->closeQuietly();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (!m_closing->mayClose()) {
        event->ignore();
        return;
    }
    if (m_layout == Layout::kKept) {
        keepLayout();
    }
    m_bench.clock.stop();
    event->accept();
}

}  // namespace lab::app
