#include "widgets/models/run_table_model.h"

#include <QDateTime>
#include <QLocale>
#include <algorithm>

#include "widgets/run_cards.h"

namespace lab::widgets {
namespace {

QString text(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

QVariant shown(const values::RunRecord& run, int column) {
    const QLocale locale;
    switch (column) {
        case RunTableModel::kName: return text(run.name);
        case RunTableModel::kModel: return text(run.model);
        case RunTableModel::kStatus: return text(run.status);
        case RunTableModel::kStep:
            return RunTableModel::tr("%1 of %2")
                .arg(countText(static_cast<double>(run.step)),
                     countText(static_cast<double>(run.steps)));
        case RunTableModel::kLoss: return locale.toString(run.loss, 'g', 3);
        case RunTableModel::kAccuracy:
            return run.accuracy < 0
                       ? QStringLiteral("–")
                       : RunTableModel::tr("%1 %").arg(locale.toString(100 * run.accuracy, 'f', 1));
        case RunTableModel::kCpuSeconds: return durationText(run.cpuSeconds);
        case RunTableModel::kSeed: return QString::number(run.seed);
        case RunTableModel::kCreated: {
            const auto created = QDateTime::fromString(text(run.created), Qt::ISODate);
            return created.isValid() ? locale.toString(created.toLocalTime(), QLocale::ShortFormat)
                                     : text(run.created);
        }
        default: return {};
    }
}

QVariant sortable(const values::RunRecord& run, int column) {
    switch (column) {
        case RunTableModel::kStep: return static_cast<qlonglong>(run.step);
        case RunTableModel::kLoss: return run.loss;
        case RunTableModel::kAccuracy: return run.accuracy;
        case RunTableModel::kCpuSeconds: return run.cpuSeconds;
        case RunTableModel::kSeed: return static_cast<qulonglong>(run.seed);
        case RunTableModel::kCreated: return text(run.created);
        default: return shown(run, column);
    }
}

bool isNumber(int column) {
    return column >= RunTableModel::kStep && column <= RunTableModel::kSeed;
}

}  // namespace

void RunTableModel::setRuns(std::vector<values::RunRecord> runs) {
    const bool sameRows =
        std::ranges::equal(runs, m_runs, {}, &values::RunRecord::id, &values::RunRecord::id);
    if (sameRows) {
        m_runs = std::move(runs);
        if (!m_runs.empty()) {
            emit dataChanged(index(0, 0), index(rowCount() - 1, kColumnCount - 1));
        }
        return;
    }
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<QString> ids;
    ids.reserve(static_cast<std::size_t>(before.size()));
    for (const QModelIndex& old : before) {
        ids.push_back(text(at(old.row()).id));
    }
    m_runs = std::move(runs);
    for (qsizetype i = 0; i < before.size(); ++i) {
        const int row = rowOf(ids[static_cast<std::size_t>(i)]);
        changePersistentIndex(before[i], row < 0 ? QModelIndex() : index(row, before[i].column()));
    }
    emit layoutChanged();
}

void RunTableModel::update(const values::RunRecord& run) {
    const int row = rowOf(text(run.id));
    if (row >= 0) {
        m_runs[static_cast<std::size_t>(row)] = run;
        emit dataChanged(index(row, 0), index(row, kColumnCount - 1));
        return;
    }
    beginInsertRows({}, 0, 0);
    m_runs.insert(m_runs.begin(), run);
    endInsertRows();
}

const values::RunRecord& RunTableModel::at(int row) const {
    return m_runs.at(static_cast<std::size_t>(row));
}

int RunTableModel::rowOf(const QString& id) const {
    const auto found = std::ranges::find(m_runs, id.toStdString(), &values::RunRecord::id);
    return found == m_runs.end() ? -1 : static_cast<int>(found - m_runs.begin());
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : kColumnCount;
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const values::RunRecord& run = at(index.row());
    switch (role) {
        case Qt::DisplayRole: return shown(run, index.column());
        case Qt::ToolTipRole: return run.message.empty() ? text(run.folder) : text(run.message);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(
                (isNumber(index.column()) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
        case kSortRole: return sortable(run, index.column());
        case kIdRole: return text(run.id);
        default: return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || orientation != Qt::Horizontal) {
        return {};
    }
    switch (section) {
        case kName: return tr("Experiment");
        case kModel: return tr("Model");
        case kStatus: return tr("State");
        case kStep: return tr("Step");
        case kLoss: return tr("Loss (nats)");
        case kAccuracy: return tr("Value accuracy");
        case kCpuSeconds: return tr("CPU time");
        case kSeed: return tr("Seed");
        case kCreated: return tr("Created");
        default: return {};
    }
}

}  // namespace lab::widgets
