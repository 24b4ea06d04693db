// The worked cases of the theory, fraction by fraction: exact filter beside the linear trackers.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tasks/belief_patterns.h"
#include "tasks/joint_tracker.h"
#include "tasks/log_tracker.h"
#include "tasks/marginal_tracker.h"

namespace lab::tasks {
namespace {

using Fractions = std::vector<Fraction>;

Fraction power(const Fraction& base, int exponent) {
    Fraction result = 1;
    for (int i = 0; i < exponent; ++i) {
        result *= base;
    }
    return result;
}

const Fraction kHalf(1, 2);
const Fraction kThird(1, 3);

/// The exact filter and both linear trackers, in exact arithmetic, side by side.
class Side {
public:
    explicit Side(CupSteps steps)
        : m_steps(std::move(steps)),
          m_filter(filterFor<Fraction>(m_steps)),
          m_joint(m_steps, {}),
          m_marginal(m_steps, {}) {}
    explicit Side(const BeliefScript& script) : Side(unroll(script)) {}
    explicit Side(const std::string& text) : Side(std::get<BeliefScript>(parseScript(text))) {}

    /// The next steps.
    void take(int count) {
        for (int i = 0; i < count; ++i) {
            const CupStep& step = m_steps.steps.at(m_at++);
            m_last = tasks::take(m_filter, m_steps, step);
            m_joint.take(step);
            m_marginal.take(step);
        }
    }
    void takeAll() { take(m_steps.size() - static_cast<int>(m_at)); }

    [[nodiscard]] bool contradicted() const {
        return std::holds_alternative<Contradiction>(m_last);
    }
    [[nodiscard]] Fraction probability() const { return std::get<Fraction>(m_last); }
    [[nodiscard]] Fractions exact() const { return m_filter.marginals(); }
    [[nodiscard]] Fractions belief() const { return m_filter.posterior().belief(); }
    [[nodiscard]] Fraction evidence() const { return m_filter.posterior().evidence(); }
    [[nodiscard]] const JointTracker<Fraction>& joint() const { return m_joint; }
    [[nodiscard]] const MarginalTracker<Fraction>& marginal() const { return m_marginal; }

private:
    static CupSteps unroll(const BeliefScript& script) {
        Rng rng(1);
        return unrolled(script, rng);
    }

