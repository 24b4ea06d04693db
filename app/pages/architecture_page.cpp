#include "app/pages/architecture_page.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <QLocale>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/pages/controls.h"
#include "app/pages/run_style.h"
#include "app/pages/spec_form.h"
#include "core/catalog.h"
#include "widgets/forms/eigenvalue_picture.h"
#include "widgets/forms/facts_table.h"
#include "widgets/forms/form.h"
#include "widgets/forms/problem_list.h"
#include "widgets/run_cards.h"

namespace lab::app {
namespace {

using values::ExperimentSpec;
using values::ModelSpec;
using widgets::FieldText;

/// Fields speak of "model.x", whichever model is chosen.
FieldText text(const char* name, const QString& label, const QString& help = {}) {
    return {.path = QStringLiteral("model.") + QLatin1String(name),
            .label = label,
            .unit = {},
            .help = help};
}

const ModelSpec& standard() {
    static const ModelSpec kStandard;
    return kStandard;
}

QString path(const char* name) {
    return QStringLiteral("model.") + QLatin1String(name);
}

}  // namespace

ArchitecturePage::ArchitecturePage(Workbench& bench, QWidget* parent)
    : Page(bench, tr("Architecture"), parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 8, 12, 8);
    row->setSpacing(14);
    row->addWidget(buildList(), 3);
    row->addWidget(buildForm(), 5);
    row->addWidget(buildSide(), 4);
    m_view = bench.clock.addView(QStringLiteral("architecture"), this, ViewRate::kScalars,
                                 [this] { refresh(); });
    connect(m_binder, &SpecForm::loaded, this, [this] {
        fillList();
        showFields();
        this->bench().clock.markDirty(m_view);
    });
    // An undo or a preset may leave fewer models than the chosen row.
    m_binder->load();
}

ModelSpec& ArchitecturePage::modelOf(ExperimentSpec& spec) const {
    if (spec.models.empty()) {
        spec.models.emplace_back();
    }
    const auto last = static_cast<int>(spec.models.size()) - 1;
    return spec.models[static_cast<std::size_t>(std::clamp(m_row, 0, last))];
}

const ModelSpec& ArchitecturePage::model() const {
    const auto& models = bench().document.spec().models;
    const auto last = static_cast<int>(models.size()) - 1;
    return models.empty() ? standard()
                          : models[static_cast<std::size_t>(std::clamp(m_row, 0, last))];
}

QWidget* ArchitecturePage::buildList() {
    auto* box = new QWidget(this);
    m_list = new QListWidget(box);
    m_list->setAccessibleName(tr("Models of the experiment"));
    m_list->setIconSize({18, 18});
    connect(m_list, &QListWidget::currentRowChanged, this, &ArchitecturePage::choose);
    const auto button = [box](const QString& label, const QString& help) {
        auto* made = new QToolButton(box);
        made->setText(label);
        made->setToolTip(help);
        made->setMinimumHeight(28);
        return made;
    };
    auto* add = button(tr("Add"), tr("Another model with the standard settings"));
    auto* copy = button(tr("Duplicate"), tr("The same model again, to change one thing"));
    m_remove = button(tr("Remove"), tr("Take the chosen model out of the experiment"));
    auto* up = button(QStringLiteral("▲"), tr("Earlier in the list"));
    up->setAccessibleName(tr("Move up"));
    auto* down = button(QStringLiteral("▼"), tr("Later in the list"));
    down->setAccessibleName(tr("Move down"));
    connect(add, &QToolButton::clicked, this, [this] {
        change(tr("add a model"), m_list->count(), [](auto& models) { models.emplace_back(); });
    });
    connect(copy, &QToolButton::clicked, this, [this] {
        change(tr("duplicate a model"), m_row + 1, [this](auto& models) {
            models.insert(models.begin() + m_row + 1, models.at(static_cast<std::size_t>(m_row)));
        });
    });
    connect(m_remove, &QToolButton::clicked, this, [this] {
        change(tr("remove a model"), std::max(0, m_row - 1),
               [this](auto& models) { models.erase(models.begin() + m_row); });
    });
    connect(up, &QToolButton::clicked, this, [this] { move(-1); });
    connect(down, &QToolButton::clicked, this, [this] { move(1); });
    auto* row = new QHBoxLayout;
    for (QToolButton* each : {add, copy, m_remove, up, down}) {
        row->addWidget(each);
    }
    row->addStretch(1);
    m_summary = new MutedLabel({}, box);
    m_summary->setWordWrap(false);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(sectionTitle(tr("Models, trained side by side"), box));
    column->addWidget(m_list, 1);
    column->addLayout(row);
    column->addWidget(m_summary);
    return box;
}

