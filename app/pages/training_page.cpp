#include "app/pages/training_page.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QListWidget>
#include <QLocale>
#include <QSlider>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/pages/controls.h"
#include "app/pages/run_style.h"
#include "app/pages/spec_text.h"
#include "core/catalog.h"
#include "widgets/plots/accuracy_plots.h"
#include "widgets/run_cards.h"
#include "widgets/state_panel.h"

namespace lab::app {
namespace {

using widgets::MetricPlot;
using widgets::MetricPlotSetup;

QString id(const char* name) {
    return QString::fromLatin1(name);
}

constexpr int kMostCeilings = 2;  ///< lines of A(n, R) on a plot: R = 1, 2

QString deviceText(const values::TrainingSpec& training) {
    if (training.device == values::Device::kCuda) {
        return TrainingPage::tr("CUDA");
    }
    return training.threads == 1 ? TrainingPage::tr("CPU, one thread")
                                 : TrainingPage::tr("CPU, %1 threads").arg(training.threads);
}

/// A titled cell of the grid.
QWidget* cell(const QString& title, QWidget* plot, QWidget* parent) {
    auto* box = new QWidget(parent);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(sectionTitle(title, box));
    column->addWidget(plot, 1);
    return box;
}

}  // namespace

TrainingPage::TrainingPage(Workbench& bench, QWidget* parent)
    : Page(bench, tr("Training"), parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(6);
    auto* body = new QWidget(this);
    m_cards = new widgets::RunCards(body);
    auto* inner = new QVBoxLayout(body);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(m_cards);
    inner->addWidget(buildTabs(), 1);
    column->addWidget(buildHead());
    column->addWidget(body, 1);
    m_state = new widgets::StatePanel(body);
    FrameClock& clock = bench.clock;
    m_cardsView = clock.addView(QStringLiteral("run_cards"), this, ViewRate::kScalars,
                                [this] { showCards(); });
    m_accuracyView = clock.addView(QStringLiteral("accuracy_plots"), this, ViewRate::kTables,
                                   [this] { showAccuracies(); });
    connectBench();
    chooseLoss();
    showRunList();
    showReferences();
    showState();
}

QWidget* TrainingPage::buildHead() {
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    // The menus, which own these actions, are made after the pages.
    QMetaObject::invokeMethod(
        this,
        [this, head, row] {
            int at = 0;
            for (const auto& [name, icon] :
                 {std::pair("train.start", "play"), std::pair("train.pause", "pause"),
                  std::pair("train.step", "step"), std::pair("train.stop", "stop")}) {
                row->insertWidget(at++, actionButton(bench().actions[id(name)], id(icon), head));
            }
        },
        Qt::QueuedConnection);
    row->addStretch(1);
    addControls(*row, head);
    return head;
}

void TrainingPage::addControls(QHBoxLayout& row, QWidget* parent) {
    m_loss = new QComboBox(parent);
    m_loss->setAccessibleName(tr("Loss shown"));
    m_loss->addItems(
        {tr("values and sum"), tr("every kind"), tr("printed values"), tr("weighted sum")});
    connect(m_loss, &QComboBox::activated, this, &TrainingPage::chooseLoss);
    m_axis = new QComboBox(parent);
    m_axis->setAccessibleName(tr("Horizontal axis"));
    m_axis->addItems({tr("steps"), tr("CPU seconds")});
    connect(m_axis, &QComboBox::activated, this, [this](int choice) {
        for (const auto& each : m_plots) {
            each->plot->setXAxis(choice == 0 ? widgets::XAxis::kStep : widgets::XAxis::kCpuSeconds);
        }
        markCurves();
    });
    m_smoothing = new QSlider(Qt::Horizontal, parent);
    m_smoothing->setAccessibleName(tr("Smoothing"));
    m_smoothing->setRange(0, 99);
    m_smoothing->setFixedWidth(70);
    m_smoothing->setToolTip(tr("A smoothed line over the raw points; 0: none"));
    connect(m_smoothing, &QSlider::valueChanged, this, [this](int value) {
        for (const auto& each : m_plots) {
            each->plot->setSmoothing(value / 100.0);
        }
        markCurves();
    });
    const std::pair<QString, QWidget*> controls[] = {
        {tr("Loss of"), m_loss}, {tr("over"), m_axis}, {tr("Smoothing"), m_smoothing}};
    for (const auto& [label, widget] : controls) {
        row.addWidget(new QLabel(label, parent));
        row.addWidget(widget);
    }
}

TrainingPage::Plotted& TrainingPage::addPlot(const QString& name, MetricPlotSetup setup,
                                             QWidget* parent) {
    auto& made = *m_plots.emplace_back(std::make_unique<Plotted>());
    made.plot = new MetricPlot(std::move(setup), parent);
    made.feed = std::make_unique<CurveFeed>(*made.plot);
    made.view = bench().clock.addView(name, made.plot, ViewRate::kPlots, [this, &made] {
        made.feed->update(bench().runs.runs());
        made.plot->refresh();
    });
    return made;
}

QWidget* TrainingPage::buildTabs() {
    m_tabs = new QTabWidget(this);
    m_tabs->setDocumentMode(true);
    auto* learning = new QWidget(m_tabs);
    auto& loss = addPlot(id("loss_plot"),
                         {.title = tr("Loss"), .yTitle = tr("Loss (nats per token)")}, learning);
    m_lossFeed = loss.feed.get();
    auto& value = addPlot(id("value_plot"),
                          {.title = tr("Value accuracy"),
                           .yTitle = tr("Value accuracy, training batch"),
                           .yFrom = 0.0,
                           .yTo = 1.05},
                          learning);
    value.feed->setSeries({{id("accuracy/output"), {}, 0}});
    m_valuePlot = value.plot;
    m_lengths = new widgets::LengthAccuracyPlot(learning);
    m_spacing = new widgets::SpacingPlot(learning);
    auto* grid = new QGridLayout(learning);
    grid->setContentsMargins(0, 6, 0, 0);
    grid->addWidget(cell(tr("Loss by kind of token"), loss.plot, learning), 0, 0);
    grid->addWidget(cell(tr("Accuracy on printed values"), value.plot, learning), 0, 1);
    grid->addWidget(cell(tr("Accuracy by commands and spacing"), m_lengths, learning), 1, 0);
    auto* spacing = cell(tr("Accuracy over spacing"), m_spacing, learning);
    grid->addWidget(spacing, 1, 1);
    m_spacingState = new widgets::StatePanel(m_spacing);
    m_tabs->addTab(learning, tr("Learning"));

    auto* inside = new QWidget(m_tabs);
    auto& norms =
        addPlot(id("norm_plot"),
                {.title = tr("State norm"), .yTitle = tr("State norm at the last token")}, inside);
    norms.feed->setPrefix(id("state_norm/"));
    auto& betas =
        addPlot(id("beta_plot"),
                {.title = tr("Largest beta"), .yTitle = tr("Largest beta of a head")}, inside);
    betas.feed->setPrefix(id("beta_max/"));
    auto& speed = addPlot(id("speed_plot"),
                          {.title = tr("Throughput"), .yTitle = tr("Tokens per second")}, inside);
    speed.feed->setSeries({{id("tokens_per_second"), {}, 0}});
    auto& rate = addPlot(id("rate_plot"),
                         {.title = tr("Learning rate"), .yTitle = tr("Learning rate")}, inside);
    rate.feed->setSeries({{id("learning_rate"), {}, 0}});
    auto* second = new QGridLayout(inside);
    second->setContentsMargins(0, 6, 0, 0);
    second->addWidget(cell(tr("Norm of the memory, by layer.head"), norms.plot, inside), 0, 0);
    second->addWidget(cell(tr("Largest β, by layer.head"), betas.plot, inside), 0, 1);
    second->addWidget(cell(tr("Throughput"), speed.plot, inside), 1, 0);
    second->addWidget(cell(tr("Learning rate"), rate.plot, inside), 1, 1);
    m_tabs->addTab(inside, tr("Memory and speed"));

    m_runs = new QListWidget(m_tabs);
    m_runs->setAccessibleName(tr("Runs drawn on the plots"));
    connect(m_runs, &QListWidget::itemChanged, this, [this](QListWidgetItem* item) {
        bench().runs.setShown(item->data(Qt::UserRole).toInt(), item->checkState() == Qt::Checked);
    });
    connect(m_runs, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* item) {
        if (item != nullptr) {
            bench().chooseRun(item->data(Qt::UserRole).toInt());
        }
    });
    m_tabs->addTab(m_runs, tr("Runs"));
    return m_tabs;
}

