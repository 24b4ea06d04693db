#include "app/pages/trace_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLocale>
#include <QSpinBox>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/pages/controls.h"
#include "app/pages/run_style.h"
#include "app/pages/spec_text.h"
#include "widgets/forms/editors.h"
#include "widgets/state_panel.h"
#include "widgets/token_details.h"
#include "widgets/trace_view.h"

namespace lab::app {
namespace {

QString id(const char* name) {
    return QString::fromLatin1(name);
}

constexpr int kMostCommands = 4096;

QSpinBox* number(int low, int high, const QString& name, QWidget* parent) {
    auto* box = new widgets::PatientSpinBox(parent);
    box->setRange(low, high);
    box->setAccessibleName(name);
    return box;
}

}  // namespace

TracePage::TracePage(Workbench& bench, QWidget* parent) : Page(bench, tr("Trace"), parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(6);
    column->addWidget(buildHead());
    column->addWidget(buildBody(), 1);
    connectBench();
    FrameClock& clock = bench.clock;
    m_readingView = clock.addView(QStringLiteral("trace_reading"), this, ViewRate::kPlots,
                                  [this] { showReading(); });
    m_momentView = clock.addView(QStringLiteral("trace_line"), this, ViewRate::kScalars,
                                 [this] { m_text->setCursor(this->bench().moment().cursor); });
    fillChoice();
    showDemonstration();
}

QWidget* TracePage::buildHead() {
    auto* head = new QWidget(this);
    m_seed = number(1, 1'000'000, tr("Seed of the trace"), head);
    m_commands = number(1, kMostCommands, tr("Commands"), head);
    m_spacing = number(1, kMostCommands, tr("Commands between two prints"), head);
    auto* draw = new QPushButton(tr("Draw"), head);
    draw->setToolTip(tr("Draw this trace of the experiment's task; replaces the text"));
    connect(draw, &QPushButton::clicked, this,
            [this] { bench().actions.guarded([this] { generate(); }); });
    m_choice = new QComboBox(head);
    m_choice->setAccessibleName(tr("Model that reads the trace"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    connect(m_choice, &QComboBox::activated, this, [this] { showReading(); });
    m_badge = new MutedLabel({}, head);

    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(new QLabel(tr("Seed"), head));
    row->addWidget(m_seed);
    row->addWidget(new QLabel(tr("Commands"), head));
    row->addWidget(m_commands);
    row->addWidget(new QLabel(tr("print every"), head));
    row->addWidget(m_spacing);
    row->addWidget(draw);
    row->addSpacing(16);
    row->addWidget(new QLabel(tr("Read by"), head));
    row->addWidget(m_choice);
    row->addWidget(m_badge, 1);
    return head;
}

QWidget* TracePage::buildBody() {
    auto* frame = new QWidget(this);
    auto* body = new QSplitter(frame);
    body->setChildrenCollapsible(false);
    m_text = new widgets::TraceView(body);
    auto* side = new QWidget(body);
    m_details = new widgets::TokenDetails(side);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(8, 0, 0, 0);
    column->addWidget(sectionTitle(tr("Token at the caret"), side));
    column->addWidget(m_details, 1);
    side->setMinimumWidth(230);
    body->addWidget(m_text);
    body->addWidget(side);
    body->setStretchFactor(0, 3);
    body->setStretchFactor(1, 1);
    auto* whole = new QVBoxLayout(frame);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(body);
    m_state = new widgets::StatePanel(frame);
    return frame;
}

void TracePage::connectBench() {
    Workbench& shared = bench();
    const auto dirty = [this] { bench().clock.markDirty(m_readingView); };
    connect(&shared.reader, &ReaderController::transcriptChanged, this, dirty);
    connect(&shared.reader, &ReaderController::readingChanged, this, dirty);
    connect(&shared.reader, &ReaderController::problemChanged, this, dirty);
    connect(&shared.reader, &ReaderController::runChanged, this, &TracePage::fillChoice);
    connect(&shared.runs, &RunController::listChanged, this, &TracePage::fillChoice);
    connect(&shared.document, &ExperimentDocument::specChanged, this, dirty);
    connect(&shared, &Workbench::demonstrationChanged, this, &TracePage::showDemonstration);
    connect(&shared, &Workbench::momentChanged, this,
            [this] { bench().clock.markDirty(m_momentView); });
    connect(m_text, &widgets::TraceView::transcriptEdited, &shared, &Workbench::editTrace);
    connect(m_text, &widgets::TraceView::eventClicked, &shared, &Workbench::cursorWanted);
    connect(m_text, &widgets::TraceView::tokenSelected, this, [this](int token) {
        m_token = token;
        showToken();
    });
    connect(m_state, &widgets::StatePanel::buttonClicked, this, [this] {
        bench()
            .actions[bench().taskHasCups() ? id("trace.new") : id("file.preset.first-minute")]
            ->trigger();
    });
}

void TracePage::generate() {
    bench().generateTrace({.commands = m_commands->value(),
                           .spacing = std::min(m_spacing->value(), m_commands->value())},
                          static_cast<std::uint64_t>(m_seed->value()));
}

int TracePage::slot() const {
    return std::max(0, m_choice->currentData().toInt());
}

void TracePage::fillChoice() {
    const int before = slot();
    m_choice->clear();
    for (int number = 0; number < kReaderSlots; ++number) {
        if (const Run* run = bench().runs.find(bench().reader.runIn(number)); run != nullptr) {
            m_choice->addItem(styleIcon(styleOf(*run)), run->name, number);
        }
    }
    if (m_choice->count() == 0) {
        m_choice->addItem(tr("nobody yet: train a model"), 0);
    }
    m_choice->setCurrentIndex(std::max(0, m_choice->findData(before)));
    bench().clock.markDirty(m_readingView);
}

void TracePage::showDemonstration() {
    const Demonstration& shown = bench().demonstration();
    m_seed->setValue(static_cast<int>(shown.seed));
    m_commands->setValue(shown.length.commands);
    m_spacing->setValue(shown.length.spacing);
    bench().clock.markDirty(m_readingView);
}

void TracePage::showReading() {
    const auto& problem = bench().reader.problem();
    m_text->setProblem(problem);
    if (!problem) {  // else what was typed stays as it is
        m_text->setReading(bench().reader.shown(slot()));
        m_text->setCursor(bench().moment().cursor);
    }
    m_badge->setFullText(bench().reader.badge(slot()));
    showToken();
    showState();
}

void TracePage::showToken() {
    const auto reading = bench().reader.shown(slot());
    const bool any =
        reading != nullptr && m_token >= 0 && m_token < static_cast<int>(reading->tokens.size());
    if (any) {
        m_details->setToken(*reading, m_token);
    } else {
        m_details->clear();
    }
}

void TracePage::showState() {
    if (!bench().taskHasCups() && bench().reader.exact() == nullptr) {
        m_state->showEmpty(tr("A word problem has no REPL text. Open an experiment with REPL "
                              "traces to read and edit them here."),
                           tr("Open First minute"));
    } else if (bench().reader.transcript().isEmpty()) {
        m_state->showEmpty(tr("There is no trace. Draw one from the task, or paste a Python "
                              "session (Ctrl+Shift+V)."),
                           tr("Draw a trace"));
    } else {
        m_state->clear();
    }
}

QString TracePage::about() const {
    return tr(
        "<p>The session as Python prints it. The tint of a token tells how probable the "
        "model found it; a <b>wavy line</b> marks a printed value that was not its first "
        "choice.</p>"
        "<p>Edit the text: the cups, the exact belief and the model follow. Click a token "
        "for its ten best alternatives, a line to move the trace cursor.</p>");
}

std::vector<widgets::Fact> TracePage::facts() const {
    const auto reading = bench().reader.shown(slot());
    if (reading == nullptr) {
        return {};
    }
    int reveals = 0;
    int mistakes = 0;
    for (const values::TokenReading& token : reading->tokens) {
        reveals += token.kind == values::TokenKind::kOutput ? 1 : 0;
        mistakes += token.mistake ? 1 : 0;
    }
    std::vector<widgets::Fact> facts{
        fact(tr("Tokens"), QLocale().toString(static_cast<qlonglong>(reading->tokens.size()))),
        fact(tr("Events"), QLocale().toString(static_cast<qlonglong>(reading->events.size()))),
        fact(tr("Printed values"), QString::number(reveals))};
    if (!reading->modelName.empty() && reveals > 0) {
        facts.push_back(fact(tr("Right"),
                             percentText(1.0 - static_cast<double>(mistakes) / reveals),
                             tr("Printed values that were the model's first choice")));
    }
    return facts;
}

}  // namespace lab::app