QWidget* ArchitecturePage::buildForm() {
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_form = new widgets::Form(area);
    m_binder = new SpecForm(bench().document, *m_form, this);
    addGeneralFields();
    addDeltaFields();
    addStateSpaceFields();
    addTransformerFields();
    area->setWidget(m_form);
    return area;
}

void ArchitecturePage::addGeneralFields() {
    m_form->addSection(tr("Model"));
    QStringList keys;
    QStringList titles;
    for (const values::ArchitectureRow& row : architectures()) {
        keys << QString::fromStdString(row.key);
        titles << QString::fromStdString(row.title);
    }
    auto* kind = m_form->add(
        new widgets::ChoiceField(text("architecture", tr("Architecture")), keys, titles,
                                 QString::fromStdString(standard().architecture), m_form));
    m_binder->bind(
        *kind,
        [this, kind](const ExperimentSpec&) {
            kind->setValue(QString::fromStdString(model().architecture));
        },
        [this, kind](ExperimentSpec& spec) {
            modelOf(spec).architecture = kind->value().toStdString();
        });
    addText(
        *m_form, *m_binder, text("name", tr("Name"), tr("Empty: made from the settings")),
        {}, [this](ExperimentSpec & s) -> auto& { return modelOf(s).name; });
    addInteger(
        *m_form, *m_binder, text("width", tr("Width")), 4, 2048,
        standard().width, [this](ExperimentSpec & s) -> auto& { return modelOf(s).width; });
    addInteger(
        *m_form, *m_binder, text("layers", tr("Layers")), 1, 32,
        standard().layers, [this](ExperimentSpec & s) -> auto& { return modelOf(s).layers; });
    addInteger(
        *m_form, *m_binder, text("heads", tr("Heads"), tr("Must divide the width")), 1, 64,
        standard().heads, [this](ExperimentSpec & s) -> auto& { return modelOf(s).heads; });
    addCheck(
        *m_form, *m_binder, text("mlp", tr("MLP"), tr("A gated MLP (SwiGLU) after each mixer")),
        standard().mlp, [this](ExperimentSpec & s) -> auto& { return modelOf(s).mlp; });
    addNumber(
        *m_form, *m_binder, text("norm_epsilon", tr("Norm epsilon")), 1e-12, 1,
        standard().normEpsilon, [this](ExperimentSpec & s) -> auto& {
            return modelOf(s).normEpsilon;
        });
    addInteger(
        *m_form, *m_binder,
        text("steps", tr("Own budget"),
             tr("Optimiser steps for this model alone; 0: that "
                "of the experiment")),
        0, 100'000'000, 0, [this](ExperimentSpec & s) -> auto& { return modelOf(s).steps; });
}

void ArchitecturePage::addDeltaFields() {
    auto* range = m_form->add(new widgets::SwitchField(
        text("negative_eigenvalues", tr("Eigenvalues"),
             tr("An eigenvalue of -1 makes a swap one reflection; with [0,1] a swap costs part of "
                "what is remembered")),
        {tr("[0, 1]"), tr("[-1, 1]")}, 1, m_form));
    m_binder->bind(
        *range,
        [this, range](const ExperimentSpec&) {
            range->setIndex(model().negativeEigenvalues ? 1 : 0);
        },
        [this, range](ExperimentSpec& spec) {
            modelOf(spec).negativeEigenvalues = range->index() == 1;
        });
    addInteger(
        *m_form, *m_binder,
        text("householders", tr("Steps a token, n_h"),
             tr("Householder steps: two make a rotation")),
        1, 4, standard().householders, [this](ExperimentSpec & s) -> auto& {
            return modelOf(s).householders;
        });
    addNumber(
        *m_form, *m_binder,
        text("beta_slope", tr("Slope of beta"),
             tr("beta = range sigmoid(slope (x + bias)); steep: saturates sooner")),
        1e-3, 100,
        standard().betaSlope, [this](ExperimentSpec & s) -> auto& { return modelOf(s).betaSlope; });
    addChoice(
        *m_form, *m_binder, text("key_activation", tr("Keys and queries")),
        {tr("no activation"), tr("SiLU")},
        0, [this](ExperimentSpec & s) -> auto& { return modelOf(s).keyActivation; });
    addInteger(
        *m_form, *m_binder,
        text("conv_width", tr("Short convolution"),
             tr("Tokens that it sees at once; 0: none, else at least 2")),
        0, 16,
        standard().convWidth, [this](ExperimentSpec & s) -> auto& { return modelOf(s).convWidth; });
    addCheck(
        *m_form, *m_binder, text("gate", tr("Gate"), tr("One decay in (0, 1) a head and token")),
        standard().gate, [this](ExperimentSpec & s) -> auto& { return modelOf(s).gate; });
}