void TrainingPage::connectBench() {
    Workbench& shared = bench();
    connect(&shared.runs, &RunController::advanced, this, [this] {
        markCurves();
        markAccuracies();
    });
    connect(&shared.runs, &RunController::listChanged, this, [this] {
        showRunList();
        showReferences();
        showState();
        markCurves();
        markAccuracies();
    });
    connect(&shared.runs, &RunController::stateChanged, this, [this] { markAccuracies(); });
    connect(&shared, &Workbench::spacingChanged, this, [this] { markAccuracies(); });
    connect(&shared.document, &ExperimentDocument::specChanged, this,
            &TrainingPage::showReferences);
    connect(m_cards, &widgets::RunCards::chosen, this,
            [this](int card) { bench().chooseRun(m_cardRuns.at(static_cast<std::size_t>(card))); });
    connect(m_state, &widgets::StatePanel::buttonClicked, this,
            [this] { bench().actions[id("train.start")]->trigger(); });
}

void TrainingPage::markCurves() {
    for (const auto& each : m_plots) {
        bench().clock.markDirty(each->view);
    }
    bench().clock.markDirty(m_cardsView);
}

void TrainingPage::markAccuracies() {
    bench().clock.markDirty(m_accuracyView);
    bench().clock.markDirty(m_cardsView);
}

