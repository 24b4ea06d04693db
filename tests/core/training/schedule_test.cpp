#include "core/training/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/training/curriculum.h"

namespace lab::training {
namespace {

values::TrainingSpec hundredSteps() {
    values::TrainingSpec training;
    training.steps = 100;
    training.warmupSteps = 4;
    training.decayFrom = 0.5;
    training.finalRate = 0.1;
    return training;
}

TEST(Schedule, WarmsUpStaysAndFallsAsACosineByHand) {
    const auto training = hundredSteps();
    EXPECT_DOUBLE_EQ(rateFactor(training, 0), 0.25);
    EXPECT_DOUBLE_EQ(rateFactor(training, 3), 1.0);
    EXPECT_DOUBLE_EQ(rateFactor(training, 49), 1.0);
    EXPECT_DOUBLE_EQ(rateFactor(training, 50), 1.0);
    EXPECT_NEAR(rateFactor(training, 75), 0.55, 1e-15);  // half way down from 1 to 0.1
    // A third of the way the cosine is 1/2: 0.1 + 0.9 * 0.75.
    auto divisible = training;
    divisible.steps = 120;
    EXPECT_NEAR(rateFactor(divisible, 80), 0.775, 1e-15);
}

TEST(Schedule, StaysAtTheFinalRatePastTheEnd) {
    const auto training = hundredSteps();
    for (const std::int64_t step : {100, 101, 150, 1'000'000}) {
        EXPECT_NEAR(rateFactor(training, step), 0.1, 1e-15) << step;
    }
}

TEST(Schedule, IsConstantWithoutDecayAndWithoutWarmUp) {
    auto training = hundredSteps();
    training.decayFrom = 1;
    training.warmupSteps = 0;
    for (const std::int64_t step : {0, 50, 99}) {
        EXPECT_DOUBLE_EQ(rateFactor(training, step), 1.0) << step;
    }
}

values::TrainingSpec threeStages() {
    values::TrainingSpec training;
    training.stages = {{4, 1}, {8, 1}, {16, 2}};
    training.stageAccuracy = 0.5;
    training.stageMinSteps = 3;
    training.steps = 9;
    return training;
}

TEST(Curriculum, GoesOnWhenTheRunningMeanIsAboveTheThreshold) {
    Curriculum curriculum(threeStages());
    // With accuracy 1 the mean after k steps is 1 - 0.9^k: 0.469 after 6, 0.522 after 7.
    for (int step = 0; step < 6; ++step) {
        EXPECT_FALSE(curriculum.advance(step, 1.0)) << step;
    }
    EXPECT_TRUE(curriculum.advance(6, 1.0));
    EXPECT_EQ(curriculum.length(), (values::TraceLength{8, 1}));
    EXPECT_EQ(curriculum.state(), (CurriculumState{1, 0, 0.0}));  // every stage earns its own mean
}

TEST(Curriculum, GivesAStageItsLeastSteps) {
    auto training = threeStages();
    training.stageMinSteps = 20;
    Curriculum curriculum(training);
    for (int step = 0; step < 19; ++step) {
        EXPECT_FALSE(curriculum.advance(step, 1.0)) << step;
    }
    EXPECT_TRUE(curriculum.advance(19, 1.0));
}

TEST(Curriculum, StaysInTheLastStageAndIgnoresABatchWithoutValues) {
    Curriculum curriculum(threeStages());
    curriculum.restore({.stage = 2, .stepsInStage = 50, .meanAccuracy = 0.75});
    EXPECT_FALSE(curriculum.advance(0, std::nan("")));
    EXPECT_DOUBLE_EQ(curriculum.state().meanAccuracy, 0.75);
    EXPECT_FALSE(curriculum.advance(1, 1.0));
    EXPECT_EQ(curriculum.state().stage, 2);
}

TEST(Curriculum, SharesTheBudgetEquallyWhenItIsFixed) {
    auto training = threeStages();
    training.adaptiveStages = false;
    Curriculum curriculum(training);
    std::vector<int> stages;
    for (int step = 0; step < 9; ++step) {
        stages.push_back(curriculum.state().stage);
        (void)curriculum.advance(step, 0.0);
    }
    EXPECT_EQ(stages, (std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

}  // namespace
}  // namespace lab::training