    CupSteps m_steps;
    BeliefFilter<Fraction> m_filter;
    JointTracker<Fraction> m_joint;
    MarginalTracker<Fraction> m_marginal;
    StepResult<Fraction> m_last = Fraction(1);
    std::size_t m_at = 0;
};

const Fractions kIdentity{1, 0, 0, 0, 1, 0, 0, 0, 1};

TEST(TrackerGolden, G1ATwoElementBranch) {
    Side side(std::string("cups 2\nmix 1 2 with 1/2\nreveal 1 = 1\n"));
    side.take(1);
    EXPECT_EQ(side.belief(), (Fractions{kHalf, kHalf}));
    side.take(1);
    EXPECT_EQ(side.belief(), (Fractions{1, 0}));
    EXPECT_EQ(side.probability(), kHalf);
    EXPECT_EQ(side.joint().norm1(), kHalf);
}

// Ranks: 123, 132, 213, 231, 312, 321.
TEST(TrackerGolden, G2AMixtureOfTwoExchangesSeenOnce) {
    for (const char* convention : {"positions", "elements"}) {
        Side side("cups 3\nconvention " + std::string(convention) +
                  "\nmix 1/2 213, 1/2 321\nreveal 1 = 3\n");
        side.take(1);
        EXPECT_EQ(side.joint().state(), (Fractions{0, 0, kHalf, 0, 0, kHalf}));
        side.take(1);
        EXPECT_EQ(side.joint().state(), (Fractions{0, 0, 0, 0, 0, kHalf}));
        EXPECT_EQ(side.joint().norm1(), kHalf);
        EXPECT_EQ(side.belief(), (Fractions{0, 0, 0, 0, 0, 1}));
        EXPECT_EQ(side.joint().belief(), side.belief());
    }
}

TEST(TrackerGolden, G2TheConventionsPartFromAnyOtherStart) {
    Side elements(std::string("cups 3\nstart 231\nconvention elements\nmix 1/2 213, 1/2 321\n"));
    elements.takeAll();
    EXPECT_EQ(elements.joint().state(), (Fractions{0, kHalf, kHalf, 0, 0, 0})) << "132 and 213";
    Side positions(std::string("cups 3\nstart 231\nmix 1/2 213, 1/2 321\n"));
    positions.takeAll();
    EXPECT_EQ(positions.joint().state(), (Fractions{0, kHalf, 0, 0, 0, kHalf})) << "132 and 321";
    for (const Side* side : {&elements, &positions}) {
        EXPECT_EQ(side->joint().belief(), side->belief());
        EXPECT_EQ(side->marginal().state(), side->exact()) << "mixing alone is linear";
    }
}

TEST(TrackerGolden, G3TheAbsorbingChainHalvesWithEveryReveal) {
    AutomatonFilter<Fraction> filter(absorbingChain());
    for (int k = 1; k <= 20; ++k) {
        ASSERT_EQ(std::get<Fraction>(filter.read(0)), 1);
        EXPECT_EQ(filter.posterior().belief(), (Fractions{kHalf, Fraction(1, 4), Fraction(1, 4)}));
        ASSERT_EQ(std::get<Fraction>(filter.read(1)), kHalf);
        EXPECT_EQ(filter.posterior().belief(), (Fractions{0, kHalf, kHalf}));
        EXPECT_EQ(filter.posterior().evidence(), power(kHalf, k));
    }
}

TEST(TrackerGolden, G4TheAdversaryShrinksTheStarvedPairForEveryProbability) {
    for (const Fraction& p : {kHalf, kThird, Fraction(3, 4), Fraction(1, 7)}) {
        const Fraction q = 1 - p;
        const int cycles = 12;
        Side side(
            patternNamed("adversary", {.cups = 3, .probability = p, .cycles = cycles}).value());
        for (int k = 1; k <= cycles; ++k) {
            const Fraction x = power(q, k - 1);
            side.take(1);
            const Fractions mixed{1, 0, 0, 0, q, p * x, 0, p, q * x};
            EXPECT_EQ(side.marginal().state(), mixed);
            EXPECT_EQ(side.joint().norm1(), power(q, k - 1));
            EXPECT_EQ(side.exact(), (Fractions{1, 0, 0, 0, q, p, 0, p, q}));
            side.take(1);
            EXPECT_EQ(side.marginal().state(), (Fractions{1, 0, 0, 0, 1, 0, 0, 0, power(q, k)}));
            EXPECT_EQ(side.joint().norm1(), power(q, k));
            EXPECT_EQ(side.exact(), kIdentity);
        }
    }
}

TEST(TrackerGolden, G4OneColumnNormalisationAfterTheMixIsExact) {
    BeliefScript script = patternNamed("adversary", {.probability = kThird, .cycles = 30}).value();
    Rng rng(1);
    const CupSteps steps = unrolled(script, rng);
    TrackerSettings settings;
    settings.normaliseEvery = 1;
    MarginalTracker<Fraction> tracker(steps, settings);
    const Fraction q(2, 3);
    for (int k = 0; k < 30; ++k) {
        tracker.take(steps.steps[0]);
        EXPECT_EQ(tracker.state(), (Fractions{1, 0, 0, 0, q, kThird, 0, kThird, q}));
        tracker.take(steps.steps[1]);
        EXPECT_EQ(tracker.state(), kIdentity);
    }
}

TEST(TrackerGolden, G4RevealingTheStarvedPairRestoresItAndNotTheNorm) {
    Side side(std::string("cups 3\nrepeat 5\nmix 2 3 with 1/2\nreveal 2 = 2\nend\nreveal 3 = 3\n"));
    side.takeAll();
    EXPECT_EQ(side.marginal().state(), kIdentity);
    EXPECT_EQ(side.joint().norm1(), Fraction(1, 32));
}

// The distribution over all 2^6 histories of six looks at position 2.
TEST(TrackerGolden, G5LookingAtAPositionStarvesNoElementForLong) {
    std::map<Fraction, Fraction> smallest;
    for (int history = 0; history < 64; ++history) {
        std::string text = "cups 3\n";
        int there = 2;
        for (int k = 0; k < 6; ++k) {
            there = ((history >> k) & 1) != 0 ? 5 - there : there;
            text += "mix 2 3 with 1/2\nreveal 2 = " + std::to_string(there) + "\n";
        }
        Side side(text);
        side.takeAll();
        ASSERT_EQ(side.evidence(), Fraction(1, 64)) << text;
        Fraction least = 1;
        for (std::size_t column = 0; column < 3; ++column) {
            const Fractions h = side.marginal().state();
            least = std::min(least, Fraction(h[column] + h[3 + column] + h[6 + column]));
        }
        smallest[least] += Fraction(1, 64);
    }
    for (int k = 1; k <= 5; ++k) {
        EXPECT_EQ(smallest[power(kHalf, k)], power(kHalf, k));
    }
    EXPECT_EQ(smallest[Fraction(1, 64)], Fraction(1, 32));
    EXPECT_EQ(smallest.size(), 6U);
}

TEST(TrackerGolden, G5PrintingWhereAnElementIsStarvesTheOtherForEveryOutcome) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Rng rng(seed);
        const CupSteps steps = unrolled(patternNamed("find-element", {.cycles = 20}).value(), rng);
        MarginalTracker<Fraction> tracker(steps, {});
        for (int k = 1; k <= 20; ++k) {
            tracker.take(steps.steps[static_cast<std::size_t>(2 * k - 2)]);
            tracker.take(steps.steps[static_cast<std::size_t>(2 * k - 1)]);
            const Fractions h = tracker.state();
            ASSERT_EQ(h[2] + h[5] + h[8], power(kHalf, k));
        }
    }
}

