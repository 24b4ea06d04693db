// The real window, without a screen: pages, actions, undo, files, editing, training, closing.
// gui_main.cpp fails a test in which Qt warns.
#include <gtest/gtest.h>

#include <QAction>
#include <QElapsedTimer>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QMessageBox>
#include <QPushButton>
#include <QSet>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>

#include "app/pages/controls.h"
#include "app/pages/run_style.h"
#include "app/start/options.h"
#include "app/start/pictures.h"
#include "app/window/file_flow.h"
#include "app/window/main_window.h"
#include "core/catalog.h"
#include "core/runs.h"
#include "core/values/lab_error.h"
#include "tests/core/training/tiny_spec.h"
#include "widgets/theme.h"
#include "widgets/timeline.h"

namespace lab::app {
namespace {

class Window : public ::testing::Test {
protected:
    Window() { QStandardPaths::setTestModeEnabled(true); }

    /// Until `condition` holds, at most ten seconds; whether it does.
    template <class Condition>
    static bool waitFor(Condition condition) {
        QElapsedTimer time;
        time.start();
        while (!condition() && time.elapsed() < 10'000) {
            letPass(10);
        }
        return condition();
    }

    void showWindow() {
        window.show();
        letPass(50);
    }

    QTemporaryDir folder;
    Workbench bench{folder.filePath(QStringLiteral("store")).toStdString()};
    MainWindow window{bench, MainWindow::Layout::kStandard};
};

bool contains(const QImage& picture, const QColor& colour) {
    for (int y = 0; y < picture.height(); ++y) {
        for (int x = 0; x < picture.width(); ++x) {
            if (picture.pixelColor(x, y) == colour) {
                return true;
            }
        }
    }
    return false;
}

TEST_F(Window, RunIconsAndMutedWordsFollowTheTheme) {
    const QIcon icon = styleIcon(0);
    MutedLabel words(QStringLiteral("words"), &window);
    showWindow();
    for (const auto theme : {ThemeChoice::kDark, ThemeChoice::kLight, ThemeChoice::kDark}) {
        window.setTheme(theme);
        letPass(10);
        const widgets::Theme now = widgets::Theme::of(QGuiApplication::palette());
        EXPECT_TRUE(contains(icon.pixmap(16, 16).toImage(), now.series(0).colour));
        EXPECT_EQ(words.palette().color(QPalette::WindowText), now.mutedText);
    }
}

int colours(const QImage& picture) {
    QSet<QRgb> seen;
    for (int y = 0; y < picture.height(); y += 7) {
        for (int x = 0; x < picture.width(); x += 7) {
            seen.insert(picture.pixel(x, y));
        }
    }
    return static_cast<int>(seen.size());
}

TEST_F(Window, ShowsEveryPageInBothThemes) {
    bench.openPreset(QStringLiteral("first-minute"));
    showWindow();
    for (const auto theme : {ThemeChoice::kDark, ThemeChoice::kLight}) {
        window.setTheme(theme);
        for (int mode = 0; mode < kModeCount; ++mode) {
            window.showMode(mode);
            bench.clock.flush();
            EXPECT_EQ(window.mode(), mode);
            EXPECT_EQ(window.size(), QSize(1280, 800)) << "a page is wider than the window";
            EXPECT_FALSE(window.page(mode).about().isEmpty());
            EXPECT_GT(colours(window.grab().toImage()), 20) << "page " << mode << " is blank";
        }
    }
}

TEST_F(Window, StartsWithATraceOfTheTask) {
    bench.openPreset(QStringLiteral("first-minute"));

    ASSERT_NE(bench.reader.exact(), nullptr);
    EXPECT_EQ(bench.reader.exact()->cupNames.size(), 3U);
    EXPECT_FALSE(bench.reader.problem());
}

TEST_F(Window, NamesEveryActionAndGivesNoShortcutTwice) {
    QSet<QString> shortcuts;
    for (const QAction* action : bench.actions.all()) {
        EXPECT_FALSE(action->text().isEmpty()) << action->objectName().toStdString();
        EXPECT_FALSE(action->statusTip().isEmpty()) << action->objectName().toStdString();
        for (const QKeySequence& keys : action->shortcuts()) {
            EXPECT_FALSE(shortcuts.contains(keys.toString())) << keys.toString().toStdString();
            shortcuts.insert(keys.toString());
        }
    }
    EXPECT_GT(bench.actions.all().size(), 40U);
}

TEST_F(Window, SurvivesEveryActionThatAsksNothing) {
    bench.openPreset(QStringLiteral("first-minute"));
    showWindow();
    const QStringList asking{QStringLiteral("file.open"),      QStringLiteral("file.save"),
                             QStringLiteral("file.saveAs"),    QStringLiteral("file.reopen"),
                             QStringLiteral("file.quit"),      QStringLiteral("help.about"),
                             QStringLiteral("help.shortcuts"), QStringLiteral("train.rate"),
                             QStringLiteral("train.start")};
    for (QAction* action : bench.actions.all()) {
        if (!asking.contains(action->objectName())) {
            action->trigger();
            bench.clock.flush();
        }
    }
    EXPECT_TRUE(bench.document.problems().empty());
}

TEST_F(Window, UndoesEditsToTheSpecFromBefore) {
    bench.openPreset(QStringLiteral("first-minute"));
    const values::ExperimentSpec before = bench.document.spec();
    values::ExperimentSpec next = before;
    next.task.variables = 5;
    bench.document.edit(next, QStringLiteral("cups"));
    next.models.pop_back();
    bench.document.edit(next, QStringLiteral("model"));
    EXPECT_TRUE(bench.document.isDirty());

    bench.document.history().undo();
    bench.document.history().undo();

    EXPECT_EQ(bench.document.spec(), before);
    EXPECT_FALSE(bench.document.isDirty());
    bench.document.history().redo();
    EXPECT_EQ(bench.document.spec().task.variables, 5);
    EXPECT_EQ(bench.reader.exact()->cupNames.size(), 5U) << "the trace follows the task";
}

TEST_F(Window, SavesWhatItOpensAgainAndKeepsStrangeKeys) {
    bench.openPreset(QStringLiteral("all-of-s3"));
    const QString path = folder.filePath(QStringLiteral("mine.toml"));
    bench.document.save(path);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::Append));
    file.write("\n[classroom]\nroom = 12\n");
    file.close();

