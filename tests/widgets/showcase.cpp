#include "tests/widgets/showcase.h"

#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

#include "tests/widgets/demonstration.h"
#include "widgets/belief_strip.h"
#include "widgets/forms/eigenvalue_picture.h"
#include "widgets/forms/facts_table.h"
#include "widgets/forms/form.h"
#include "widgets/forms/problem_list.h"
#include "widgets/mode_bar.h"
#include "widgets/models/run_table_model.h"
#include "widgets/plots/accuracy_plots.h"
#include "widgets/plots/metric_plot.h"
#include "widgets/run_cards.h"
#include "widgets/stage/next_token_bars.h"
#include "widgets/stage/shell_stage.h"
#include "widgets/state_panel.h"
#include "widgets/timeline.h"
#include "widgets/token_details.h"
#include "widgets/trace_view.h"

namespace lab::widgets::demonstration {
namespace {

using Made = std::unique_ptr<QWidget>;

QString text(const char* latin1) {
    return QString::fromLatin1(latin1);
}

Made stage(TraceSetting setting, StageMoment moment, StageOptions options) {
    auto made = std::make_unique<ShellStage>();
    made->setReading(trace(setting));
    made->setOptions(options);
    made->setMoment(moment);
    return made;
}

// The first event from `from` on of a kind.
int eventOf(const values::TraceReading& reading, values::EventReading::Kind kind, int from) {
    for (int i = from; i < static_cast<int>(reading.events.size()); ++i) {
        if (reading.events[static_cast<std::size_t>(i)].kind == kind) {
            return i;
        }
    }
    return -1;
}

Made game() {
    auto made = std::make_unique<QWidget>();
    const auto reading = trace({.cups = 3, .commands = 40, .spacing = 4});
    const int event = eventOf(*reading, values::EventReading::Kind::kReveal, 9);
    auto* grid = new QGridLayout(made.get());
    auto* cups = new ShellStage;
    cups->setReading(reading);
    cups->setOptions({.truthShown = true, .exact = BeliefSource::kWatching});
    cups->setMoment({event, 1});
    auto* bars = new NextTokenBars;
    bars->setToken(*reading, tellingToken(*reading, event));
    auto* strip = new BeliefStrip;
    strip->setReading(reading);
    strip->setSource(BeliefSource::kWatching);
    strip->setCursor(event);
    auto* line = new Timeline;
    line->setReading(reading);
    line->setCursor(event);
    grid->addWidget(cups, 0, 0);
    grid->addWidget(bars, 0, 1);
    grid->addWidget(strip, 1, 0, 1, 2);
    grid->addWidget(line, 2, 0, 1, 2);
    grid->setRowStretch(0, 3);
    grid->setRowStretch(1, 1);
    grid->setColumnStretch(0, 1);
    return made;
}

Made traceView(bool broken) {
    auto made = std::make_unique<QWidget>();
    auto* row = new QGridLayout(made.get());
    const auto reading = trace({.cups = 3, .commands = 24, .spacing = 2});
    auto* view = new TraceView;
    view->setReading(reading);
    view->setCursor(eventOf(*reading, values::EventReading::Kind::kReveal, 4));
    if (broken) {
        view->setProblem(values::TranscriptProblem{
            6, 8, "name 'd' is not defined: the trace has the names a, b, c"});
    }
    auto* details = new TokenDetails;
    details->setToken(*reading, tellingToken(*reading, 5));
    row->addWidget(view, 0, 0);
    row->addWidget(details, 0, 1);
    row->setColumnStretch(0, 3);
    row->setColumnStretch(1, 1);
    return made;
}

Made lossPlot(double smoothing, bool logarithmic, int points) {
    auto made =
        std::make_unique<MetricPlot>(MetricPlotSetup{.title = text("Loss"),
                                                     .yTitle = text("Loss (nats per token)"),
                                                     .logarithmic = logarithmic});
    const char* names[] = {"DeltaNet [-1,1], all", "DeltaNet [-1,1], printed values",
                           "DeltaNet [0,1], all", "DeltaNet [0,1], printed values"};
    for (int i = 0; i < 4; ++i) {
        const int line = made->addSeries(text(names[i]), i / 2, i % 2);
        made->append(line, lossCurve(points, static_cast<unsigned>(i + 1), 0.02 + 0.3 * (i / 2)));
    }
    made->setSmoothing(smoothing);
    made->addEventMark({points * 0.22, points * 0.22 * 0.0031, text("stage (8, 1)"), 0});
    made->addEventMark({points * 0.6, points * 0.6 * 0.0031, text("saved"), 0});
    made->show();
    made->refresh();
    return made;
}

Made accuracyPlot() {
    auto made = std::make_unique<MetricPlot>(MetricPlotSetup{
        .title = text("Accuracy"), .yTitle = text("Value accuracy"), .yFrom = 0, .yTo = 1.05});
    for (int run = 0; run < 3; ++run) {
        const int line = made->addSeries(accuracies()[static_cast<std::size_t>(run)].name, run);
        std::vector<MetricPoint> points;
        for (int i = 0; i <= 20; ++i) {
            const double rise = 1 - 0.66 * std::exp(-0.35 * i / (run + 1));
            points.push_back({i * 100.0, i * 0.31, rise - 0.08 * run});
        }
        made->append(line, points);
    }
    made->setReferenceLines({{1.0 / 3, text("chance")},
                             {0.55, text("no memory of swaps")},
                             {0.58, text("one print remembered")}});
    made->show();
    made->refresh();
    return made;
}

template <class Plot>
Made lengthPlot() {
    auto made = std::make_unique<Plot>();
    made->setRuns(accuracies());
    made->setReferenceLines({{1.0 / 3, text("chance")}});
    made->setTrainedLength({32, 8});
    made->show();
    made->refresh();
    return made;
}

Made form() {
    auto made = std::make_unique<QWidget>();
    auto* row = new QGridLayout(made.get());
    auto* fields = new Form;
    fields->addSection(text("Memory"), text("What the model carries from token to token."));
    fields->add(
        new SwitchField({text("models[0].negative_eigenvalues"), text("Eigenvalue range"), {}, {}},
                        {text("[0, 1]"), QStringLiteral("[−1, 1]")}, 1));
    fields
        ->add(new IntegerField({text("models[0].householders"),
                                text("Steps per token n_h"),
                                {},
                                text("1 for swaps, 2 for any permutation of five")},
                               1, 4, 1))
        ->setValue(2);
    fields->add(new IntegerField({text("models[0].width"), text("Width"), text("numbers"), {}}, 4,
                                 2048, 64));
    fields->add(new IntegerField({text("models[0].heads"), text("Heads"), {}, {}}, 1, 64, 4))
        ->setValue(5);
    fields->add(new CheckField({text("models[0].gate"), text("Decay gate"), {}, {}}, false));
    fields->addSection(text("Training"));
    fields
        ->add(new NumberField({text("training.learning_rate"), text("Learning rate"), {}, {}}, 0, 1,
                              1e-2))
        ->setValue(3e-4);
    fields->add(new ChoiceField({text("task.commands"), text("Commands"), {}, {}},
                                {text("swaps"), text("permutations")},
                                {text("swaps of two"), text("full permutations")}, text("swaps")));
    fields->add(new TextField({text("name"), text("Name"), {}, {}}, text("first-minute")));
    fields->add(new LengthListField({text("training.stages"), text("Stages"), {}, {}},
                                    {{4, 1}, {8, 1}, {16, 2}, {32, 4}}));
    const std::vector<values::Problem> problems{
        {"models[0].heads", "is 5, must divide the width 64"},
        {"training.stages[2].spacing", "is 0, must be between 1 and 16"}};
    fields->setProblems(problems);
    auto* scroll = new QScrollArea;
    scroll->setWidget(fields);
    scroll->setWidgetResizable(true);
    auto* picture = new EigenvaluePicture;
    auto* facts = new FactsTable;
    facts->setFacts({{text("States"), text("6"), {}},
                     {text("Parameters"), text("31 552"), {}},
                     {text("FLOP per token"), text("70.4 k, forward"), {}},
                     {text("Chance"), text("33.3 %"), {}}});
    auto* list = new ProblemList;
    list->setProblems(problems);
    row->addWidget(scroll, 0, 0, 3, 1);
    row->addWidget(picture, 0, 1);
    row->addWidget(facts, 1, 1);
    row->addWidget(list, 2, 1);
    row->setColumnStretch(0, 3);
    row->setColumnStretch(1, 2);
    return made;
}

Made eigenvalues() {
    auto made = std::make_unique<QWidget>();
    auto* row = new QGridLayout(made.get());
    const EigenvalueSetting settings[] = {{1, 1}, {2, 1}, {1, 3}, {2, 2}};
    for (int i = 0; i < 4; ++i) {
        auto* picture = new EigenvaluePicture;
        picture->setSetting(settings[i]);
        row->addWidget(picture, i / 2, i % 2);
    }
    return made;
}

Made frame() {
    auto made = std::make_unique<QWidget>();
    auto* row = new QHBoxLayout(made.get());
    row->setContentsMargins(0, 0, 0, 0);
    auto* bar = new ModeBar;
    const char* modes[][2] = {{"shell", "Shell game"},  {"trace", "Trace"},
                              {"task", "Task"},         {"architecture", "Architecture"},
                              {"training", "Training"}, {"runs", "Runs"}};
    for (const auto& mode : modes) {
        bar->addMode(text(mode[0]), text(mode[1]), text(mode[1]));
    }
    bar->addTool(text("theme"), text("Theme"), text("Light or dark"));
    bar->setCurrent(0);
    auto* column = new QVBoxLayout;
    auto* runs = new RunCards;
    runs->setCards(cards());
    column->addWidget(runs);
    auto* table = new QTableView;
    auto* model = new RunTableModel(table);
    model->setRuns(records(8));
    table->setModel(model);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setAlternatingRowColors(true);
    table->verticalHeader()->hide();
    table->resizeColumnsToContents();
    column->addWidget(table);
    row->addWidget(bar);
    row->addLayout(column, 1);
    return made;
}

Made panels() {
    auto made = std::make_unique<QWidget>();
    auto* grid = new QGridLayout(made.get());
    for (int i = 0; i < 4; ++i) {
        auto* view = new QWidget;
        auto* panel = new StatePanel(view);
        switch (i) {
            case 0:
                panel->showEmpty(text("No model yet. The exact filter plays alone."),
                                 text("Train the first model"));
                break;
            case 1: panel->showWorking(text("Reading the trace with the model"), 0.4); break;
            case 2:
                panel->showStale(text("The trace has changed since this was computed."),
                                 text("Compute again"));
                break;
            default:
                panel->showError(text("The run cannot be opened."),
                                 text("run 01J104: checkpoint missing"), text("Choose another"));
        }
        grid->addWidget(view, i / 2, i % 2);
    }
    return made;
}

}  // namespace

std::vector<Exhibit> exhibits() {
    using Kind = values::EventReading::Kind;
    const TraceSetting three{.cups = 3, .commands = 40, .spacing = 4};
    const TraceSetting five{.cups = 5, .commands = 40, .spacing = 4, .fullPermutations = true};
    const TraceSetting eight{.cups = 8, .commands = 20, .spacing = 2};
    const int swap = eventOf(*trace(three), Kind::kPermute, 9);
    const int print = eventOf(*trace(three), Kind::kReveal, 9);
    const int cycle = eventOf(*trace(five), Kind::kPermute, 12);
    const StageOptions hidden{.exact = BeliefSource::kWatching};
    const StageOptions shown{.truthShown = true};
    return {
        {text("stage_rest"),
         {1000, 520},
         [=] {
             return stage(three, {swap, 1}, hidden);
         }},
        {text("stage_swap"),
         {1000, 520},
         [=] {
             return stage(three, {swap, 0.5}, hidden);
         }},
        {text("stage_reveal"),
         {1000, 520},
         [=] {
             return stage(three, {print, 1}, hidden);
         }},
        {text("stage_truth"),
         {1000, 520},
         [=] {
             return stage(three, {swap, 0.45}, shown);
         }},
        {text("stage_five"),
         {1280, 600},
         [=] {
             return stage(five, {cycle, 0.45}, hidden);
         }},
        {text("stage_eight"),
         {1280, 640},
         [=] {
             return stage(eight, {13, 1}, shown);
         }},
        {text("stage_small"),
         {500, 300},
         [=] {
             return stage(three, {print, 1}, shown);
         }},
        {text("stage_full"),
         {1920, 1080},
         [=] {
             return stage(five, {cycle, 1}, shown);
         }},
        {text("game"), {1180, 760}, game},
        {text("trace"), {980, 560}, [] { return traceView(false); }},
        {text("trace_problem"), {980, 560}, [] { return traceView(true); }},
        {text("plot_loss"), {640, 340}, [] { return lossPlot(0, false, 2000); }},
        {text("plot_loss_log"), {640, 340}, [] { return lossPlot(0.95, true, 20000); }},
        {text("plot_accuracy"), {640, 340}, accuracyPlot},
        {text("plot_length"), {560, 320}, lengthPlot<LengthAccuracyPlot>},
        {text("plot_spacing"), {560, 320}, lengthPlot<SpacingPlot>},
        {text("form"), {1000, 640}, form},
        {text("eigenvalues"), {640, 520}, eigenvalues},
        {text("frame"), {1100, 480}, frame},
        {text("panels"), {800, 420}, panels},
    };
}

}  // namespace lab::widgets::demonstration