void TrainingPage::chooseLoss() {
    const FeedSeries printed{id("loss/output"), tr("printed values"), 0};
    const FeedSeries sum{id("loss"), tr("weighted sum"), 1};
    switch (m_loss->currentIndex()) {
        case 1:
            m_lossFeed->setSeries({printed,
                                   {id("loss/name"), tr("names"), 1},
                                   {id("loss/value"), tr("first values"), 2},
                                   {id("loss/operator"), tr("operators"), 3},
                                   {id("loss/prompt"), tr("prompts"), 4}});
            break;
        case 2: m_lossFeed->setSeries({printed}); break;
        case 3: m_lossFeed->setSeries({{id("loss"), tr("weighted sum"), 0}}); break;
        default: m_lossFeed->setSeries({printed, sum}); break;
    }
    markCurves();
}

void TrainingPage::showCards() {
    std::vector<widgets::RunCard> cards;
    m_cardRuns.clear();
    int chosen = -1;
    for (const auto& run : bench().runs.runs()) {
        if (!run->current && !run->shown) {
            continue;
        }
        const values::Snapshot& now = run->snapshot;
        const double left = run->isActive() && now.stepsPerSecond > 0
                                ? static_cast<double>(now.steps - now.step) / now.stepsPerSecond
                                : -1;
        if (run->id == bench().chosenRun()) {
            chosen = static_cast<int>(cards.size());
        }
        cards.push_back({.title = run->name,
                         .style = styleOf(*run),
                         .device = deviceText(run->spec.training),
                         .snapshot = now,
                         .secondsLeft = left});
        m_cardRuns.push_back(run->id);
    }
    m_cards->setCards(std::move(cards));
    m_cards->setCurrent(chosen);
}

void TrainingPage::showRunList() {
    const QSignalBlocker quiet(m_runs);
    m_runs->clear();
    for (const auto& run : bench().runs.runs()) {
        auto* item = new QListWidgetItem(styleIcon(styleOf(*run)), run->name, m_runs);
        item->setData(Qt::UserRole, run->id);
        item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
        item->setCheckState(run->shown ? Qt::Checked : Qt::Unchecked);
        item->setToolTip(tr("Seed %1; %2")
                             .arg(run->spec.seed)
                             .arg(run->recordId.isEmpty() ? tr("not recorded") : run->recordId));
    }
}

