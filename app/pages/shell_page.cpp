#include "app/pages/shell_page.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>

#include "app/pages/controls.h"
#include "app/pages/spec_text.h"
#include "app/pages/stage_column.h"
#include "app/reading/trace_edit.h"
#include "widgets/belief_strip.h"
#include "widgets/stage/shell_stage.h"
#include "widgets/state_panel.h"

namespace lab::app {
namespace {

using widgets::BeliefSource;

QString id(const char* name) {
    return QString::fromLatin1(name);
}

/// What a row of the strip's choice means.
struct StripSource {
    int slot = 0;
    BeliefSource source = BeliefSource::kKnowing;
};

StripSource stripSource(int number) {
    switch (number) {
        case 0: return {0, BeliefSource::kKnowing};
        case 1: return {0, BeliefSource::kWatching};
        default: return {number - 2, BeliefSource::kModel};
    }
}

}  // namespace

ShellPage::ShellPage(Workbench& bench, QWidget* parent) : Page(bench, tr("Shell game"), parent) {
    buildLayout();
    connectBench();
    FrameClock& clock = bench.clock;
    m_momentView = clock.addView(QStringLiteral("stage"), this, ViewRate::kEveryFrame,
                                 [this] { showMoment(); });
    m_wordsView = clock.addView(QStringLiteral("stage_words"), this, ViewRate::kScalars,
                                [this] { showWords(); });
    m_readingView = clock.addView(QStringLiteral("stage_reading"), this, ViewRate::kPlots,
                                  [this] { showReadings(); });
    m_badgeView = clock.addView(QStringLiteral("stage_badge"), this, ViewRate::kTables, [this] {
        for (StageColumn* column : m_columns) {
            column->showBadge();
        }
        this->bench().clock.markDirty(m_badgeView);  // its age grows by itself
    });
    showColumns();
    showTrainButton();
    fillStripChoice();
}

void ShellPage::buildLayout() {
    auto* body = new QWidget(this);
    auto* row = new QHBoxLayout;
    row->setSpacing(10);
    for (int slot = 0; slot < kReaderSlots; ++slot) {
        auto*& column = m_columns.at(static_cast<std::size_t>(slot));
        column = new StageColumn(bench(), slot, body);
        connectStage(*column);
        row->addWidget(column, 1);
    }
    auto* inner = new QVBoxLayout(body);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addLayout(row, 1);
    inner->addWidget(buildStrip());
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(6);
    column->addWidget(buildHead());
    column->addWidget(body, 1);
    m_state = new widgets::StatePanel(body);
}

QWidget* ShellPage::buildHead() {
    auto* head = new QWidget(this);
    m_task = new MutedLabel({}, head);
    m_train = new PrimaryButton({}, head);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_task, 1);
    // The menus, which own these actions, are made after the pages.
    QMetaObject::invokeMethod(
        this,
        [this, head, row] {
            Actions& actions = bench().actions;
            int at = 1;
            for (const auto& [name, icon] :
                 {std::pair("trace.new", "dice"), std::pair("trace.truth", "eye"),
                  std::pair("trace.watcher", "belief")}) {
                row->insertWidget(at++, actionButton(actions[id(name)], id(icon), head));
            }
            for (const char* name : {"trace.truth", "trace.watcher"}) {
                connect(actions[id(name)], &QAction::toggled, this, &ShellPage::takeOptions);
            }
        },
        Qt::QueuedConnection);
    row->addWidget(m_train);
    connect(m_train, &QPushButton::clicked, this, [this] {
        const bool training = bench().runs.activeCount() > 0;
        bench().actions[training ? id("train.stop") : id("train.start")]->trigger();
    });
    return head;
}

QWidget* ShellPage::buildStrip() {
    auto* box = new QWidget(this);
    m_line = new QLabel(box);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(fixed.pointSizeF() * 1.25);
    m_line->setFont(fixed);
    m_line->setTextFormat(Qt::PlainText);
    m_line->setMinimumWidth(120);
    m_line->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_line->setAccessibleName(tr("Current line of the REPL session"));
    m_stripChoice = new QComboBox(box);
    m_stripChoice->setAccessibleName(tr("Belief shown over time"));
    m_stripChoice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_strip = new widgets::BeliefStrip(box);
    m_strip->setFixedHeight(138);
    auto* head = new QHBoxLayout;
    head->addWidget(m_line, 1);
    head->addWidget(new QLabel(tr("Belief over time:"), box));
    head->addWidget(m_stripChoice);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(m_strip);
    connect(m_strip, &widgets::BeliefStrip::cursorRequested, &bench(), &Workbench::cursorWanted);
    connect(m_stripChoice, &QComboBox::activated, this, &ShellPage::showStrip);
    return box;
}

