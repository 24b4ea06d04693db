// Chooses among the recorded runs, newest first; filters by what is typed.
#pragma once

#include <QDialog>
#include <vector>

#include "core/values/run_record.h"

class QLineEdit;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace lab::widgets {
class RunTableModel;
}

namespace lab::app {

class RunDialog final : public QDialog {
    Q_OBJECT

public:
    explicit RunDialog(std::vector<values::RunRecord> runs, QWidget* parent = nullptr);
    [[nodiscard]] std::vector<values::RunRecord> chosen() const;

private:
    void fillTable();

    // children of this
    widgets::RunTableModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    QLineEdit* m_filter;
    QPushButton* m_open;
};

}  // namespace lab::app
