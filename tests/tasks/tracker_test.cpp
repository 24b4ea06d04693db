// Trackers in number formats, in other bases, with remedies, and looked at after any step.
#include <gmock/gmock.h>

#include <chrono>
#include <cmath>

#include "tasks/belief_patterns.h"
#include "tasks/joint_tracker.h"
#include "tasks/log_tracker.h"
#include "tasks/marginal_tracker.h"
#include "tasks/orthogonal_basis.h"
#include "tasks/tracker_timeline.h"

namespace lab::tasks {
namespace {

constexpr TrackerKind kKinds[] = {TrackerKind::kJoint, TrackerKind::kMarginal, TrackerKind::kLog};

CupSteps steps(const std::string& text, std::uint64_t seed = 1, UnrollOptions options = {}) {
    const auto script = parseScript(text);
    const auto* problem = std::get_if<ParseProblem>(&script);
    EXPECT_EQ(problem, nullptr) << text << describe(problem ? *problem : ParseProblem{});
    Rng rng(seed);
    return unrolled(std::get<BeliefScript>(script), rng, options);
}

/// Mixings of every form, looks of every form.
CupSteps mixedSteps(int cups, int cycles, std::uint64_t seed, Convention convention) {
    return steps(
        "cups " + std::to_string(cups) + "\nstart uniform\nconvention " +
            (convention == Convention::kElements ? "elements" : "positions") + "\nrepeat " +
            std::to_string(cycles) + "\nmix random pair with 1/3\nlook random\nmix 1/4 " +
            Permutation::unrank(cups, factorial(cups) / 2).text() + ", 3/4 " +
            Permutation::unrank(cups, 1).text() + "\nlook 1\nwait 1\nmix uniform\nfind 2\nmix 1 " +
            Permutation(cups).text() + "\nlook all\nmix 1 2 with 1/2\nend\n",
        seed);
}

TEST(Tracker, JointAndLogTrackersAgreeWithTheExactFilter) {
    for (const Convention convention : {Convention::kPositions, Convention::kElements}) {
        for (const int cups : {2, 3, 4, 5}) {
            const CupSteps all = mixedSteps(cups, 3, 11, convention);
            auto filter = filterFor<double>(all);
            const auto joint = makeTracker(TrackerKind::kJoint, all);
            const auto log = makeTracker(TrackerKind::kLog, all);
            for (const CupStep& step : all.steps) {
                ASSERT_TRUE(std::holds_alternative<double>(take(filter, all, step)));
                joint->take(step);
                log->take(step);
                const std::vector<double> exact = filter.marginals();
                // Some hundred sums of numbers below one.
                const auto near = testing::Pointwise(testing::DoubleNear(1e-12), exact);
                ASSERT_THAT(joint->read().marginals, near) << cups;
                ASSERT_THAT(log->read().marginals, near) << cups;
                ASSERT_NEAR(joint->read().log2Norm1, log->read().log2Norm1, 1e-9);
            }
        }
    }
}

TEST(Tracker, MarginalTrackersAreExactWhileNothingIsHidden) {
    const CupSteps all =
        steps("cups 4\nstart 2413\nrepeat 3\nmix 1 2341\nlook random\nmix 1 2134\nfind 3\nend\n");
    auto filter = filterFor<double>(all);
    const auto tracker = makeTracker(TrackerKind::kMarginal, all);
    for (const CupStep& step : all.steps) {
        static_cast<void>(take(filter, all, step));
        tracker->take(step);
        EXPECT_EQ(tracker->read().marginals, filter.marginals());
    }
}

TEST(Tracker, RandomBasesAreOrthogonalAndDifferBySeed) {
    for (const int size : {2, 3, 7, 24}) {
        const auto basis = randomOrthogonal(size, 4);
        const auto identity = product(basis, transposed(basis, size), size);
        for (int i = 0; i < size * size; ++i) {
            EXPECT_NEAR(identity[static_cast<std::size_t>(i)], i % (size + 1) == 0 ? 1 : 0, 1e-14);
        }
        EXPECT_EQ(basis, randomOrthogonal(size, 4));
        EXPECT_NE(basis, randomOrthogonal(size, 5));
    }
}

TEST(Tracker, InAnotherBasisDoubleSaysTheSame) {
    for (const Convention convention : {Convention::kPositions, Convention::kElements}) {
        const CupSteps all = mixedSteps(4, 1, 3, convention);
        for (const TrackerKind kind : {TrackerKind::kJoint, TrackerKind::kMarginal}) {
            TrackerSettings rotated;
            rotated.keyBasis = 1;
            rotated.valueBasis = 2;
            const auto plain = makeTracker(kind, all);
            const auto other = makeTracker(kind, all, rotated);
            for (const CupStep& step : all.steps) {
                plain->take(step);
                other->take(step);
                // Sinkhorn divides by masses down to 1/100: that much of the last digits is lost.
                ASSERT_THAT(other->read().marginals, testing::Pointwise(testing::DoubleNear(1e-10),
                                                                        plain->read().marginals));
            }
        }
    }
}

/// Cycles of halving until element 3 has lost its place; by the exponent range of the format.
int cyclesUntilLost(TrackerSettings settings) {
    const CupSteps all = steps("cups 3\nmix 2 3 with 1/2\nreveal 2 = 2\n");
    MarginalTracker<double> tracker(all, settings);
    for (int cycle = 1;; ++cycle) {
        tracker.take(all.steps[0]);
        tracker.take(all.steps[1]);
        if (tracker.state()[8] == 0) {
            return cycle;
        }
    }
}

// The smallest subnormal is 2^-24 in fp16: 2^-25 is a tie with zero, which is even. Flushed, the
// smallest is 2^-14. The other formats likewise.
TEST(Tracker, InThePlainBasisTheExponentRangeSetsTheHorizon) {
    const struct {
        NumberFormat format;
        int kept, flushed;
    } cases[] = {
        {NumberFormat::kFp16, 25, 15},   {NumberFormat::kBf16, 134, 127},
        {NumberFormat::kFp32, 150, 127}, {NumberFormat::kFp64, 1075, 1023},
        {NumberFormat::kFp8E4M3, 10, 7}, {NumberFormat::kFp8E5M2, 17, 15},
    };
    for (const auto& one : cases) {
        TrackerSettings settings;
        settings.format = one.format;
        EXPECT_EQ(cyclesUntilLost(settings), one.kept) << infoOf(one.format).key;
        settings.subnormals = Subnormals::kFlushed;
        EXPECT_EQ(cyclesUntilLost(settings), one.flushed) << infoOf(one.format).key;
    }
}

// A fair shuffle has weights 1/3: in fp16 0.333251953125, the nearest with 11 bits.
TEST(Tracker, WeightsAreRoundedToTheFormat) {
    const CupSteps all = steps("cups 3\nmix uniform\n");
    TrackerSettings settings;
    settings.format = NumberFormat::kFp16;
    MarginalTracker<double> tracker(all, settings);
    tracker.take(all.steps[0]);
    EXPECT_EQ(tracker.state(), std::vector<double>(9, 0.333251953125));
}

TEST(Tracker, NormalisingKeepsTheJointTrackerAliveInEveryFormat) {
    const CupSteps all = steps("cups 3\nrepeat 300\nmix 2 3 with 1/2\nreveal 2 = 2\nend\n");
    for (const FormatInfo& info : kFormats) {
        TrackerSettings settings;
        settings.format = info.format;
        settings.normaliseEvery = 2;
        const auto tracker = makeTracker(TrackerKind::kJoint, all, settings);
        settings.normaliseEvery = 0;
        const auto plain = makeTracker(TrackerKind::kJoint, all, settings);
        for (const CupStep& step : all.steps) {
            tracker->take(step);
            plain->take(step);
        }
        EXPECT_FALSE(tracker->read().lost) << info.key;
        EXPECT_EQ(tracker->read().marginals, (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
        EXPECT_EQ(plain->read().lost, info.format != NumberFormat::kFp64) << info.key;
    }
}

TEST(Tracker, WithoutInjectionARevealOnlyForgets) {
    const CupSteps all = steps("cups 3\nmix 2 3 with 1/2\nreveal 2 = 2\nreveal all = 123\n");
    TrackerSettings settings;
    settings.inject = false;
    MarginalTracker<Fraction> tracker(all, settings);
    const Fraction half(1, 2);
    tracker.take(all.steps[0]);
    tracker.take(all.steps[1]);
    EXPECT_EQ(tracker.state(), (std::vector<Fraction>{1, 0, 0, 0, 0, 0, 0, 0, half}));
    JointTracker<Fraction> joint(all, settings);
    for (const CupStep& step : all.steps) {
        joint.take(step);
    }
    EXPECT_EQ(joint.norm1(), half) << "a mask keeps the norm where a write would set it to one";
}

TEST(Tracker, FullRevealsEveryFewStepsEndTheDecay) {
    const std::string text = "cups 3\nrepeat 400\nmix 2 3 with 1/2\nfind 2\nend\n";
    TrackerSettings settings;
    settings.format = NumberFormat::kFp16;
    const CupSteps never = steps(text);
    const CupSteps often = steps(text, 1, {.revealAllEvery = 20});
    const auto lost = makeTracker(TrackerKind::kMarginal, never, settings);
    const auto kept = makeTracker(TrackerKind::kMarginal, often, settings);
    for (const CupStep& step : never.steps) {
        lost->take(step);
    }
    for (const CupStep& step : often.steps) {
        kept->take(step);
        ASSERT_GE(kept->starvedMass(), std::ldexp(1.0, -11)) << "ten cycles at most";
    }
    EXPECT_TRUE(lost->read().lost);
}

TEST(Tracker, DiscretisedStatesHaveOnlyTheirLevels) {
    const CupSteps all = steps("cups 4\nrepeat 50\nmix random pair with 1/3\nlook random\nend\n");
    TrackerSettings settings;
    settings.levels = 5;
    MarginalTracker<double> marginal(all, settings);
    JointTracker<double> joint(all, settings);
    for (const CupStep& step : all.steps) {
        marginal.take(step);
        joint.take(step);
        for (const auto& state : {marginal.state(), joint.state()}) {
            for (const double entry : state) {
                ASSERT_EQ(entry * 4, std::nearbyint(entry * 4));
                ASSERT_TRUE(entry >= 0 && entry <= 1);
            }
        }
        ASSERT_FALSE(joint.read().lost);
    }
}

// Two arrangements at 1/2: with two levels both are at the top, with the truth at 3/4 against 1/4
// the lesser one is a third of the larger and vanishes.
TEST(Tracker, WithTwoLevelsOnlyTheLikeliestAreKept) {
    TrackerSettings settings;
    settings.levels = 2;
    for (const auto& [p, kept] : {std::pair{"1/2", 2}, std::pair{"1/4", 1}}) {
        const CupSteps all = steps(std::string("cups 2\nmix 1 2 with ") + p + "\n");
        JointTracker<double> joint(all, settings);
        joint.take(all.steps[0]);
        EXPECT_EQ(joint.norm1(), kept);
    }
}

TEST(Tracker, SettingsThatDoNotFitAreAllTold) {
    TrackerSettings settings;
    settings.keyBasis = 1;
    settings.levels = 1;
    settings.normaliseEvery = -1;
    EXPECT_EQ(problemsIn(TrackerKind::kJoint, settings, 7).size(), 3U);
    EXPECT_EQ(problemsIn(TrackerKind::kLog, settings, 9).size(), 4U);
    EXPECT_TRUE(problemsIn(TrackerKind::kMarginal, {}, 7).empty());
}

TEST(Tracker, AZeroColumnStaysZeroAndTheResidualSaysSo) {
    const auto result = sinkhorn<double>({1, 0, 1, 0}, 2);
    EXPECT_EQ(result.residual, 1);
    EXPECT_EQ(result.rounds, 200);
    EXPECT_EQ(result.matrix[1], 0);
    EXPECT_EQ(sinkhorn<double>({0, 1, 1, 0}, 2).rounds, 0) << "there is nothing to do";
    const auto clean = sinkhorn<double>({std::nan(""), 1, 1, -1}, 2);
    EXPECT_EQ(clean.matrix, (std::vector<double>{0, 1, 1, 0}));
}

TEST(Tracker, OneStepOfSevenCupsTakesFarLessThanAFrame) {
    const CupSteps all = steps("cups 7\nrepeat 30\nmix random pair with 1/2\nlook random\nend\n");
    const auto tracker = makeTracker(TrackerKind::kJoint, all);
    const auto begin = std::chrono::steady_clock::now();
    for (const CupStep& step : all.steps) {
        tracker->take(step);
    }
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count() / all.size(), 16.0);
    RecordProperty("ms_a_step", std::to_string(took.count() / all.size()));
}

TEST(Tracker, ATimelineIsTheSameAfterEveryStepAsStepByStep) {
    auto all = std::make_shared<CupSteps>(mixedSteps(3, 20, 5, Convention::kPositions));
    for (const TrackerKind kind : kKinds) {
        TrackerSettings settings;
        settings.format = NumberFormat::kBf16;
        settings.normaliseEvery = 3;
        const TrackerTimeline timeline(all, makeTracker(kind, *all, settings), {}, 7);
        ASSERT_EQ(timeline.size(), all->size());
        const auto tracker = makeTracker(kind, *all, settings);
        for (int taken = 0; taken <= all->size(); ++taken) {
            const TrackerReading now = tracker->read();
            const TrackerReading then = timeline.after(taken)->read();
            ASSERT_EQ(then.marginals, now.marginals) << taken;
            ASSERT_EQ(then.log2Norm1, now.log2Norm1) << taken;
            if (taken < all->size()) {
                tracker->take(all->steps[static_cast<std::size_t>(taken)]);
            }
        }
    }
}

TEST(Tracker, AMillionStepsCanBeLookedAtAnywhere) {
    auto all = std::make_shared<CupSteps>(
        steps("cups 3\nrepeat 500000\nmix 2 3 with 1/3\nreveal 2 = 2\nend\n"));
    ASSERT_EQ(all->size(), 1'000'000);
    TrackerSettings settings;
    settings.format = NumberFormat::kFp16;
    settings.normaliseEvery = 1;
    const TrackerTimeline timeline(all, makeTracker(TrackerKind::kMarginal, *all, settings));
    for (const int taken : {0, 1, 499'999, 999'999, 1'000'000}) {
        const TrackerReading reading = timeline.after(taken)->read();
        EXPECT_FALSE(reading.lost);
        EXPECT_LE(timeline.every(), 1000);
        // Mixed after an odd number of steps, seen after an even one; fp16 has three digits.
        EXPECT_NEAR(reading.marginals[4], taken % 2 == 1 ? 2.0 / 3 : 1, 1e-3) << taken;
    }
}

TEST(Tracker, ATimelineStopsWhenAsked) {
    auto all = std::make_shared<CupSteps>(steps("cups 3\nwait 100000\n"));
    int questions = 0;
    const TrackerTimeline timeline(all, makeTracker(TrackerKind::kMarginal, *all),
                                   [&questions] { return ++questions == 3; });
    EXPECT_GT(timeline.size(), 0);
    EXPECT_LT(timeline.size(), 50'000);
    EXPECT_EQ(timeline.after(timeline.size())->read().marginals[0], 1);
}

}  // namespace
}  // namespace lab::tasks
