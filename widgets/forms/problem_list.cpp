#include "widgets/forms/problem_list.h"

#include <QEvent>

#include "widgets/icons.h"
#include "widgets/theme.h"

namespace lab::widgets {

ProblemList::ProblemList(QWidget* parent) : QListWidget(parent) {
    setAccessibleName(tr("Problems"));
    setWordWrap(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setUniformItemSizes(false);
    const auto go = [this](const QListWidgetItem* item) {
        const QString field = item->data(Qt::UserRole).toString();
        if (!field.isEmpty()) {
            emit jumpTo(field);
        }
    };
    connect(this, &QListWidget::itemClicked, this, go);
    connect(this, &QListWidget::itemActivated, this, go);
    rebuild();
}

void ProblemList::setProblems(const std::vector<values::Problem>& problems) {
    if (problems != m_problems) {
        m_problems = problems;
        rebuild();
    }
}

void ProblemList::rebuild() {
    const Theme& theme = Theme::of(palette());
    clear();
    for (const values::Problem& problem : m_problems) {
        auto* item = new QListWidgetItem(lineIcon(QStringLiteral("error")),
                                         tr("%1 %2").arg(QString::fromStdString(problem.field),
                                                         QString::fromStdString(problem.text)),
                                         this);
        item->setForeground(theme.bad);
        item->setData(Qt::UserRole, QString::fromStdString(problem.field));
    }
    if (m_problems.empty()) {
        auto* item = new QListWidgetItem(lineIcon(QStringLiteral("check")),
                                         tr("No problems: ready to train."), this);
        item->setForeground(theme.good);
        item->setFlags(Qt::ItemIsEnabled);
    }
}

void ProblemList::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        rebuild();
    }
    QListWidget::changeEvent(event);
}

}  // namespace lab::widgets