TEST(TrackerGolden, G6MarginalsDropCorrelationsEvenInExactArithmetic) {
    Side side(patternNamed("correlated", {}).value());
    side.takeAll();
    EXPECT_EQ(side.marginal().state(), (Fractions{1, 0, 0, 0, kThird, kThird, 0, kThird, kThird}));
    EXPECT_EQ(side.marginal().readOut().matrix,
              (Fractions{1, 0, 0, 0, kHalf, kHalf, 0, kHalf, kHalf}));
    EXPECT_EQ(side.exact(), kIdentity);
    EXPECT_EQ(side.joint().norm1(), kThird);

    Side four(std::string("cups 4\nmix 1/2 1234, 1/2 2143\nreveal 1 = 1\n"));
    four.takeAll();
    EXPECT_EQ(four.exact(), (Fractions{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}));
    const Fractions told = four.marginal().readOut().matrix;
    EXPECT_EQ(told[10], kHalf);
    EXPECT_EQ(told[11], kHalf);
    EXPECT_EQ(told[14], kHalf);
    EXPECT_EQ(told[15], kHalf);
}

TEST(TrackerGolden, G7SinkhornLeavesOneOverTwoMPlusOne) {
    Side side(patternNamed("slow-sinkhorn", {}).value());
    side.takeAll();
    EXPECT_EQ(side.exact(), kIdentity);
    for (const int m : {1, 2, 3, 10, 25}) {
        const auto result = sinkhorn(side.marginal().state(), 3, {.rounds = m, .tolerance = 0});
        EXPECT_EQ(result.rounds, m);
        EXPECT_EQ(result.matrix[5], Fraction(1, 2 * m + 1));
        EXPECT_GT(result.residual, 0);
    }
}

TEST(TrackerGolden, G8AUniformShuffleSeenOnceKeepsTwoThirdsOfEveryOtherColumn) {
    Side side(patternNamed("uniform-shuffle", {.cycles = 10}).value());
    for (int k = 1; k <= 10; ++k) {
        side.take(2);
        EXPECT_EQ(side.joint().norm1(), power(kThird, k));
        const Fractions h = side.marginal().state();
        EXPECT_EQ(h[1] + h[4] + h[7], power(Fraction(2, 3), k));
        EXPECT_EQ(h[2] + h[5] + h[8], power(Fraction(2, 3), k));
        EXPECT_EQ(side.exact(), (Fractions{1, 0, 0, 0, kHalf, kHalf, 0, kHalf, kHalf}));
    }
}