void ShellPage::connectStage(StageColumn& column) {
    const auto edit = [this](const QString& text) {
        const int cursor = bench().moment().cursor;
        bench().editTrace(text);
        emit bench().cursorWanted(cursor + 1);  // to see what was put in
    };
    connect(&column.stage(), &widgets::ShellStage::swapRequested, this,
            [this, edit](int cup, int other) {
                if (const auto reading = bench().reader.exact(); reading != nullptr) {
                    edit(withSwap(*reading, bench().moment().cursor, cup, other));
                }
            });
    connect(&column.stage(), &widgets::ShellStage::revealRequested, this, [this, edit](int cup) {
        if (const auto reading = bench().reader.exact(); reading != nullptr) {
            edit(withReveal(*reading, bench().moment().cursor, cup));
        }
    });
}

void ShellPage::connectBench() {
    Workbench& shared = bench();
    FrameClock& clock = shared.clock;
    connect(&shared, &Workbench::momentChanged, this, [this, &clock] {
        clock.markDirty(m_momentView);
        if (bench().moment().cursor != m_shownCursor) {
            clock.markDirty(m_wordsView);
        }
    });
    const auto readingDirty = [this, &clock] { clock.markDirty(m_readingView); };
    connect(&shared.reader, &ReaderController::readingChanged, this, readingDirty);
    connect(&shared.reader, &ReaderController::transcriptChanged, this, readingDirty);
    connect(&shared.reader, &ReaderController::problemChanged, this, readingDirty);
    connect(&shared.reader, &ReaderController::runChanged, this, &ShellPage::showColumns);
    connect(&shared.runs, &RunController::listChanged, this, &ShellPage::fillStripChoice);
    connect(&shared.runs, &RunController::listChanged, this, &ShellPage::showTrainButton);
    connect(&shared.runs, &RunController::stateChanged, this, &ShellPage::showTrainButton);
    connect(&shared.document, &ExperimentDocument::specChanged, this, [this, readingDirty] {
        showTrainButton();
        readingDirty();
    });
    connect(&shared, &Workbench::demonstrationChanged, this, readingDirty);
    connect(m_state, &widgets::StatePanel::buttonClicked, this, [this] {
        bench()
            .actions[bench().taskHasCups() ? id("view.mode.2") : id("file.preset.first-minute")]
            ->trigger();
    });
}

void ShellPage::takeOptions() {
    const Actions& actions = bench().actions;
    const widgets::StageOptions options{.truthShown = actions[id("trace.truth")]->isChecked(),
                                        .exact = actions[id("trace.watcher")]->isChecked()
                                                     ? BeliefSource::kWatching
                                                     : BeliefSource::kKnowing};
    for (StageColumn* column : m_columns) {
        column->showOptions(options);
    }
}

void ShellPage::showEvent(QShowEvent* event) {
    Page::showEvent(event);
    bench().clock.markDirty(m_readingView);
}

void ShellPage::showColumns() {
    m_columns[1]->setVisible(bench().reader.runIn(1) != 0);
    fillStripChoice();
    bench().clock.markDirty(m_readingView);
}

void ShellPage::fillStripChoice() {
    const int before = std::max(0, m_stripChoice->currentIndex());
    m_stripChoice->clear();
    m_stripChoice->addItem(tr("exact, knowing all"), 0);
    m_stripChoice->addItem(tr("exact, watching"), 1);
    for (int slot = 0; slot < kReaderSlots; ++slot) {
        if (const Run* run = bench().runs.find(bench().reader.runIn(slot)); run != nullptr) {
            m_stripChoice->addItem(run->name, 2 + slot);
        }
    }
    m_stripChoice->setCurrentIndex(before < m_stripChoice->count() ? before : 0);
    showStrip();
}

void ShellPage::showStrip() {
    const StripSource wanted = stripSource(m_stripChoice->currentData().toInt());
    m_strip->setReading(bench().reader.shown(wanted.slot));
    m_strip->setSource(wanted.source);
    m_strip->setCursor(bench().moment().cursor);
}

