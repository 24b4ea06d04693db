#include "app/dialogs/run_dialog.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>

#include "widgets/models/run_table_model.h"

namespace lab::app {

RunDialog::RunDialog(std::vector<values::RunRecord> runs, QWidget* parent)
    : QDialog(parent),
      m_model(new widgets::RunTableModel(this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_table(new QTableView(this)),
      m_filter(new QLineEdit(this)) {
    setWindowTitle(tr("Reopen an earlier run"));
    setObjectName(QStringLiteral("runDialog"));
    resize(900, 460);
    const bool none = runs.empty();
    m_model->setRuns(std::move(runs));
    fillTable();
    m_filter->setPlaceholderText(tr("Filter by name, model or state"));
    m_filter->setClearButtonEnabled(true);
    connect(m_filter, &QLineEdit::textChanged, m_sorted,
            &QSortFilterProxyModel::setFilterFixedString);

    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_open = buttons->addButton(tr("Open"), QDialogButtonBox::AcceptRole);
    m_open->setEnabled(false);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(new QLabel(
        none ? tr("No run is recorded yet: start training, and it will be listed here.")
             : tr("Its curves are overlaid, and its last checkpoint plays on the stage. Choose "
                  "several with Ctrl."),
        this));
    column->addWidget(m_filter);
    column->addWidget(m_table, 1);
    column->addWidget(buttons);
}

void RunDialog::fillTable() {
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(widgets::RunTableModel::kSortRole);
    m_sorted->setFilterKeyColumn(-1);
    m_sorted->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(widgets::RunTableModel::kCreated, Qt::DescendingOrder);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setAlternatingRowColors(true);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->resizeColumnsToContents();
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            [this] { m_open->setEnabled(m_table->selectionModel()->hasSelection()); });
    connect(m_table, &QTableView::doubleClicked, this, &QDialog::accept);
}

std::vector<values::RunRecord> RunDialog::chosen() const {
    std::vector<values::RunRecord> runs;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows()) {
        runs.push_back(m_model->at(m_sorted->mapToSource(row).row()));
    }
    return runs;
}

}  // namespace lab::app
