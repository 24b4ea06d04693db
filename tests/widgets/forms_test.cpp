#include <gtest/gtest.h>

#include <QLineEdit>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QWheelEvent>
#include <array>
#include <cmath>
#include <numbers>

#include "widgets/forms/editors.h"
#include "widgets/forms/eigenvalue_picture.h"
#include "widgets/forms/form.h"
#include "widgets/forms/problem_list.h"
#include "widgets/forms/segmented_switch.h"

namespace lab::widgets {
namespace {

QString text(const char* latin1) {
    return QString::fromLatin1(latin1);
}

TEST(NumberFrom, ReadsScientificNumbersAndProducts) {
    EXPECT_EQ(numberFrom(text("1e-3")), 0.001);
    EXPECT_EQ(numberFrom(text(" 4 * 128 ")), 512);
    EXPECT_EQ(numberFrom(text("64/4*2")), 32);
    EXPECT_EQ(numberFrom(text("0,5")), 0.5);
    for (const char* bad : {"", "e", "4*", "*4", "1/0", "1..2", "four", "1e999"}) {
        EXPECT_EQ(numberFrom(text(bad)), std::nullopt) << bad;
    }
}

TEST(Shortest, ReadsBackAsTheSameNumber) {
    EXPECT_EQ(shortest(3e-4), text("3e-4"));
    EXPECT_EQ(shortest(0.25), text("0.25"));
    for (const double number : {1e-5, 0.1, 2.5e-7, 123456.0, 1e20, 1.0 / 3}) {
        EXPECT_EQ(shortest(number).toDouble(), number) << shortest(number).toStdString();
    }
}

TEST(Fields, TellEditsOfAPersonButNotOfTheProgram) {
    IntegerField steps({text("training.steps"), text("Steps"), {}, {}}, 1, 100'000, 3000);
    const QSignalSpy edits(&steps, &Field::edited);
    steps.setValue(500);
    EXPECT_EQ(edits.count(), 0);
    EXPECT_FALSE(steps.isDefault());

    auto* editor = steps.findChild<QSpinBox*>();
    editor->selectAll();
    QTest::keyClicks(editor, text("4*128"));
    EXPECT_EQ(steps.value(), 512);
    EXPECT_GE(edits.count(), 1);

    steps.resetToDefault();
    EXPECT_EQ(steps.value(), 3000);
    EXPECT_TRUE(steps.isDefault());
}

TEST(Fields, LeaveTheWheelToTheFormUntilTheyHaveTheFocus) {
    NumberField rate({text("training.learning_rate"), text("Rate"), {}, {}}, 0, 1, 0.01);
    rate.show();
    auto* editor = rate.findChild<QDoubleSpinBox*>();
    QWheelEvent wheel({5, 5}, {5, 5}, {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QCoreApplication::sendEvent(editor, &wheel);
    EXPECT_EQ(rate.value(), 0.01);
}

TEST(ScientificSpinBox, StepsTheLeadingDigitAcrossPowersOfTen) {
    ScientificSpinBox box;
    box.setRange(0, 10);
    box.setValue(0.009);
    box.stepBy(1);
    EXPECT_DOUBLE_EQ(box.value(), 0.01);
    box.stepBy(1);
    EXPECT_DOUBLE_EQ(box.value(), 0.02);
    box.stepBy(-2);
    EXPECT_DOUBLE_EQ(box.value(), 0.009);
}

TEST(LengthListField, KeepsItsValueThroughEditsOfOneRow) {
    LengthListField list({text("training.stages"), text("Stages"), {}, {}}, {{4, 1}, {8, 2}});
    const QSignalSpy edits(&list, &Field::edited);
    list.findChildren<QSpinBox*>().at(3)->setValue(4);
    const std::vector<values::TraceLength> expected{{4, 1}, {8, 4}};
    EXPECT_EQ(list.value(), expected);
    EXPECT_EQ(edits.count(), 1);
}

TEST(Form, ShowsEachProblemAtTheFieldWhosePathFitsBest) {
    Form form;
    auto* heads =
        form.add(new IntegerField({text("models[0].heads"), text("Heads"), {}, {}}, 1, 64, 4));
    auto* stages =
        form.add(new LengthListField({text("training.stages"), text("Stages"), {}, {}}, {{4, 1}}));
    auto* steps =
        form.add(new IntegerField({text("training.stage"), text("Stage"), {}, {}}, 1, 9, 1));
    form.setProblems(std::array<values::Problem, 2>{
        {{"models[0].heads", "is 5"}, {"training.stages[2].spacing", "is 0"}}});
    EXPECT_EQ(heads->problem(), text("is 5"));
    EXPECT_EQ(stages->problem(), text("[2].spacing is 0"));
    EXPECT_TRUE(steps->problem().isEmpty());
    form.setProblems({});
    EXPECT_TRUE(heads->problem().isEmpty());
    EXPECT_TRUE(form.jumpTo(text("training.stages[2].spacing")));
    EXPECT_FALSE(form.jumpTo(text("evaluation.traces")));
}

TEST(ProblemList, AsksToGoToTheFieldOfTheChosenProblem) {
    ProblemList list;
    list.setProblems({{"name", "is empty"}, {"models[0].heads", "is 5"}});
    QSignalSpy jumps(&list, &ProblemList::jumpTo);
    emit list.itemActivated(list.item(1));
    ASSERT_EQ(jumps.count(), 1);
    EXPECT_EQ(jumps[0][0].toString(), text("models[0].heads"));
    list.setProblems({});
    emit list.itemActivated(list.item(0));
    EXPECT_EQ(jumps.count(), 1);
}

TEST(SegmentedSwitch, IsWorkedWithTheKeyboard) {
    SegmentedSwitch range({text("[0, 1]"), text("[-1, 1]")});
    const QSignalSpy choices(&range, &SegmentedSwitch::chosen);
    QTest::keyClick(&range, Qt::Key_Right);
    QTest::keyClick(&range, Qt::Key_Right);
    EXPECT_EQ(range.current(), 1);
    EXPECT_EQ(choices.count(), 1);
}

TEST(Eigenvalues, HaveTheEndsThatOneStepHas) {
    EXPECT_EQ(leastRealEigenvalue({1, 1}), 0);
    EXPECT_EQ(leastRealEigenvalue({2, 1}), -1);
    // Two contractions: similar to a positive semidefinite matrix, so never below zero.
    EXPECT_NEAR(leastRealEigenvalue({1, 2}), 0, 1e-12);
    // Three projections on lines turned by 60 degrees: their product has the eigenvalue -1/8.
    EXPECT_NEAR(leastRealEigenvalue({1, 3}), -0.125, 1e-12);
    EXPECT_NEAR(leastRealEigenvalue({1, 4}), -0.25, 1e-12);
}

TEST(Eigenvalues, OfRandomProductsStayWhereTheTheorySays) {
    for (const double betaMax : {1.0, 2.0}) {
        for (int steps = 1; steps <= 4; ++steps) {
            const EigenvalueSetting setting{betaMax, steps};
            bool turns = false;
            for (const QPointF& point : sampledEigenvalues(setting, 4000)) {
                ASSERT_LE(std::hypot(point.x(), point.y()), 1 + 1e-6);
                turns = turns || std::abs(point.y()) > 0.1;
                if (std::abs(point.y()) < 1e-9) {
                    ASSERT_GE(point.x(), leastRealEigenvalue(setting) - 1e-6);
                }
            }
            // One step is symmetric, and two contractions are similar to a symmetric matrix.
            if (steps == 1 || (betaMax == 1 && steps == 2)) {
                EXPECT_FALSE(turns) << betaMax << ' ' << steps;
            }
            EXPECT_TRUE(turns || !fillsDisc(setting)) << betaMax << ' ' << steps;
        }
    }
}

}  // namespace
}  // namespace lab::widgets
