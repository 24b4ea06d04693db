#include "app/window/menus.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QSettings>
#include <QStyle>

#include "app/dialogs/help_dialogs.h"
#include "app/window/file_flow.h"
#include "app/window/inspector.h"
#include "app/window/main_window.h"
#include "core/catalog.h"
#include "widgets/plots/metric_plot.h"
#include "widgets/timeline.h"

namespace lab::app {
namespace {

using widgets::ThemeChoice;
using widgets::Timeline;

QString id(const char* name) {
    return QString::fromLatin1(name);
}

QKeySequence keys(const char* text) {
    return QKeySequence(QString::fromLatin1(text), QKeySequence::PortableText);
}

QString utf8(const std::string& text) {
    return QString::fromStdString(text);
}

}  // namespace

Menus::Menus(MainWindow& window, Workbench& bench, FileFlow& files)
    : QObject(&window), m_window(window), m_bench(bench), m_files(files) {
    addFile();
    addEdit();
    addTrace();
    addTrain();
    addView();
    addHelp();
    // Shortcuts must work when a menu bar is hidden, so the window holds the actions as well.
    for (QAction* action : m_bench.actions.all()) {
        m_window.addAction(action);
    }
    showWhatIsPossible();
    const auto update = [this] { showWhatIsPossible(); };
    connect(&m_bench.runs, &RunController::listChanged, this, update);
    connect(&m_bench.runs, &RunController::stateChanged, this, update);
    connect(&m_bench.runs, &RunController::modelArrived, this, update);
    connect(&m_bench, &Workbench::chosenRunChanged, this, update);
    connect(&m_bench.document, &ExperimentDocument::specChanged, this, update);
    connect(&m_window, &MainWindow::modeChanged, this, update);
}

void Menus::addFile() {
    Actions& actions = m_bench.actions;
    QMenu* menu = m_window.menuBar()->addMenu(tr("&File"));
    QMenu* presets = menu->addMenu(tr("&New from preset"));
    for (const values::PresetRow& preset : lab::presets()) {
        const QString key = utf8(preset.key);
        presets->addAction(actions.add(
            {QStringLiteral("file.preset.") + key, utf8(preset.title), utf8(preset.note), {}},
            [this, key] { m_files.newFromPreset(key); }));
    }
    menu->addAction(actions.add(
        {id("file.open"), tr("&Open..."), tr("Open an experiment file"), {QKeySequence::Open}},
        [this] { m_files.open(); }));
    QMenu* recent = menu->addMenu(tr("Open &recent"));
    connect(&m_files, &FileFlow::recentChanged, this, [this, recent] { addRecent(*recent); });
    addRecent(*recent);
    menu->addSeparator();
    menu->addAction(
        actions.add({id("file.save"), tr("&Save"), tr("Save the experiment"), {QKeySequence::Save}},
                    [this] { m_files.save(); }));
    menu->addAction(actions.add({id("file.saveAs"),
                                 tr("Save &as..."),
                                 tr("Save the experiment under another name"),
                                 {keys("Ctrl+Shift+S")}},
                                [this] { m_files.saveAs(); }));
    menu->addSeparator();
    menu->addAction(actions.add({id("file.reopen"),
                                 tr("Reopen r&un..."),
                                 tr("Open an earlier run with its curves and its last checkpoint"),
                                 {keys("Ctrl+R")}},
                                [this] { m_files.reopenRun(); }));
    menu->addSeparator();
    menu->addAction(actions.add({id("file.quit"),
                                 tr("&Quit"),
                                 tr("Close the window; asks when models train"),
                                 {keys("Ctrl+Q")}},
                                [this] { m_window.close(); }));
}

void Menus::addRecent(QMenu& menu) {
    menu.clear();
    for (const QString& path : FileFlow::recentFiles()) {
        menu.addAction(path, this, [this, path] {
            m_bench.actions.guarded([this, path] {
                if (m_files.mayLoseChanges()) {
                    m_files.openFile(path);
                }
            });
        });
    }
    menu.setEnabled(!menu.isEmpty());
}

void Menus::addEdit() {
    Actions& actions = m_bench.actions;
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Edit"));
    const auto history = [this]() -> QUndoStack& {
        const bool onTrace = m_window.mode() == kShellGame || m_window.mode() == kTrace;
        return onTrace ? m_bench.traceHistory : m_bench.document.history();
    };
    QAction* undo = actions.add(
        {id("edit.undo"), tr("&Undo"), tr("Take back the last change"), {QKeySequence::Undo}},
        [history] { history().undo(); });
    QAction* redo = actions.add({id("edit.redo"),
                                 tr("&Redo"),
                                 tr("Do the change again"),
                                 {keys("Ctrl+Shift+Z"), keys("Ctrl+Y")}},
                                [history] { history().redo(); });
    menu->addAction(undo);
    menu->addAction(redo);
    const auto update = [undo, redo, history] {
        const QUndoStack& now = history();
        undo->setEnabled(now.canUndo());
        redo->setEnabled(now.canRedo());
        undo->setText(now.canUndo() ? tr("&Undo: %1").arg(now.undoText()) : tr("&Undo"));
        redo->setText(now.canRedo() ? tr("&Redo: %1").arg(now.redoText()) : tr("&Redo"));
    };
    connect(&m_bench.document.history(), &QUndoStack::indexChanged, this, update);
    connect(&m_bench.traceHistory, &QUndoStack::indexChanged, this, update);
    connect(&m_window, &MainWindow::modeChanged, this, update);
    update();
    menu->addSeparator();
    menu->addAction(actions.add({id("edit.copy"),
                                 tr("&Copy"),
                                 tr("Copy the plot or text that has the focus"),
                                 {QKeySequence::Copy}},
                                [this] { copy(); }));
}

void Menus::copy() {
    QWidget* focus = QApplication::focusWidget();
    for (QWidget* at = focus; at != nullptr; at = at->parentWidget()) {
        if (auto* plot = qobject_cast<widgets::MetricPlot*>(at)) {
            plot->copyData();
            return;
        }
        if (auto* text = qobject_cast<QPlainTextEdit*>(at);
            text != nullptr && text->textCursor().hasSelection()) {
            text->copy();
            return;
        }
    }
    const QString text = m_window.page(m_window.mode()).copyText();
    if (!text.isEmpty()) {
        QApplication::clipboard()->setText(text);
        emit m_bench.notice(tr("Copied."));
    }
}

void Menus::addCursorMoves(QMenu& menu) {
    struct Move {
        const char* name;
        QString text, tip;
        QKeySequence keys;
        void (Timeline::*slot)();
    };
    const std::vector<Move> moves{
        {"trace.play", tr("&Play or pause"), tr("Let the trace run by itself"), keys("Space"),
         &Timeline::togglePlaying},
        {"trace.next", tr("&Next event"), tr("One event forward"), keys("Right"), &Timeline::next},
        {"trace.previous", tr("Pre&vious event"), tr("One event back"), keys("Left"),
         &Timeline::previous},
        {"trace.nextReveal", tr("Next &reveal"), tr("To the next print"), keys("Shift+Right"),
         &Timeline::nextReveal},
        {"trace.previousReveal", tr("Previous reveal"), tr("To the print before"),
         keys("Shift+Left"), &Timeline::previousReveal},
        {"trace.nextMistake", tr("Next &mistake"), tr("To the next print that the model got wrong"),
         keys("Ctrl+Right"), &Timeline::nextMistake},
        {"trace.previousMistake", tr("Previous mistake"),
         tr("To the last print before that the model got wrong"), keys("Ctrl+Left"),
         &Timeline::previousMistake},
        {"trace.start", tr("To the &start"), tr("Before the first event"), keys("Home"),
         &Timeline::first},
        {"trace.end", tr("To the &end"), tr("To the last event"), keys("End"), &Timeline::last},
        {"trace.faster", tr("&Faster"), tr("Play twice as fast"), keys("+"), &Timeline::faster},
        {"trace.slower", tr("S&lower"), tr("Play half as fast"), keys("-"), &Timeline::slower},
    };
    for (const Move& move : moves) {
        menu.addAction(
            m_bench.actions.add({id(move.name), move.text, move.tip, {move.keys}},
                                [this, slot = move.slot] { (m_window.timeline().*slot)(); }));
    }
}

void Menus::addTrace() {
    Actions& actions = m_bench.actions;
    QMenu* menu = m_window.menuBar()->addMenu(tr("T&race"));
    menu->addAction(actions.add(
        {id("trace.new"), tr("New &trace"), tr("Draw another trace of the task"), {keys("Ctrl+G")}},
        [this] { m_bench.nextTrace(); }));
    menu->addAction(actions.add({id("trace.paste"),
                                 tr("&Paste transcript"),
                                 tr("Use the Python session in the clipboard as the trace"),
                                 {keys("Ctrl+Shift+V")}},
                                [this] {
                                    m_bench.editTrace(QApplication::clipboard()->text());
                                    m_window.showMode(kTrace);
                                }));
    menu->addSeparator();
    addCursorMoves(*menu);
    menu->addSeparator();
    menu->addAction(actions.addSwitch({id("trace.repeat"),
                                       tr("Repeat when over"),
                                       tr("Begin the trace again after its last event"),
                                       {}},
                                      true, [](bool) {}));
    menu->addAction(actions.addSwitch({id("trace.truth"),
                                       tr("Show what is under the &cups"),
                                       tr("Lift the secret: draw the contents through the cups"),
                                       {keys("Ctrl+H")}},
                                      false, [](bool) {}));
    menu->addAction(actions.addSwitch(
        {id("trace.watcher"),
         tr("Belief of a &watcher"),
         tr("Exact belief of one who did not see the first values, only commands and prints"),
         {keys("Ctrl+Shift+H")}},
        false, [](bool) {}));
}

void Menus::addTrain() {
    Actions& actions = m_bench.actions;
    QMenu* menu = m_window.menuBar()->addMenu(tr("Trai&n"));
    RunController& runs = m_bench.runs;
    menu->addAction(actions.add({id("train.start"),
                                 tr("&Start training"),
                                 tr("Train every model of the experiment, side by side"),
                                 {keys("F5")}},
                                [this] { m_bench.startTraining(); }));
    menu->addAction(
        actions.add({id("train.pause"),
                     tr("&Pause or resume"),
                     tr("Hold training at the next step, or go on"),
                     {keys("F6")}},
                    [&runs] { runs.allPaused() ? runs.resumeAll() : runs.pauseAll(); }));
    menu->addAction(actions.add(
        {id("train.step"), tr("&One step"), tr("Train a single step, then pause"), {keys("F10")}},
        [&runs] { runs.stepAll(); }));
    menu->addAction(actions.add({id("train.stop"),
                                 tr("S&top"),
                                 tr("Stop training at the next step, with a checkpoint"),
                                 {keys("Shift+F5")}},
                                [&runs] { runs.stopAll(); }));
    menu->addSeparator();
    menu->addAction(actions.add({id("train.rate"),
                                 tr("Change &learning rate..."),
                                 tr("A new peak rate from the next step on; marked on the plots"),
                                 {}},
                                [this] { askLearningRate(); }));
    menu->addAction(actions.add({id("train.checkpoint"),
                                 tr("&Checkpoint now"),
                                 tr("Write the weights at the next step"),
                                 {}},
                                [&runs] { runs.checkpointAll(); }));
    menu->addAction(actions.add({id("train.resume"),
                                 tr("&Go on with the chosen run"),
                                 tr("Resume the chosen run from its last checkpoint"),
                                 {}},
                                [this] { m_bench.resumeTraining(m_bench.chosenRun()); }));
    menu->addSeparator();
    menu->addAction(actions.add({id("train.measure"),
                                 tr("&Measure accuracy over spacing"),
                                 tr("Evaluate the chosen run's newest weights at growing spacing"),
                                 {keys("Ctrl+M")}},
                                [this] { m_bench.measureSpacing(m_bench.chosenRun()); }));
    menu->addAction(actions.add({id("train.remove"),
                                 tr("&Remove the chosen run from the window"),
                                 tr("It stays in the store and can be reopened"),
                                 {}},
                                [this] { m_bench.runs.remove(m_bench.chosenRun()); }));
}

void Menus::askLearningRate() {
    const Run* run = m_bench.runs.find(m_bench.chosenRun());
    const double now =
        run == nullptr ? m_bench.document.spec().training.learningRate : run->peakRate;
    bool good = false;
    const double rate = QInputDialog::getDouble(
        &m_window, tr("Change learning rate"),
        tr("New peak of every model that trains.\nThe shape of the schedule stays."), now, 1e-6,
        1.0, 6, &good);
    if (good) {
        m_bench.runs.setLearningRate(rate);
    }
}

void Menus::addView() {
    Actions& actions = m_bench.actions;
    QMenu* menu = m_window.menuBar()->addMenu(tr("&View"));
    const std::vector<ModeRow> rows = modeRows();
    for (int mode = 0; mode < kModeCount; ++mode) {
        const ModeRow& row = rows[static_cast<std::size_t>(mode)];
        menu->addAction(
            actions.add({QStringLiteral("view.mode.%1").arg(mode + 1),
                         QStringLiteral("&%1 %2").arg(mode + 1).arg(row.title),
                         row.help,
                         {QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + mode))}},
                        [this, mode] { m_window.showMode(mode); }));
    }
    menu->addSeparator();
    addThemes(*menu->addMenu(tr("&Theme")));
    QAction* inspector =
        actions.addSwitch({id("view.inspector"),
                           tr("&Inspector"),
                           tr("Show what the page is for, and the facts"),
                           {keys("F9")}},
                          true, [this](bool on) { m_window.inspector().setVisible(on); });
    // The dock speaks for the last time when the window is half gone: ask the dock, not the window.
    QDockWidget* const dock = &m_window.inspector();
    connect(dock, &QDockWidget::visibilityChanged, inspector,
            [dock, inspector] { inspector->setChecked(!dock->isHidden()); });
    menu->addAction(inspector);
    menu->addAction(actions.add(
        {id("view.reset"), tr("&Reset layout"), tr("Docks and size as at the first start"), {}},
        [this] { m_window.resetLayout(); }));
}

