// Recorded runs as a table: one row a run, in the order given.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/values/run_record.h"

namespace lab::widgets {

class RunTableModel final : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        kName,
        kModel,
        kStatus,
        kStep,
        kLoss,
        kAccuracy,
        kCpuSeconds,
        kSeed,
        kCreated,
        kColumnCount
    };
    /// Plain numbers and texts for sorting (QSortFilterProxyModel::setSortRole).
    static constexpr int kSortRole = Qt::UserRole;
    static constexpr int kIdRole = Qt::UserRole + 1;

    using QAbstractTableModel::QAbstractTableModel;

    /// Replaces all; rows with a known id keep their selection.
    void setRuns(std::vector<values::RunRecord> runs);
    /// Changes the row with this id, or puts a new one first.
    void update(const values::RunRecord& run);
    [[nodiscard]] const values::RunRecord& at(int row) const;
    [[nodiscard]] int rowOf(const QString& id) const;  ///< -1: unknown

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

private:
    std::vector<values::RunRecord> m_runs;
};

}  // namespace lab::widgets
