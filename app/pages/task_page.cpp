#include "app/pages/task_page.h"

#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/pages/controls.h"
#include "app/pages/recipe_fields.h"
#include "app/pages/spec_form.h"
#include "app/pages/spec_text.h"
#include "core/catalog.h"
#include "core/values/lab_error.h"
#include "widgets/forms/facts_table.h"
#include "widgets/forms/form.h"
#include "widgets/forms/problem_list.h"

namespace lab::app {
namespace {

constexpr std::uint64_t kSampleSeed = 1;

QString count(double number) {
    return QLocale().toString(number, 'f', 0);
}

}  // namespace

TaskPage::TaskPage(Workbench& bench, QWidget* parent) : Page(bench, tr("Task"), parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 12, 8);
    column->setSpacing(6);
    column->addWidget(buildHead());
    auto* row = new QHBoxLayout;
    row->setSpacing(12);
    row->addWidget(buildForm(), 5);
    row->addWidget(buildSide(), 4);
    column->addLayout(row, 1);
    m_view = bench.clock.addView(QStringLiteral("task"), this, ViewRate::kScalars,
                                 [this] { refresh(); });
    connect(m_binder, &SpecForm::loaded, this, [this] {
        showFields();
        this->bench().clock.markDirty(m_view);
    });
    m_binder->load();
}

QWidget* TaskPage::buildHead() {
    auto* head = new QWidget(this);
    m_note = new MutedLabel({}, head);
    auto* presets = new QPushButton(tr("Presets"), head);
    auto* menu = new QMenu(presets);
    presets->setMenu(menu);
    // The menus of the window, which own these actions, are made after the pages.
    connect(menu, &QMenu::aboutToShow, this, [this, menu] {
        menu->clear();
        for (const values::PresetRow& preset : lab::presets()) {
            menu->addAction(bench().actions[QStringLiteral("file.preset.") +
                                            QString::fromStdString(preset.key)]);
        }
    });
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(m_note, 1);
    row->addWidget(presets);
    return head;
}

QWidget* TaskPage::buildForm() {
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_form = new widgets::Form(area);
    m_binder = new SpecForm(bench().document, *m_form, this);
    addTaskFields(*m_form, *m_binder);
    addCurriculumFields(*m_form, *m_binder);
    addOptimiserFields(*m_form, *m_binder);
    addEvaluationFields(*m_form, *m_binder);
    area->setWidget(m_form);
    return area;
}

QWidget* TaskPage::buildSide() {
    auto* side = new QWidget(this);
    m_sample = new QPlainTextEdit(side);
    m_sample->setReadOnly(true);
    m_sample->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_sample->setAccessibleName(tr("A sample of the task"));
    m_facts = new widgets::FactsTable(side);
    m_problems = new widgets::ProblemList(side);
    connect(m_problems, &widgets::ProblemList::jumpTo, this, [this](const QString& field) {
        if (!jumpTo(field)) {
            bench().actions[QStringLiteral("view.mode.4")]->trigger();
        }
    });
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(sectionTitle(tr("A sample"), side));
    column->addWidget(m_sample, 3);
    column->addWidget(sectionTitle(tr("What is known before training"), side));
    column->addWidget(m_facts);
    column->addWidget(sectionTitle(tr("Problems"), side));
    column->addWidget(m_problems, 1);
    return side;
}

void TaskPage::showFields() {
    const values::TaskSpec& task = bench().document.spec().task;
    const bool repl = task.kind == values::TaskKind::kReplTrace;
    for (const char* path :
         {"task.variables", "task.reveal", "task.first_print", "task.distinct_values"}) {
        m_form->setFieldVisible(QString::fromLatin1(path), repl);
    }
    m_form->setFieldVisible(QStringLiteral("task.group"), !repl);
    m_form->setFieldVisible(QStringLiteral("task.fixed_variable"),
                            repl && task.reveal == values::RevealPolicy::kFixed);
}

void TaskPage::refresh() {
    const values::ExperimentSpec& spec = bench().document.spec();
    const auto& problems = bench().document.problems();
    m_note->setFullText(QString::fromStdString(spec.note));
    m_form->setProblems(problems);
    m_problems->setProblems(problems);
    if (!problems.empty()) {
        return;  // the sample and the facts stay those of the last good design
    }
    const QString text =
        QString::fromStdString(sampleText(spec.task, spec.training.stages.back(), kSampleSeed));
    if (text != m_sample->toPlainText()) {
        m_sample->setPlainText(text);
    }
    m_facts->setFacts(taskFacts());
}

std::vector<widgets::Fact> TaskPage::taskFacts() const {
    const values::TaskFacts known = factsOf(bench().document.spec());
    std::vector<widgets::Fact> rows{
        fact(tr("States"), count(known.states)),
        fact(tr("Vocabulary"),
             tr("%1 read, %2 predicted").arg(known.inputTokens).arg(known.outputTokens)),
        fact(tr("Chance"), percentText(known.chance), tr("Accuracy of a blind guess")),
    };
    if (known.ceilings.size() > 2) {
        rows.push_back(
            fact(tr("Ceiling"),
                 tr("%1 with the last print, %2 with the last two")
                     .arg(percentText(known.ceilings[1]), percentText(known.ceilings[2])),
                 tr("Best accuracy of a model that remembers only so many prints and "
                    "composes the commands since: below it, nothing was tracked")));
    } else {
        rows.push_back(
            fact(tr("Group"), (known.commutative ? tr("commutative") : tr("not commutative")) +
                                  QStringLiteral(", ") +
                                  (known.solvable ? tr("solvable") : tr("not solvable"))));
    }
    if (!known.lengths.empty()) {
        const auto& longest = known.lengths.back();
        rows.push_back(fact(tr("Longest test"),
                            tr("%1 tokens, %2 printed values")
                                .arg(QLocale().toString(static_cast<qlonglong>(longest.tokens)))
                                .arg(longest.reveals)));
    }
    return rows;
}

bool TaskPage::jumpTo(const QString& field) {
    return m_form->jumpTo(field);
}

QString TaskPage::copyText() const {
    return m_sample->toPlainText();
}

QString TaskPage::about() const {
    return tr(
        "<p>What the world does, in which order it is taught, and how training goes. Every "
        "change can be undone (Ctrl+Z).</p>"
        "<p>The <b>spacing</b> is the number of commands between two prints. It, not the "
        "length, is what a memory with eigenvalues in [0,1] cannot bridge.</p>");
}

}  // namespace lab::app