std::vector<values::LengthAccuracy> TrainingPage::newestOf(const Run& run) const {
    return run.snapshot.evaluations;
}

void TrainingPage::showAccuracies() {
    std::vector<widgets::RunAccuracy> byLength;
    std::vector<widgets::RunAccuracy> bySpacing;
    bool measuring = false;
    for (const auto& run : bench().runs.runs()) {
        if (!run->shown) {
            continue;
        }
        byLength.push_back({run->name, styleOf(*run), newestOf(*run)});
        bySpacing.push_back({run->name, styleOf(*run), run->spacing});
        measuring = measuring || bench().isMeasuring(run->id);
    }
    m_lengths->setRuns(byLength);
    m_spacing->setRuns(bySpacing);
    m_lengths->refresh();
    m_spacing->refresh();
    const bool any =
        std::ranges::any_of(bySpacing, [](const auto& run) { return !run.lengths.empty(); });
    if (any) {
        m_spacingState->clear();
    } else if (measuring) {
        m_spacingState->showWorking(tr("Measuring"), -1);
    } else {
        m_spacingState->showEmpty(tr("Measured when a run ends, or now with Ctrl+M."));
    }
}

void TrainingPage::showReferences() {
    if (!bench().document.problems().empty()) {
        return;
    }
    const values::ExperimentSpec& spec = bench().document.spec();
    const values::TaskFacts known = factsOf(spec);
    std::vector<widgets::ReferenceLine> lines{{known.chance, tr("chance")}};
    for (int prints = 1;
         prints <= kMostCeilings && prints < static_cast<int>(known.ceilings.size()); ++prints) {
        lines.push_back({known.ceilings[static_cast<std::size_t>(prints)],
                         prints == 1 ? tr("last print") : tr("last %1 prints").arg(prints)});
    }
    m_valuePlot->setReferenceLines(lines);
    m_lengths->setReferenceLines(lines);
    m_spacing->setReferenceLines(lines);
    m_lengths->setTrainedLength(spec.training.stages.back());
    m_spacing->setTrainedLength(spec.training.stages.back());
    markCurves();
    markAccuracies();
}

void TrainingPage::showState() {
    if (bench().runs.runs().empty()) {
        m_state->showEmpty(tr("Nothing has been trained yet. Every model of the experiment trains "
                              "side by side, each on a thread of its own."),
                           tr("Start training"));
    } else {
        m_state->clear();
    }
}

QString TrainingPage::about() const {
    return tr(
        "<p>Curves of every run that is shown. The wheel zooms, a drag moves, a double click "
        "shows all; Ctrl+C copies a plot with its numbers.</p>"
        "<p>Lines of <b>chance</b> and of the <b>last prints</b> tell what a model reaches "
        "that remembers only so many prints: above them it tracks. Accuracy over "
        "<b>spacing</b> shows what a memory cannot bridge.</p>");
}

std::vector<widgets::Fact> TrainingPage::facts() const {
    const Run* run = bench().runs.find(bench().chosenRun());
    if (run == nullptr) {
        return {};
    }
    const values::Snapshot& now = run->snapshot;
    std::vector<widgets::Fact> rows{
        fact(tr("Run"), run->name),
        fact(tr("State"), widgets::stateTitle(now.state)),
        fact(tr("Step"), tr("%1 of %2")
                             .arg(QLocale().toString(static_cast<qlonglong>(now.step)),
                                  QLocale().toString(static_cast<qlonglong>(now.steps)))),
        fact(tr("CPU time"), widgets::durationText(now.cpuSeconds)),
        fact(tr("Trains at"), lengthText(now.trainedLength)),
    };
    for (const values::LengthAccuracy& each : now.evaluations) {
        rows.push_back(fact(tr("At %1").arg(lengthText(each.length)), percentText(each.value),
                            tr("Value accuracy on the evaluation set")));
    }
    if (!now.message.empty()) {
        rows.push_back(fact(tr("Message"), QString::fromStdString(now.message)));
    }
    return rows;
}

}  // namespace lab::app