TEST(TrackerGolden, ClosedFormsOfTheShuffleHoldForOtherNumbersOfCups) {
    for (const int cups : {2, 4, 5}) {
        Side side(patternNamed("uniform-shuffle", {.cups = cups, .cycles = 3}).value());
        side.takeAll();
        EXPECT_EQ(side.joint().norm1(), power(Fraction(1, cups), 3));
        const Fractions h = side.marginal().state();
        for (int column = 1; column < cups; ++column) {
            Fraction sum = 0;
            for (int row = 0; row < cups; ++row) {
                sum += h[static_cast<std::size_t>(row * cups + column)];
            }
            EXPECT_EQ(sum, power(Fraction(cups - 1, cups), 3));
        }
    }
}

TEST(TrackerGolden, G9APartialRoundLeavesTheMixingBehind) {
    Side side(patternNamed("partial-round", {}).value());
    side.takeAll();
    EXPECT_EQ(side.marginal().state(), (Fractions{1, 0, 0, 0, 1, 0, 0, 0, kHalf}));
    EXPECT_EQ(side.exact(), kIdentity);
}

TEST(TrackerGolden, RevealingEveryPositionSetsThePermutationWhateverWasThere) {
    Side side(
        std::string("cups 3\nrepeat 7\nmix 2 3 with 1/3\nmix 1 3 with 1/2\nreveal 2 = 2\nend\n"
                    "reveal 1 = 3\nreveal 2 = 2\nreveal 3 = 1\n"));
    side.takeAll();
    EXPECT_EQ(side.marginal().state(), (Fractions{0, 0, 1, 0, 1, 0, 1, 0, 0}));
}

// n = 2; likelihoods 3:1, 3:1, a swap, 1:3.
TEST(TrackerGolden, G10TheTrackerOfLogarithmsWeighsSoftEvidence) {
    LogBelief belief(std::vector<double>{0.5, 0.5});
    belief.weigh(std::vector<double>{0.75, 0.25});
    belief.weigh(std::vector<double>{0.75, 0.25});
    belief.permute(std::vector<int>{1, 0});
    belief.weigh(std::vector<double>{0.25, 0.75});
    const std::vector<double> posterior = belief.posterior();
    EXPECT_NEAR(posterior[0], 1.0 / 28, 1e-15);
    EXPECT_NEAR(posterior[1], 27.0 / 28, 1e-15);
}

TEST(TrackerGolden, G11AnImpossibleRevealIsAnErrorAZeroOrAFalseMatrix) {
    Side side(patternNamed("contradiction", {}).value());
    side.takeAll();
    EXPECT_TRUE(side.contradicted());
    EXPECT_TRUE(side.belief().empty());
    EXPECT_EQ(side.joint().norm1(), 0);
    EXPECT_TRUE(side.joint().read().lost);
    const Fractions h = side.marginal().state();
    EXPECT_EQ(h, (Fractions{0, 1, 0, 0, 0, 0, 0, 0, 1})) << "plausible, and false";
}

// A full reveal resets the joint tracker: its map is zero and what it writes is certain.
TEST(TrackerGolden, AFullRevealResetsTheJointTracker) {
    Side side(std::string("cups 3\nrepeat 9\nmix uniform\nreveal 1 = 1\nend\nreveal all = 132\n"));
    side.takeAll();
    EXPECT_EQ(side.joint().norm1(), 1);
    EXPECT_EQ(side.joint().state()[1], 1);
    EXPECT_EQ(side.marginal().state(), (Fractions{1, 0, 0, 0, 0, 1, 0, 1, 0}));
}

// The joint tracker's norm is the probability of all that was revealed, its belief the exact one.
TEST(TrackerGolden, TheJointTrackerIsTheExactFilterWithItsEvidence) {
    Rng rng(5);
    const auto script = patternNamed("typical", {.cups = 4, .probability = kThird, .cycles = 15});
    Side side(unrolled(script.value(), rng));
    for (int k = 0; k < 15; ++k) {
        side.take(2);
        ASSERT_EQ(side.joint().norm1(), side.evidence());
        ASSERT_EQ(side.joint().belief(), side.belief());
    }
}

}  // namespace
}  // namespace lab::tasks