    bench.document.open(path);
    values::ExperimentSpec next = bench.document.spec();
    next.seed = 99;
    bench.document.edit(next, QStringLiteral("seed"));
    EXPECT_TRUE(window.isWindowModified());
    bench.document.save(path);
    bench.document.open(path);

    EXPECT_FALSE(window.isWindowModified());
    EXPECT_EQ(bench.document.spec(), next);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("room = 12"));
}

TEST_F(Window, SaysWhereABadFileIsWrongAndKeepsWhatWasOpen) {
    bench.openPreset(QStringLiteral("first-minute"));
    const values::ExperimentSpec before = bench.document.spec();
    const QString path = folder.filePath(QStringLiteral("bad.toml"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("schema = 1\n[task]\nvariables = 99\n");
    file.close();

    try {
        bench.document.open(path);
        ADD_FAILURE() << "a file with 99 cups was opened";
    } catch (const values::LabError& error) {
        EXPECT_NE(std::string(error.what()).find("bad.toml:3"), std::string::npos) << error.what();
    }
    EXPECT_EQ(bench.document.spec(), before);
}

TEST_F(Window, FollowsEditsOfTheTextAndTellsWhereTheyFail) {
    bench.openPreset(QStringLiteral("first-minute"));
    const QString good =
        QStringLiteral(">>> a = 2\n>>> b = 1\n>>> a, b = b, a\n>>> print('a', a)\na 1\n");
    bench.editTrace(good);
    ASSERT_NE(bench.reader.exact(), nullptr);
    EXPECT_EQ(bench.reader.exact()->events.size(), 4U);

    bench.editTrace(QStringLiteral(">>> a = 2\n>>> a, z = z, a\n"));

    ASSERT_TRUE(bench.reader.problem());
    EXPECT_EQ(bench.reader.problem()->line, 2);
    EXPECT_EQ(bench.reader.exact()->events.size(), 4U) << "the last good trace stays on show";
    bench.traceHistory.undo();
    EXPECT_FALSE(bench.reader.problem());
    EXPECT_EQ(bench.reader.transcript(), good);
}

TEST_F(Window, ShowsWhatAModelBelievesOnceItHasTrained) {
    bench.document.reset(lab::testing::tinySpec());
    showWindow();
    bench.startTraining();
    ASSERT_EQ(bench.runs.runs().size(), 1U);
    const app::Run& run = *bench.runs.runs().front();

    ASSERT_TRUE(waitFor([&run] { return !run.isActive(); }));

    EXPECT_EQ(run.snapshot.state, values::RunState::kFinished);
    EXPECT_EQ(run.curves.curve(QStringLiteral("loss")).value.size(), 40U) << "no point is lost";
    ASSERT_TRUE(waitFor([this] { return bench.reader.reading(0) != nullptr; }));
    const auto reading = bench.reader.reading(0);
    EXPECT_TRUE(reading->modelProblem.empty()) << reading->modelProblem;
    const values::Belief& belief = reading->events.back().model;
    ASSERT_FALSE(belief.empty());
    for (int cup = 0; cup < belief.cups; ++cup) {
        double sum = 0;
        for (int value = 0; value < belief.values; ++value) {
            sum += belief.at(cup, value);
        }
        EXPECT_NEAR(sum, 1.0, 1e-6);
    }
    EXPECT_TRUE(waitFor([&run] { return !run.spacing.empty(); }))
        << "spacing is measured at the end";
}

TEST_F(Window, NamesWhatAModelCannotRead) {
    bench.document.reset(lab::testing::tinySpec());
    showWindow();
    bench.startTraining();
    const app::Run& run = *bench.runs.runs().front();
    ASSERT_TRUE(waitFor([&run] { return !run.isActive(); }));

    bench.editTrace(
        QStringLiteral(">>> a = 1\n>>> h = 2\n>>> a, h = h, a\n>>> print('h', h)\nh 1\n"));

    ASSERT_TRUE(waitFor([this] {
        return bench.reader.reading(0) != nullptr && !bench.reader.reading(0)->modelProblem.empty();
    }));
    EXPECT_NE(bench.reader.reading(0)->modelProblem.find('h'), std::string::npos);
}

TEST_F(Window, StopsWithACheckpointWhenItIsClosedWhileTraining) {
    values::ExperimentSpec spec = lab::testing::tinySpec();
    spec.training.steps = 1'000'000;
    bench.document.reset(spec);
    showWindow();
    bench.startTraining();
    const app::Run& run = *bench.runs.runs().front();
    ASSERT_TRUE(waitFor([&run] { return run.snapshot.step > 3; }));
    bool asked = false;
    QTimer::singleShot(100, &window, [&] {
        auto* box = window.findChild<QMessageBox*>(QStringLiteral("askTraining"));
        ASSERT_NE(box, nullptr);
        asked = true;
        for (QAbstractButton* button : box->buttons()) {
            if (box->buttonRole(button) == QMessageBox::AcceptRole) {
                button->click();
            }
        }
    });

    window.close();
    ASSERT_TRUE(waitFor([this] { return !window.isVisible(); }));

    EXPECT_TRUE(asked);
    ASSERT_TRUE(waitFor([this] {  // the recorder has a thread of its own and ends after the run
        const auto all = listRuns(bench.runs.store());
        return all.size() == 1 && all.front().status == "stopped";
    }));
    const auto recorded = listRuns(bench.runs.store());
    EXPECT_NE(loadModel(recorded.front()), nullptr);
}

TEST_F(Window, ReopensAnEarlierRunWithItsCurvesAndWeights) {
    bench.document.reset(lab::testing::tinySpec());
    showWindow();
    bench.startTraining();
    ASSERT_TRUE(waitFor([this] { return bench.runs.activeCount() == 0; }));
    ASSERT_TRUE(waitFor([this] {
        const auto all = listRuns(bench.runs.store());
        return all.size() == 1 && all.front().status == "finished";
    }));
    const auto record = listRuns(bench.runs.store()).front();

    Workbench later(bench.runs.store());
    later.openRun(record);

    const app::Run& run = *later.runs.runs().front();
    EXPECT_EQ(run.spec, values::onlyModel(lab::testing::tinySpec(), 0));
    EXPECT_EQ(run.curves.curve(QStringLiteral("loss")).value.size(), 40U);
    EXPECT_NE(run.model, nullptr);
}

TEST(Options, RefuseWhatTheyDoNotKnow) {
    const auto refused = [](const QStringList& words) {
        const Parsed parsed = parseOptions(QStringList{QStringLiteral("thimblerig")} + words);
        return parsed.exitCode.value_or(0) == 2 && !parsed.text.isEmpty();
    };
    EXPECT_TRUE(refused({QStringLiteral("--juggle")}));
    EXPECT_TRUE(refused({QStringLiteral("--theme"), QStringLiteral("mauve")}));
    EXPECT_TRUE(refused({QStringLiteral("--quit-after"), QStringLiteral("-3")}));
    EXPECT_TRUE(refused({QStringLiteral("--mode"), QStringLiteral("cooking")}));
    EXPECT_FALSE(refused({QStringLiteral("--mode"), QStringLiteral("training")}));
}

}  // namespace
}  // namespace lab::app
