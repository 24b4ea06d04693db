#include "app/pages/stage_column.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

#include "app/pages/controls.h"
#include "app/pages/run_style.h"
#include "app/window/message_bar.h"
#include "widgets/stage/next_token_bars.h"
#include "widgets/stage/shell_stage.h"

namespace lab::app {

StageColumn::StageColumn(Workbench& bench, int slot, QWidget* parent)
    : QWidget(parent),
      m_bench(bench),
      m_slot(slot),
      m_choice(new QComboBox(this)),
      m_badge(new MutedLabel({}, this)),
      m_problem(new MessageBar(this)),
      m_stage(new widgets::ShellStage(this)),
      m_bars(new widgets::NextTokenBars(this)) {
    m_choice->setAccessibleName(tr("Model on this stage"));
    m_choice->setToolTip(tr("Whose belief this stage shows beside the exact one"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_bars->setFixedHeight(112);
    m_bars->setRows(4);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 0, 4, 0);
    head->addWidget(m_choice);
    head->addWidget(m_badge, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(head);
    column->addWidget(m_problem);
    column->addWidget(m_stage, 1);
    column->addWidget(m_bars);

    connect(m_choice, &QComboBox::activated, this,
            [this](int row) { m_bench.reader.setRun(m_slot, m_choice->itemData(row).toInt()); });
    connect(&m_bench.runs, &RunController::listChanged, this, &StageColumn::fillChoice);
    connect(&m_bench.reader, &ReaderController::runChanged, this, &StageColumn::fillChoice);
    fillChoice();
}

void StageColumn::fillChoice() {
    m_choice->clear();
    m_choice->addItem(tr("Exact belief, no model"), 0);
    for (const auto& run : m_bench.runs.runs()) {
        m_choice->addItem(styleIcon(styleOf(*run)), run->name, run->id);
    }
    m_choice->setCurrentIndex(std::max(0, m_choice->findData(m_bench.reader.runIn(m_slot))));
    showBadge();
}

void StageColumn::showReading() {
    const auto reading = m_bench.reader.shown(m_slot);
    m_stage->setReading(reading);
    if (reading != nullptr && !reading->modelProblem.empty()) {
        m_problem->showTrouble(QString::fromStdString(reading->modelProblem));
    } else {
        m_problem->hide();
    }
    showMoment();
    showTokens();
    showBadge();
}

void StageColumn::showMoment() {
    m_stage->setMoment(m_bench.moment());
}

void StageColumn::showTokens() {
    const auto reading = m_bench.reader.shown(m_slot);
    const int cursor = m_bench.moment().cursor;
    if (reading == nullptr || cursor < 0) {
        m_bars->setCandidates({}, {}, {});
        return;
    }
    m_bars->setToken(*reading, widgets::tellingToken(*reading, cursor));
}

void StageColumn::showBadge() {
    const QString badge = m_bench.reader.badge(m_slot);
    const Run* run = m_bench.runs.find(m_bench.reader.runIn(m_slot));
    m_badge->setFullText(!badge.isEmpty() ? badge
                         : run != nullptr ? tr("waiting for its first weights ...")
                                          : tr("what can be known, computed exactly"));
}

void StageColumn::showOptions(const widgets::StageOptions& options) {
    m_stage->setOptions(options);
}

}  // namespace lab::app
