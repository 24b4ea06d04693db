#include "widgets/models/run_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QPersistentModelIndex>
#include <QSignalSpy>

#include "tests/widgets/demonstration.h"
#include "widgets/run_cards.h"

namespace lab::widgets {
namespace {

TEST(RunTableModel, ObeysTheItemModelRulesWhileItChanges) {
    RunTableModel model;
    const QAbstractItemModelTester rules(&model,
                                         QAbstractItemModelTester::FailureReportingMode::Fatal);
    auto runs = demonstration::records(5);
    model.setRuns(runs);
    const QPersistentModelIndex third(model.index(2, RunTableModel::kLoss));
    const QPersistentModelIndex last(model.index(4, RunTableModel::kName));

    values::RunRecord fresh = runs[0];
    fresh.id = "02Z";
    model.update(fresh);
    EXPECT_EQ(model.rowCount(), 6);
    EXPECT_EQ(model.rowOf(QStringLiteral("02Z")), 0);
    EXPECT_EQ(third.row(), 3);

    std::swap(runs[0], runs[2]);
    runs.pop_back();
    model.setRuns(runs);
    EXPECT_EQ(third.row(), 0);
    EXPECT_FALSE(last.isValid());
}

TEST(RunTableModel, TellsOnlyTheRowThatChanged) {
    RunTableModel model;
    auto runs = demonstration::records(4);
    model.setRuns(runs);
    const QSignalSpy changes(&model, &RunTableModel::dataChanged);
    runs[2].loss = 0.5;
    model.update(runs[2]);
    ASSERT_EQ(changes.count(), 1);
    EXPECT_EQ(changes[0][0].toModelIndex(), model.index(2, 0));
    EXPECT_EQ(changes[0][1].toModelIndex(), model.index(2, RunTableModel::kColumnCount - 1));
    EXPECT_EQ(model.data(model.index(2, RunTableModel::kLoss), RunTableModel::kSortRole).toDouble(),
              0.5);
}

TEST(Texts, AreShortAndRound) {
    const QChar thin(0x2009);
    const QChar narrow(0x202F);
    EXPECT_EQ(countText(0), QStringLiteral("0"));
    EXPECT_EQ(countText(7.25), QStringLiteral("7.25"));
    EXPECT_EQ(countText(312.44), QStringLiteral("312"));
    EXPECT_EQ(countText(1240), QStringLiteral("1") + thin + QStringLiteral("240"));
    EXPECT_EQ(countText(12'430), QStringLiteral("12.4") + narrow + QLatin1Char('k'));
    EXPECT_EQ(countText(20'000), QStringLiteral("20") + narrow + QLatin1Char('k'));
    EXPECT_EQ(countText(1.5e6),
              QStringLiteral("1") + thin + QStringLiteral("500") + narrow + QLatin1Char('k'));
    EXPECT_EQ(durationText(0.2), QStringLiteral("< 1 s"));
    EXPECT_EQ(durationText(200), QStringLiteral("3 min 20 s"));
    EXPECT_EQ(durationText(7260), QStringLiteral("2 h 1 min"));
}

}  // namespace
}  // namespace lab::widgets