void ArchitecturePage::addStateSpaceFields() {
    addInteger(
        *m_form, *m_binder,
        text("state_size", tr("States"),
             tr("Mamba: of a channel; Mamba-2: rows of a head's matrix")),
        1, 256,
        standard().stateSize, [this](ExperimentSpec & s) -> auto& { return modelOf(s).stateSize; });
}

void ArchitecturePage::addTransformerFields() {
    addChoice(
        *m_form, *m_binder, text("position", tr("Positions")),
        {tr("rotary"), tr("learned"), tr("none")},
        0, [this](ExperimentSpec & s) -> auto& { return modelOf(s).position; });
    addInteger(
        *m_form, *m_binder,
        text("max_steps", tr("Longest sequence"), tr("Rows of the table of positions")), 1, 1 << 20,
        standard().maxSteps, [this](ExperimentSpec & s) -> auto& { return modelOf(s).maxSteps; });
}

QWidget* ArchitecturePage::buildSide() {
    auto* side = new QWidget(this);
    m_pictureTitle = sectionTitle(tr("Eigenvalues of one token"), side);
    m_picture = new widgets::EigenvaluePicture(side);
    m_facts = new widgets::FactsTable(side);
    m_problems = new widgets::ProblemList(side);
    connect(m_problems, &widgets::ProblemList::jumpTo, this, [this](const QString& field) {
        if (!m_form->jumpTo(field)) {
            bench().actions[QStringLiteral("view.mode.3")]->trigger();
        }
    });
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_pictureTitle);
    column->addWidget(m_picture, 3);
    column->addWidget(sectionTitle(tr("What it takes"), side));
    column->addWidget(m_facts);
    column->addStretch(1);
    column->addWidget(sectionTitle(tr("Problems"), side));
    column->addWidget(m_problems, 1);
    return side;
}

void ArchitecturePage::change(const QString& text, int select,
                              const std::function<void(std::vector<ModelSpec>&)>& edit) {
    ExperimentSpec next = bench().document.spec();
    edit(next.models);
    m_row = select;
    bench().document.edit(next, text);
}

void ArchitecturePage::move(int by) {
    const int to = m_row + by;
    if (to >= 0 && to < m_list->count()) {
        const auto from = static_cast<std::size_t>(m_row);
        change(tr("move a model"), to, [from, to](auto& models) {
            std::swap(models.at(from), models.at(static_cast<std::size_t>(to)));
        });
    }
}

void ArchitecturePage::choose(int row) {
    if (row >= 0 && row != m_row) {
        m_row = row;
        m_binder->load();
    }
}

void ArchitecturePage::fillList() {
    const auto& models = bench().document.spec().models;
    m_row = std::clamp(m_row, 0, std::max(0, static_cast<int>(models.size()) - 1));
    const QSignalBlocker quiet(m_list);
    while (m_list->count() > static_cast<int>(models.size())) {
        delete m_list->takeItem(m_list->count() - 1);
    }
    for (int i = 0; i < static_cast<int>(models.size()); ++i) {
        if (i >= m_list->count()) {
            m_list->addItem(new QListWidgetItem);
        }
        QListWidgetItem& item = *m_list->item(i);
        item.setText(
            QString::fromStdString(values::displayName(models[static_cast<std::size_t>(i)])));
        item.setIcon(styleIcon(i));
    }
    m_list->setCurrentRow(m_row);
    m_remove->setEnabled(models.size() > 1);
}

