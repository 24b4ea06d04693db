// The promises of the benches on one seed each; `bench NAME` measures them over many.
#include <gtest/gtest.h>

#include "core/bench.h"
#include "core/session.h"

namespace lab {
namespace {

/// One seed of a bench meets every goal.
void expectGoals(const char* name) {
    tuneAllocator();
    BenchOptions options;
    options.seeds = 1;
    const auto report = runBench(name, options);
    ASSERT_FALSE(report.goals.empty());
    for (const auto& goal : report.goals) {
        EXPECT_TRUE(goal.met) << goal.goal << ": " << goal.measured << "\n" << toTable(report);
    }
}

TEST(Learning, NegativeEigenvaluesBridgeFourTimesTheSpacingAndPositiveOnesDoNot) {
    expectGoals("first-minute");
}

TEST(Learning, WordProblemsOfSwapsAreSolvedInSeconds) {
    expectGoals("word-problems");
}

}  // namespace
}  // namespace lab