void ShellPage::showReadings() {
    showState();
    for (StageColumn* column : m_columns) {
        if (!column->isHidden()) {
            column->showReading();
        }
    }
    showStrip();
    showWords();
    const Demonstration& shown = bench().demonstration();
    m_task->setFullText(
        shown.edited ? tr("%1: a trace edited by hand").arg(taskText(bench().document.spec().task))
                     : tr("%1: trace %2, %3 commands, print every %4")
                           .arg(taskText(bench().document.spec().task))
                           .arg(shown.seed)
                           .arg(shown.length.commands)
                           .arg(shown.length.spacing));
}

void ShellPage::showMoment() {
    for (StageColumn* column : m_columns) {
        if (!column->isHidden()) {
            column->showMoment();
        }
    }
    m_strip->setCursor(bench().moment().cursor);
}

void ShellPage::showWords() {
    const auto reading = bench().reader.exact();
    const int cursor = bench().moment().cursor;
    m_shownCursor = cursor;
    const bool any =
        reading != nullptr && cursor >= 0 && cursor < static_cast<int>(reading->events.size());
    m_line->setText(
        any ? QStringLiteral(">>> ") +
                  QString::fromStdString(reading->events[static_cast<std::size_t>(cursor)].text)
            : QStringLiteral(">>>"));
    for (StageColumn* column : m_columns) {
        if (!column->isHidden()) {
            column->showTokens();
        }
    }
}

void ShellPage::showTrainButton() {
    const std::size_t models = bench().document.spec().models.size();
    const bool training = bench().runs.activeCount() > 0;
    m_train->setText(training      ? tr("Stop training")
                     : models == 1 ? tr("Train the model")
                     : models == 2 ? tr("Train both models")
                                   : tr("Train all %1 models").arg(models));
    m_train->setEnabled(training || bench().document.problems().empty());
    m_train->setToolTip(m_train->isEnabled()
                            ? tr("Side by side, one thread each; the stages follow live (F5)")
                            : tr("The experiment has problems: see the Task page"));
}

void ShellPage::showState() {
    const auto& problem = bench().reader.problem();
    if (!bench().taskHasCups()) {
        m_state->showEmpty(tr("A word problem has no cups: its models read group elements and "
                              "answer with their product. Train it on the Training page, or open "
                              "an experiment with REPL traces."),
                           tr("Open First minute"));
    } else if (problem) {
        m_state->showStale(tr("The text does not parse at line %1, column %2: the stage shows the "
                              "trace from before.")
                               .arg(problem->line)
                               .arg(problem->column),
                           tr("Go to the text"));
    } else {
        m_state->clear();
    }
}

QString ShellPage::about() const {
    return tr(
        "<p>Cups named by variables swap their contents, as the REPL line says. Above each "
        "cup stand the <b>exact belief</b> of a Bayes filter and the <b>model's belief</b>: "
        "what it would answer if that variable were printed now.</p>"
        "<p>Drag one cup onto another to add a swap, double-click one to print it.</p>");
}

std::vector<widgets::Fact> ShellPage::facts() const {
    const auto reading = bench().reader.exact();
    const int cursor = bench().moment().cursor;
    if (reading == nullptr || cursor < 0 || cursor >= static_cast<int>(reading->events.size())) {
        return {};
    }
    const values::EventReading& event = reading->events[static_cast<std::size_t>(cursor)];
    std::vector<widgets::Fact> facts{
        fact(tr("Event"), tr("%1 of %2").arg(cursor + 1).arg(reading->events.size())),
        fact(tr("Line"), QString::number(event.line))};
    if (event.kind == values::EventReading::Kind::kReveal) {
        facts.push_back(fact(
            tr("Watcher learns"), tr("%1 bits").arg(QLocale().toString(event.surprise, 'f', 2)),
            tr("Surprise of this print for one who did not see the first values")));
        for (int slot = 0; slot < kReaderSlots; ++slot) {
            const auto own = bench().reader.reading(slot);
            const Run* run = bench().runs.find(bench().reader.runIn(slot));
            const bool same = own != nullptr && own->events.size() == reading->events.size();
            if (same && run != nullptr &&
                !own->events[static_cast<std::size_t>(cursor)].model.empty()) {
                const auto& belief = own->events[static_cast<std::size_t>(cursor)].model;
                facts.push_back(fact(tr("%1, true value").arg(run->name),
                                     QLocale().toString(belief.at(event.cup, event.value), 'f', 3),
                                     tr("Probability that the model gives to what is printed")));
            }
        }
    }
    return facts;
}

}  // namespace lab::app
