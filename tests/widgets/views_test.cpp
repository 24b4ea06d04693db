#include <gtest/gtest.h>

#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>

#include "tests/widgets/demonstration.h"
#include "widgets/belief_strip.h"
#include "widgets/plots/metric_plot.h"
#include "widgets/stage/next_token_bars.h"
#include "widgets/stage/shell_stage.h"
#include "widgets/theme.h"
#include "widgets/timeline.h"
#include "widgets/trace_editor.h"
#include "widgets/trace_view.h"

namespace lab::widgets {
namespace {

QString text(const char* latin1) {
    return QString::fromLatin1(latin1);
}

TEST(Timeline, TellsEachChangeOnce) {
    Timeline timeline;
    timeline.setReading(demonstration::trace({.commands = 8, .spacing = 2}));
    const QSignalSpy cursors(&timeline, &Timeline::cursorChanged);
    const QSignalSpy plays(&timeline, &Timeline::playingChanged);
    QTest::keyClick(&timeline, Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(timeline.cursor(), 5);
    QTest::keyClick(&timeline, Qt::Key_Space);
    timeline.advance(0);
    EXPECT_EQ(cursors.count(), 2);
    timeline.advance(30);  // many events in one frame
    EXPECT_EQ(cursors.count(), 3);
    EXPECT_EQ(cursors[2][0].toInt(), 14);
    EXPECT_EQ(plays.count(), 2);
    EXPECT_FALSE(timeline.advance(1));
    QTest::keyClick(&timeline, Qt::Key_Home);
    EXPECT_EQ(timeline.cursor(), -1);
    QTest::keyClick(&timeline, Qt::Key_Plus);
    EXPECT_EQ(timeline.speed(), 2);
}

TEST(Timeline, KeepsItsCursorWhenAModelReadsTheSameTraceAgain) {
    Timeline timeline;
    timeline.setReading(demonstration::trace({.seed = 3}));
    timeline.setCursor(7);
    const QSignalSpy cursors(&timeline, &Timeline::cursorChanged);
    timeline.setReading(demonstration::trace({.withModel = false, .seed = 3}));
    EXPECT_EQ(timeline.cursor(), 7);
    EXPECT_EQ(cursors.count(), 0);
}

TEST(BeliefStrip, PaintsEveryCellInTheColourOfItsProbability) {
    const auto reading = demonstration::trace({.cups = 4, .commands = 10, .spacing = 2});
    BeliefStrip strip;
    strip.setReading(reading);
    strip.setSource(BeliefSource::kWatching);
    ASSERT_EQ(strip.image().size(), QSize(static_cast<int>(reading->events.size()), 16));
    for (int event = 0; event < strip.image().width(); ++event) {
        const auto& belief = reading->events[static_cast<std::size_t>(event)].watching;
        for (int cup = 0; cup < 4; ++cup) {
            for (int value = 0; value < 4; ++value) {
                EXPECT_EQ(strip.image().pixel(event, cup * 4 + value),
                          viridis(belief.at(cup, value)));
            }
        }
    }
}

TEST(BeliefStrip, AsksForTheEventUnderTheMouse) {
    const auto reading = demonstration::trace({.cups = 3, .commands = 10, .spacing = 2});
    BeliefStrip strip;
    strip.resize(600, 160);
    strip.setReading(reading);
    QSignalSpy asked(&strip, &BeliefStrip::cursorRequested);
    QTest::mouseClick(&strip, Qt::LeftButton, {}, QPoint(300, 60));
    QTest::mouseClick(&strip, Qt::LeftButton, {}, QPoint(2, 60));  // among the names
    ASSERT_EQ(asked.count(), 1);
    EXPECT_GT(asked[0][0].toInt(), 3);
    EXPECT_LT(asked[0][0].toInt(), static_cast<int>(reading->events.size()) - 3);
}

TEST(TraceEditor, FindsTokensAndEventsByLineAndColumn) {
    const auto reading = demonstration::trace({.cups = 3, .commands = 8, .spacing = 2});
    TraceEditor editor;
    editor.setReading(reading);
    ASSERT_EQ(editor.toPlainText().toStdString(), reading->transcript);
    for (std::size_t i = 0; i < reading->tokens.size(); ++i) {
        const values::TokenReading& token = reading->tokens[i];
        EXPECT_EQ(editor.tokenAt(token.line, token.column), static_cast<int>(i));
        if (token.text != "\n") {
            const QString line = editor.document()->findBlockByNumber(token.line - 1).text();
            EXPECT_EQ(line.mid(token.column - 1, static_cast<qsizetype>(token.text.size())),
                      QString::fromStdString(token.text));
        }
    }
    for (int event = 0; event < static_cast<int>(reading->events.size()); ++event) {
        EXPECT_EQ(editor.eventAtLine(reading->events[static_cast<std::size_t>(event)].line), event);
    }
    EXPECT_EQ(editor.tokenAt(1, 4), -1);  // the blank after the prompt
    EXPECT_EQ(editor.tokenAt(9999, 1), -1);
}

TEST(TraceView, TellsWhatAPersonTypedAndNothingElse) {
    TraceView view;
    QSignalSpy edits(&view, &TraceView::transcriptEdited);
    const auto reading = demonstration::trace({.commands = 4});
    view.setReading(reading);
    auto* editor = view.findChild<QPlainTextEdit*>();
    editor->moveCursor(QTextCursor::Start);
    QTest::keyClicks(editor, text("x"));
    EXPECT_EQ(edits.count(), 0);  // not while typing
    ASSERT_TRUE(edits.wait(2000));
    EXPECT_EQ(edits[0][0].toString(),
              QLatin1Char('x') + QString::fromStdString(reading->transcript));
    // The same trace read by newer weights must not take the text away.
    view.setReading(demonstration::trace({.commands = 4, .withModel = false}));
    EXPECT_TRUE(view.transcript().startsWith(QLatin1Char('x')));
}

TEST(TraceView, ReplacesOnlyWhatDiffersSoThatTheCaretStays) {
    TraceView view;
    auto first = std::make_shared<values::TraceReading>();
    first->transcript = ">>> a = 1\n>>> b = 2\n>>> a, b = b, a\n";
    auto second = std::make_shared<values::TraceReading>();
    second->transcript = ">>> a = 1\n>>> b = 5\n>>> a, b = b, a\n";
    view.setReading(first);
    auto* editor = view.findChild<QPlainTextEdit*>();
    QTextCursor caret = editor->textCursor();
    caret.setPosition(30);
    editor->setTextCursor(caret);
    view.setReading(second);
    EXPECT_EQ(view.transcript().toStdString(), second->transcript);
    EXPECT_EQ(editor->textCursor().position(), 30);
}

TEST(TraceView, FollowsTheCursorThroughALongTrace) {
    const auto reading = demonstration::trace({.commands = 3000, .spacing = 5});
    TraceView view;
    view.resize(600, 300);
    view.show();
    view.setReading(reading);
    view.setCursor(2500);
    auto* editor = view.findChild<QPlainTextEdit*>();
    const int line = reading->events[2500].line - 1;
    const int top = editor->verticalScrollBar()->value();
    EXPECT_LE(top, line);
    EXPECT_GT(top + 40, line);
}

TEST(NextTokenBars, FindTheTokenThatAnEventIsAbout) {
    const auto reading = demonstration::trace({.commands = 6, .spacing = 2});
    for (int event = 0; event < static_cast<int>(reading->events.size()); ++event) {
        const auto& token =
            reading->tokens[static_cast<std::size_t>(tellingToken(*reading, event))];
        EXPECT_EQ(token.event, event);
        const bool reveal = reading->events[static_cast<std::size_t>(event)].kind ==
                            values::EventReading::Kind::kReveal;
        EXPECT_EQ(token.kind == values::TokenKind::kOutput, reveal);
    }
    EXPECT_EQ(tellingToken(*reading, -1), -1);
}

TEST(ShellStage, AsksForASwapWhenACupIsDraggedOntoAnother) {
    ShellStage stage;
    stage.resize(900, 480);
    stage.setReading(demonstration::trace({.cups = 3}));
    const StageLayout layout(3, QSizeF(900, 480));
    const auto at = [&layout](int cup) { return (layout.foot(cup) - QPointF(0, 20)).toPoint(); };
    QSignalSpy swaps(&stage, &ShellStage::swapRequested);
    QSignalSpy reveals(&stage, &ShellStage::revealRequested);
    QTest::mousePress(&stage, Qt::LeftButton, {}, at(2));
    QTest::mouseMove(&stage, at(0));
    QTest::mouseRelease(&stage, Qt::LeftButton, {}, at(0));
    ASSERT_EQ(swaps.count(), 1);
    EXPECT_EQ(swaps[0], (QList<QVariant>{2, 0}));
    QTest::keyClick(&stage, Qt::Key_2);
    EXPECT_EQ(stage.selectedCup(), 1);
    QTest::keyClick(&stage, Qt::Key_Return);
    ASSERT_EQ(reveals.count(), 1);
    EXPECT_EQ(reveals[0][0].toInt(), 1);
}

TEST(MetricPlot, GivesTheDataInViewWithAColumnForEverySeries) {
    MetricPlot plot({.title = text("Loss"), .yTitle = text("Loss (nats)")});
    plot.resize(500, 300);
    plot.show();
    const int first = plot.addSeries(text("a"), 0);
    const int second = plot.addSeries(text("b, c"), 1);
    plot.append(first, std::vector<MetricPoint>{{1, 0.1, 0.5}, {2, 0.2, 0.25}});
    plot.append(second, std::vector<MetricPoint>{{2, 0.2, 4}, {3, 0.3, NAN}});
    plot.refresh();
    EXPECT_EQ(plot.dataInView(QLatin1Char(',')), text("step,a,\"b, c\"\n1,0.5,\n2,0.25,4\n"));
    plot.setXAxis(XAxis::kCpuSeconds);
    plot.refresh();
    EXPECT_EQ(plot.dataInView(QLatin1Char('\t')),
              text("cpu_seconds\ta\tb, c\n0.1\t0.5\t\n0.2\t0.25\t4\n"));
}

TEST(MetricPlot, StopsFollowingWhenAPersonZoomsAndFollowsAgainWhenAsked) {
    MetricPlot plot({.title = text("Loss"), .yTitle = text("Loss (nats)")});
    plot.resize(500, 300);
    plot.show();
    const int line = plot.addSeries(text("a"), 0);
    plot.append(line, demonstration::lossCurve(1000, 1, 0.1));
    plot.refresh();
    QCoreApplication::processEvents();
    const QSignalSpy changes(&plot, &MetricPlot::followingChanged);
    QWidget* canvas = plot.childAt(250, 150);
    ASSERT_NE(canvas, nullptr);
    QWheelEvent wheel(QPointF(250, 150), canvas->mapToGlobal(QPointF(250, 150)), {}, {0, 240},
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(canvas, &wheel);
    plot.refresh();
    EXPECT_FALSE(plot.following());
    const auto rows = plot.dataInView(QLatin1Char(',')).count(QLatin1Char('\n'));
    EXPECT_LT(rows, 990);
    plot.append(line, std::vector<MetricPoint>{{1000, 3.1, 0.1}});
    plot.refresh();
    EXPECT_EQ(plot.dataInView(QLatin1Char(',')).count(QLatin1Char('\n')), rows);
    plot.showAll();
    plot.refresh();
    EXPECT_EQ(plot.dataInView(QLatin1Char(',')).count(QLatin1Char('\n')), 1002);
    EXPECT_EQ(changes.count(), 2);
}

}  // namespace
}  // namespace lab::widgets
