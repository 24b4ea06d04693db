#include "app/frame/gui_bench.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTextStream>
#include <algorithm>

#include "app/frame/frame_log.h"
#include "app/start/pictures.h"
#include "app/window/main_window.h"
#include "core/catalog.h"
#include "widgets/timeline.h"

namespace lab::app {
namespace {

constexpr double kFrameGoalMs = 25;
constexpr double kSlowdownGoal = 0.02;
constexpr int kPeriodMs = 1000;
constexpr int kWarmUpMs = 2500;
constexpr std::int64_t kForever = 10'000'000;

/// The preset's step, always at its longest stage: every step is the same work.
values::ExperimentSpec steadySpec(int models) {
    values::ExperimentSpec spec = lab::preset("first-minute");
    spec.models.resize(static_cast<std::size_t>(models));
    for (values::ModelSpec& model : spec.models) {
        model.steps = 0;
    }
    spec.training.stages = {spec.training.stages.back()};
    spec.training.steps = kForever;
    spec.training.evaluateEvery = kForever;
    spec.training.checkpointEvery = kForever;
    return spec;
}

std::int64_t stepsOf(Workbench& bench) {
    bench.runs.poll();
    std::int64_t steps = 0;
    for (const Run* run : bench.runs.currentRuns()) {
        steps += run->snapshot.step;
    }
    return steps;
}

/// Steps a second while the event loop runs for a period.
double stepRate(Workbench& bench) {
    QElapsedTimer time;
    const std::int64_t before = stepsOf(bench);
    time.start();
    letPass(kPeriodMs);
    const auto elapsed = static_cast<double>(time.nsecsElapsed()) / 1e9;
    return static_cast<double>(stepsOf(bench) - before) / elapsed;
}

GuiBenchRow measure(MainWindow& window, Workbench& bench, int models, int pairs) {
    bench.document.reset(steadySpec(models));
    bench.startTraining();
    if (!window.timeline().playing()) {
        window.timeline().togglePlaying();
    }
    letPass(kWarmUpMs);
    std::vector<double> frames;
    std::vector<double> lost;
    bool counting = false;
    const auto connection = QObject::connect(&bench.clock, &FrameClock::ticked, &window,
                                             [&frames, &counting](const FrameRecord& frame) {
                                                 if (counting) {
                                                     frames.push_back(frame.intervalMs);
                                                 }
                                             });
    for (int pair = 0; pair < pairs; ++pair) {
        window.showMode(pair % 2 == 0 ? kShellGame : kTraining);
        const auto with = [&] {
            window.show();
            bench.clock.start();
            letPass(200);  // showing is not part of it
            counting = true;
            const double rate = stepRate(bench);
            counting = false;
            bench.clock.stop();
            return rate;
        };
        const auto without = [&] {
            bench.clock.stop();
            window.hide();
            letPass(200);
            return stepRate(bench);
        };
        const bool windowFirst = pair / 2 % 2 == 0;  // A B B A
        const double first = windowFirst ? with() : without();
        const double second = windowFirst ? without() : with();
        const double on = windowFirst ? first : second;
        const double off = windowFirst ? second : first;
        lost.push_back(1.0 - on / off);
    }
    QObject::disconnect(connection);
    bench.runs.stopAll();
    bench.runs.waitForEnd(10'000);
    window.show();
    bench.clock.start();
    return {.models = models,
            .frameP50Ms = quantile(frames, 0.50),
            .frameP95Ms = quantile(frames, 0.95),
            .frameP99Ms = quantile(frames, 0.99),
            .slowdown = quantile(lost, 0.50)};
}

/// Judged with one model training; two take both cores of a small machine.
const GuiBenchRow* judged(const GuiBenchReport& report) {
    return report.rows.empty() ? nullptr : &report.rows.front();
}

}  // namespace

bool GuiBenchReport::pass() const {
    const GuiBenchRow* row = judged(*this);
    return row != nullptr && row->frameP95Ms <= kFrameGoalMs && row->slowdown <= kSlowdownGoal;
}

GuiBenchReport benchGui(MainWindow& window, Workbench& bench, double seconds) {
    const double perPair = 2.0 * (kPeriodMs + 200) / 1000.0;
    const int pairs = std::max(4, static_cast<int>(seconds / 2 / perPair));
    GuiBenchReport report;
    for (int models = 1; models <= 2; ++models) {
        report.rows.push_back(measure(window, bench, models, pairs));
    }
    return report;
}

QString textOf(const GuiBenchReport& report, bool json) {
    const GuiBenchRow* row = judged(report);
    const bool even = row != nullptr && row->frameP95Ms <= kFrameGoalMs;
    const bool light = row != nullptr && row->slowdown <= kSlowdownGoal;
    if (json) {
        QJsonArray rows;
        for (const GuiBenchRow& each : report.rows) {
            rows.append(QJsonObject{{QStringLiteral("models"), each.models},
                                    {QStringLiteral("frame_p50_ms"), each.frameP50Ms},
                                    {QStringLiteral("frame_p95_ms"), each.frameP95Ms},
                                    {QStringLiteral("frame_p99_ms"), each.frameP99Ms},
                                    {QStringLiteral("slowdown"), each.slowdown}});
        }
        const auto goal = [](const QString& text, const QString& measured, bool met) {
            return QJsonObject{{QStringLiteral("goal"), text},
                               {QStringLiteral("measured"), measured},
                               {QStringLiteral("met"), met}};
        };
        const double p95 = row == nullptr ? 0 : row->frameP95Ms;
        const double slowdown = row == nullptr ? 0 : row->slowdown;
        const QJsonObject whole{
            {QStringLiteral("bench"), QStringLiteral("gui")},
            {QStringLiteral("goals"),
             QJsonArray{goal(QStringLiteral("frame p95 at most 25 ms while one model trains"),
                             QString::number(p95, 'f', 1), even),
                        goal(QStringLiteral("training slowed by at most 2 %"),
                             QString::number(slowdown, 'f', 4), light)}},
            {QStringLiteral("rows"), rows},
            {QStringLiteral("pass"), report.pass()}};
        return QString::fromUtf8(QJsonDocument(whole).toJson(QJsonDocument::Compact)) +
               QLatin1Char('\n');
    }
    QString text;
    QTextStream out(&text);
    out << "gui\n\nmodels  frame_p50_ms  frame_p95_ms  frame_p99_ms  slowdown\n";
    for (const GuiBenchRow& each : report.rows) {
        out << QStringLiteral("%1  %2  %3  %4  %5\n")
                   .arg(each.models, -6)
                   .arg(each.frameP50Ms, -12, 'f', 1)
                   .arg(each.frameP95Ms, -12, 'f', 1)
                   .arg(each.frameP99Ms, -12, 'f', 1)
                   .arg(each.slowdown, 0, 'f', 4);
    }
    out << '\n'
        << (even ? "met     " : "missed  ") << "frame p95 at most 25 ms while one model trains\n"
        << (light ? "met     " : "missed  ") << "training slowed by at most 2 %\n";
    return text;
}

}  // namespace lab::app
