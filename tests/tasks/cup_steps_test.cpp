#include "tasks/cup_steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tasks/belief_patterns.h"

namespace lab::tasks {
namespace {

BeliefScript script(const std::string& text) {
    const auto result = parseScript(text);
    const auto* problem = std::get_if<ParseProblem>(&result);
    EXPECT_EQ(problem, nullptr) << describe(*problem);
    return std::get<BeliefScript>(result);
}

CupSteps steps(const std::string& text, std::uint64_t seed = 1, UnrollOptions options = {}) {
    Rng rng(seed);
    return unrolled(script(text), rng, options);
}

TEST(CupSteps, RepeatsUnrollAndEqualMixturesAreKeptOnce) {
    const CupSteps all = steps("cups 3\nrepeat 3\nmix 3 2 with 1/2\nreveal 2 = 2\nwait 2\nend\n");
    ASSERT_EQ(all.size(), 12);
    EXPECT_EQ(all.mixtures.size(), 1U);
    EXPECT_EQ(all.steps[4].kind, CupStep::Kind::kMix);
    EXPECT_EQ(all.steps[5], (CupStep{CupStep::Kind::kReveal, 1, 1, 0}));
    EXPECT_EQ(all.steps[7].kind, CupStep::Kind::kWait);
}

TEST(CupSteps, WhatIsSeenNeverContradictsWhatWasSeen) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const CupSteps all = steps(
            "cups 4\nstart uniform\nrepeat 20\nmix random pair with 1/3\nlook random\nfind 2\n"
            "mix uniform\nlook 1\nlook all\nend\n",
            seed);
        ASSERT_EQ(all.size(), 120);
        auto filter = filterFor<double>(all);
        for (const CupStep& step : all.steps) {
            ASSERT_TRUE(std::holds_alternative<double>(take(filter, all, step))) << seed;
        }
    }
}

// After a fair mix of 2 and 3 from the identity, position 2 shows 2 or 3, each with probability
// 1/2: 1,000 looks have a standard deviation of 15.8.
TEST(CupSteps, LooksAreDrawnWithTheirProbabilities) {
    int twos = 0;
    for (std::uint64_t seed = 0; seed < 1000; ++seed) {
        const CupSteps all = steps("cups 3\nmix 2 3 with 1/2\nlook 2\n", seed);
        ASSERT_NE(all.steps[1].element, 0);
        twos += all.steps[1].element == 1 ? 1 : 0;
    }
    EXPECT_NEAR(twos, 500, 80);
}

TEST(CupSteps, FindShowsTheElementAndLookThePosition) {
    const CupSteps all = steps("cups 3\nmix uniform\nfind 2\nlook 3\n");
    EXPECT_EQ(all.steps[1].element, 1);
    EXPECT_EQ(all.steps[2].position, 2);
}

TEST(CupSteps, AfterAContradictionNothingCanBeDrawn) {
    const CupSteps all = steps("cups 3\nreveal 1 = 2\nlook 2\nwait 3\n");
    EXPECT_EQ(all.size(), 1);
    EXPECT_EQ(steps("cups 3\nreveal 1 = 2\nwait 3\n").size(), 4) << "nothing is drawn here";
}

TEST(CupSteps, AFullRevealEveryFewStepsIsWovenIn) {
    const CupSteps all =
        steps("cups 3\nrepeat 6\nmix 1 2 with 1/2\nend\n", 1, {.revealAllEvery = 2});
    ASSERT_EQ(all.size(), 9);
    for (int i = 0; i < 9; ++i) {
        EXPECT_EQ(all.steps[static_cast<std::size_t>(i)].kind,
                  i % 3 == 2 ? CupStep::Kind::kRevealAll : CupStep::Kind::kMix);
    }
}

TEST(CupSteps, TheSameSeedSeesTheSame) {
    const std::string text = "cups 5\nrepeat 100\nmix random pair with 1/2\nlook random\nend\n";
    EXPECT_EQ(steps(text, 4).steps, steps(text, 4).steps);
    EXPECT_NE(steps(text, 4).steps, steps(text, 5).steps);
}

// G8: the evidence of k uniform shuffles that show element 1 at position 1 is 3^-k.
TEST(CupSteps, TheFilterTakesUniformMixturesAndFullReveals) {
    const CupSteps all =
        steps("cups 3\nrepeat 4\nmix uniform\nreveal 1 = 1\nend\nreveal all = 132\n");
    auto filter = filterFor<Fraction>(all);
    for (const CupStep& step : all.steps) {
        ASSERT_TRUE(std::holds_alternative<Fraction>(take(filter, all, step)));
    }
    EXPECT_EQ(filter.posterior().evidence(), Fraction(1, 2 * 81));
    EXPECT_EQ(filter.posterior().belief()[1], 1) << "132 has rank 1";
}

}  // namespace
}  // namespace lab::tasks
