#include "tasks/reveal_policy.h"

#include <gtest/gtest.h>

#include "tasks/belief_filter.h"
#include "tasks/rng.h"

namespace lab::tasks {
namespace {

using Fractions = std::vector<Fraction>;

Fractions uniformBelief(int cups) {
    const int order = factorial(cups);
    return Fractions(static_cast<std::size_t>(order), Fraction(1, order));
}

/// What the filter believes, which knows of no policy; empty after a contradiction.
Fractions filtered(const Fractions& belief, int cups, int position, int element) {
    BeliefFilter<Fraction> filter(cups, belief, Convention::kPositions);
    static_cast<void>(filter.apply(CupEvent<Fraction>::shown(position, {element})));
    return filter.posterior().belief();
}

// Ranks: 123, 132, 213, 231, 312, 321. Position 2 shows 2 in 123 and 321, but in 123 the policy
// would have shown position 1.
TEST(RevealPolicy, TheMontyHallPolicyMakesTheFilterWrong) {
    const RevealPolicy policy = showIfItHolds(3, 0, 0, 1);
    const Fraction half(1, 2);
    EXPECT_EQ(filtered(uniformBelief(3), 3, 1, 1), (Fractions{half, 0, 0, 0, 0, half}));
    EXPECT_EQ(truePosterior(uniformBelief(3), policy, 1, 1), (Fractions{0, 0, 0, 0, 0, 1}));
    const auto fault = faultOf(policy);
    ASSERT_TRUE(fault);
    EXPECT_EQ(
        fault->text(),
        "position 2 with element 3 is shown with probability 0 in 132 and with 1 in 231: that "
        "it was shown tells them apart");
}

TEST(RevealPolicy, HonestPoliciesLeaveTheFilterTrue) {
    for (const int cups : {2, 3, 4}) {
        EXPECT_FALSE(faultOf(showAnyPosition(cups)));
        for (int i = 0; i < cups; ++i) {
            EXPECT_FALSE(faultOf(showPosition(cups, i)));
            EXPECT_FALSE(faultOf(showElement(cups, i)));
        }
    }
}

RevealPolicy randomPolicy(int cups, Rng& rng) {
    RevealPolicy policy{"random", cups, {}};
    for (int rank = 0; rank < factorial(cups); ++rank) {
        Fractions weights;
        Fraction sum = 0;
        for (int position = 0; position < cups; ++position) {
            weights.emplace_back(rng.below(3));
            sum += weights.back();
        }
        for (const Fraction& weight : weights) {
            policy.chance.push_back(sum == 0 ? Fraction(1, cups) : Fraction(weight / sum));
        }
    }
    return policy;
}

// Bayes' rule over all pairs of an arrangement and what is shown of it, written out as a table.
TEST(RevealPolicy, TheTruePosteriorIsThatOfAllPairsOfStateAndShow) {
    Rng rng(2);
    for (int i = 0; i < 50; ++i) {
        const int cups = 2 + rng.below(2);
        const RevealPolicy policy = randomPolicy(cups, rng);
        ASSERT_TRUE(problemsIn(policy).empty());
        const Fractions belief = uniformBelief(cups);
        const int order = factorial(cups);
        bool agrees = true;
        for (int cell = 0; cell < cups * cups; ++cell) {
            const int position = cell / cups;
            const int element = cell % cups;
            Fraction seen = 0;
            Fractions table(belief.size(), 0);
            for (int rank = 0; rank < order; ++rank) {
                for (int shown = 0; shown < cups; ++shown) {
                    const Fraction joint =
                        belief[static_cast<std::size_t>(rank)] *
                        policy.chance[static_cast<std::size_t>(rank * cups + shown)];
                    if (shown == position && Permutation::unrank(cups, rank)[shown] == element) {
                        table[static_cast<std::size_t>(rank)] += joint;
                        seen += joint;
                    }
                }
            }
            const Fractions posterior = truePosterior(belief, policy, position, element);
            ASSERT_EQ(posterior.empty(), seen == 0);
            for (std::size_t rank = 0; rank < posterior.size(); ++rank) {
                ASSERT_EQ(posterior[rank] * seen, table[rank]);
            }
            agrees = agrees &&
                     (posterior.empty() || posterior == filtered(belief, cups, position, element));
        }
        // An observation that never comes cannot mislead: then both chances are zero.
        ASSERT_EQ(!faultOf(policy), agrees);
    }
}

TEST(RevealPolicy, OnlyArrangementsThatArePossibleCount) {
    const RevealPolicy policy = showIfItHolds(3, 0, 0, 1);
    EXPECT_TRUE(faultOf(policy));
    EXPECT_FALSE(faultOf(policy, {true, false, false, false, false, false}));
}

TEST(RevealPolicy, EveryFaultyRowIsTold) {
    RevealPolicy policy = showAnyPosition(2);
    policy.chance = {Fraction(1, 2), Fraction(1, 3), 2, -1};
    EXPECT_EQ(problemsIn(policy),
              (std::vector<std::string>{"the chances for 12 sum to 5/6, not to 1",
                                        "the chances for 21 have one below 0"}));
    policy.chance.pop_back();
    EXPECT_EQ(problemsIn(policy).size(), 1U);
}

}  // namespace
}  // namespace lab::tasks