void ArchitecturePage::showFields() {
    const std::string& kind = model().architecture;
    const bool delta = kind == "delta_net";
    const bool transformer = kind == "transformer";
    const bool stateSpace = kind == "mamba" || kind == "mamba2";
    for (const char* name :
         {"negative_eigenvalues", "householders", "beta_slope", "key_activation", "gate"}) {
        m_form->setFieldVisible(path(name), delta);
    }
    m_form->setFieldVisible(path("conv_width"), delta || stateSpace);
    m_form->setFieldVisible(path("state_size"), stateSpace);
    m_form->setFieldVisible(path("heads"), values::hasHeads(kind));
    m_form->setFieldVisible(path("position"), transformer);
    m_form->setFieldVisible(path("max_steps"),
                            transformer && model().position == values::PositionCode::kLearned);
    m_picture->setVisible(delta);
    m_pictureTitle->setVisible(delta);
    m_picture->setSetting({.betaMax = model().negativeEigenvalues ? 2.0 : 1.0,
                           .householders = std::max(1, model().householders)});
    for (const values::ArchitectureRow& row : architectures()) {
        if (row.key == kind) {
            m_summary->setFullText(QString::fromStdString(row.summary));
        }
    }
}

std::vector<values::Problem> ArchitecturePage::ownProblems() const {
    const std::string prefix = "models[" + std::to_string(m_row) + "]";
    std::vector<values::Problem> problems = bench().document.problems();
    for (values::Problem& problem : problems) {
        if (problem.field.rfind(prefix, 0) == 0) {
            problem.field = "model" + problem.field.substr(prefix.size());
        }
    }
    return problems;
}

void ArchitecturePage::refresh() {
    const std::vector<values::Problem> problems = ownProblems();
    m_form->setProblems(problems);
    m_problems->setProblems(problems);
    if (problems.empty()) {
        m_facts->setFacts(modelFacts());
    }
}

std::vector<widgets::Fact> ArchitecturePage::modelFacts() const {
    const ExperimentSpec& spec = bench().document.spec();
    const values::ModelFacts known = factsOf(model(), spec.task);
    std::vector<widgets::Fact> rows{
        fact(tr("Parameters"), QLocale().toString(static_cast<qlonglong>(known.parameters))),
        fact(tr("Work"), tr("%1 FLOP a token").arg(widgets::countText(known.flopsPerToken)),
             tr("Forward only; a multiplication and an addition count as two")),
        fact(tr("Memory"),
             tr("%1 numbers a sequence")
                 .arg(widgets::countText(static_cast<double>(known.stateNumbers))),
             tr("Carried from token to token; a Transformer's grows with every token")),
        fact(tr("Kernel"), known.kernel.empty() ? tr("LibTorch's operators")
                                                : QString::fromStdString(known.kernel)),
    };
    const auto& runs = bench().runs.runs();
    const auto measured = std::ranges::find_if(runs, [this](const auto& run) {
        return run->spec.models.front().architecture == model().architecture &&
               run->spec.models.front().width == model().width &&
               run->spec.models.front().layers == model().layers &&
               run->snapshot.tokensPerSecond > 0;
    });
    const double tokens =
        static_cast<double>(model().steps > 0 ? model().steps : spec.training.steps) *
        spec.training.tokensPerBatch;
    rows.push_back(
        fact(tr("Time"),
             measured == runs.end()
                 ? tr("about %1 tokens; known once it has trained").arg(widgets::countText(tokens))
                 : tr("about %1 at %2 tokens a second")
                       .arg(widgets::durationText(tokens / (*measured)->snapshot.tokensPerSecond),
                            widgets::countText((*measured)->snapshot.tokensPerSecond)),
             tr("For the whole budget, from the speed of a run of the same size")));
    return rows;
}

QString ArchitecturePage::about() const {
    return tr(
        "<p>Models that share the recipe of the Task page and are trained side by side, one "
        "thread each.</p>"
        "<p>A delta-rule token multiplies the memory by I − βkkᵀ: one eigenvalue is 1 − β. "
        "With β up to 2 it reaches <b>−1</b>, a reflection, and two cups can change places "
        "without loss.</p>");
}

}  // namespace lab::app
