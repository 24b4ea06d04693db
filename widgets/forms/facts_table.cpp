#include "widgets/forms/facts_table.h"

#include <QGridLayout>
#include <QLabel>

#include "widgets/paint.h"

namespace lab::widgets {

FactsTable::FactsTable(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this)) {
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(16);
    m_grid->setVerticalSpacing(5);
    m_grid->setColumnStretch(1, 1);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
}

void FactsTable::setFacts(const std::vector<Fact>& facts) {
    if (facts == m_facts) {
        return;
    }
    const auto label = [this](int row, int column) {
        auto* item = m_grid->itemAtPosition(row, column);
        if (item != nullptr) {
            return static_cast<QLabel*>(item->widget());
        }
        auto* made = new QLabel(this);
        made->setForegroundRole(column == 0 ? QPalette::PlaceholderText : QPalette::WindowText);
        if (column == 1) {
            made->setFont(strong(font()));
            made->setWordWrap(true);
            made->setTextInteractionFlags(Qt::TextSelectableByMouse);
        }
        m_grid->addWidget(made, row, column, Qt::AlignTop);
        return made;
    };
    const int rows = static_cast<int>(std::max(facts.size(), m_facts.size()));
    for (int row = 0; row < rows; ++row) {
        const bool used = row < static_cast<int>(facts.size());
        const Fact fact = used ? facts[static_cast<std::size_t>(row)] : Fact{};
        auto* name = label(row, 0);
        auto* value = label(row, 1);
        name->setText(fact.name);
        value->setText(fact.value);
        value->setAccessibleName(fact.name);
        for (QLabel* part : {name, value}) {
            part->setToolTip(fact.help);
            part->setVisible(used);
        }
    }
    m_facts = facts;
}

}  // namespace lab::widgets