void Menus::addThemes(QMenu& menu) {
    auto* group = new QActionGroup(this);
    struct Row {
        const char* name;
        QString text, tip;
        ThemeChoice choice;
    };
    const std::vector<Row> rows{
        {"view.theme.system", tr("As the &desktop"), tr("Follow the desktop's colours"),
         ThemeChoice::kSystem},
        {"view.theme.light", tr("&Light"), tr("Dark text on a light ground"), ThemeChoice::kLight},
        {"view.theme.dark", tr("&Dark"), tr("Light text on a dark ground"), ThemeChoice::kDark}};
    const int kept = QSettings().value(QStringLiteral("view/theme"), 0).toInt();
    for (const Row& row : rows) {
        const int number = static_cast<int>(row.choice);
        QAction* action = m_bench.actions.add(
            {id(row.name), row.text, row.tip, {}}, [this, choice = row.choice, number] {
                m_window.setTheme(choice);
                QSettings().setValue(QStringLiteral("view/theme"), number);
            });
        action->setCheckable(true);
        action->setChecked(number == kept);
        group->addAction(action);
        menu.addAction(action);
    }
}

void Menus::addHelp() {
    Actions& actions = m_bench.actions;
    QMenu* menu = m_window.menuBar()->addMenu(tr("&Help"));
    menu->addAction(actions.add(
        {id("help.shortcuts"), tr("&Shortcuts"), tr("Every action with its keys"), {keys("F1")}},
        [this] { showShortcuts(m_bench.actions, m_window); }));
    menu->addAction(actions.add({id("help.about"),
                                 tr("&About Thimblerig"),
                                 tr("Version, licences, and what this machine and build have"),
                                 {}},
                                [this] { showAbout(m_window); }));
}

void Menus::showWhatIsPossible() {
    const Actions& actions = m_bench.actions;
    const RunController& runs = m_bench.runs;
    const bool training = runs.activeCount() > 0;
    const Run* chosen = runs.find(m_bench.chosenRun());
    const auto enable = [&actions](const char* name, bool on) {
        actions[id(name)]->setEnabled(on);
    };
    enable("train.start", !training && m_bench.document.problems().empty());
    enable("train.pause", training);
    enable("train.step", training && runs.allPaused());
    enable("train.stop", training);
    enable("train.rate", training);
    enable("train.checkpoint", training && !runs.store().empty());
    enable("train.resume", chosen != nullptr && !chosen->isActive() &&
                               !chosen->recordId.isEmpty() &&
                               chosen->snapshot.step < chosen->snapshot.steps);
    enable("train.measure", chosen != nullptr && chosen->model != nullptr);
    enable("train.remove", chosen != nullptr && !chosen->isActive());
    enable("trace.new", m_bench.taskHasCups() && m_bench.document.problems().empty());
    actions[id("train.pause")]->setText(runs.allPaused() ? tr("&Resume") : tr("&Pause"));
}

}  // namespace lab::app
