// The belief filter against the traced formula, numbers worked by hand, its laws and bits.
#include "kernels/belief_filter.h"

#include "kernels/reference/filters.h"
#include "kernels/thread_pool.h"
#include "tests/kernels/scan_support.h"

namespace lab::kernels::testing {
namespace {

using reference::BeliefExtent;

LAB_FOR_EVERY_ISA(BeliefFilter);

struct BeliefProblem {
    BeliefExtent extent;
    std::vector<int> source;
    std::vector<Numbers> inputs, upstream;  ///< as in reference::beliefFilter
};

Numbers distributions(Random& random, std::size_t rows, std::size_t n) {
    Numbers all = random.array(rows * n, 0.1, 1.0);
    for (std::size_t row = 0; row < rows; ++row) {
        double total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            total += all[row * n + i];
        }
        for (std::size_t i = 0; i < n; ++i) {
            all[row * n + i] = static_cast<float>(all[row * n + i] / total);
        }
    }
    return all;
}

BeliefProblem randomBelief(const BeliefExtent& e, bool evidence) {
    Random random(static_cast<std::uint64_t>(e.states * 131 + e.steps));
    const auto n = static_cast<std::size_t>(e.states), m = static_cast<std::size_t>(e.permutations);
    const auto tokens = static_cast<std::size_t>(e.batch) * static_cast<std::size_t>(e.steps);
    BeliefProblem p{e, {}, {}, {}};
    for (std::size_t i = 0; i < m; ++i) {
        std::vector<int> one(n);
        for (std::size_t j = 0; j < n; ++j) {
            one[j] = static_cast<int>(j);
        }
        for (std::size_t j = n; j-- > 1;) {
            std::swap(one[j], one[static_cast<std::size_t>(random.below(static_cast<int>(j) + 1))]);
        }
        p.source.insert(p.source.end(), one.begin(), one.end());
    }
    p.inputs = {m > 0 ? Numbers{} : distributions(random, (e.shared ? 1 : tokens) * n, n),
                m > 0 ? distributions(random, tokens, m) : Numbers{},
                evidence ? random.array(tokens * n, 0.0, 1.0) : Numbers{},
                distributions(random, static_cast<std::size_t>(e.batch), n)};
    p.upstream = {random.array(tokens * n), random.array(tokens)};
    return p;
}

template <class T>
ScanRun<T> run(const BeliefProblem& p, Isa isa, const Exec& exec = {}) {
    const BeliefExtent& e = p.extent;
    const auto plan =
        beliefPlan({e.batch, e.steps, e.states, e.permutations, e.shared}, isa, sizeof(T) == 8);
    const Extents beliefs{e.batch, e.steps, 1, e.states},
        mixes{e.batch, e.steps, 1, e.permutations};
    const auto transition = cast<T>(p.inputs[0]), initial = cast<T>(p.inputs[3]);
    const auto gradLog = cast<T>(p.upstream[1]);
    const std::vector<std::int32_t> source(p.source.begin(), p.source.end());
    const Placed<T> weights(mixes, Layout::kSlice, p.inputs[1].empty() ? nullptr : &p.inputs[1]);
    const Placed<T> evidence(beliefs, Layout::kChannelStrided,
                             p.inputs[2].empty() ? nullptr : &p.inputs[2]);
    const Placed<T> up(beliefs, Layout::kSlice, &p.upstream[0]);
    const Placed<T> belief(beliefs, Layout::kSlice), gradEvidence(beliefs, Layout::kContiguous);
    const Placed<T> gradWeights(mixes, Layout::kContiguous);
    auto mass = unwritten<T>(gradLog.size()), logs = mass;
    auto gradTransition = unwritten<T>(transition.size()),
         gradInitial = unwritten<T>(initial.size());
    auto workspace = unwritten<T>(plan.backwardWorkspaceBytes / sizeof(T) + 1);
    BeliefInputs<T> in;
    in.transition = orNull(transition);
    in.source = orNull(source);
    in.weights = orAbsent(weights, p.inputs[1]);
    in.evidence = orAbsent(evidence, p.inputs[2]);
    in.initial = initial.data();
    EXPECT_EQ(beliefForward<T>(plan, in, {belief.out(), mass.data(), logs.data()}, exec),
              Status::kOk);
    BeliefGradients<T> grad;
    grad.belief = belief.in();
    grad.mass = mass.data();
    grad.gradBelief = up.in();
    grad.gradLogEvidence = orNull(gradLog);
    grad.gradTransition = transition.empty() ? nullptr : gradTransition.data();
    grad.gradWeights = p.inputs[1].empty() ? View<T>{} : gradWeights.out();
    grad.gradEvidence = p.inputs[2].empty() ? View<T>{} : gradEvidence.out();
    grad.gradInitial = gradInitial.data();
    EXPECT_EQ(beliefBackward<T>(plan, in, grad, workspace.data(), exec), Status::kOk);
    const auto asked = [&](std::size_t input, const std::vector<T>& values) {
        return p.inputs[input].empty() ? std::vector<T>{} : values;
    };
    return {{belief.values(), logs},
            {gradTransition, asked(1, gradWeights.values()), asked(2, gradEvidence.values()),
             gradInitial}};
}

TEST_P(BeliefFilter, AgreesWithTheTracedFormula) {
    for (const int states : {1, 2, 5, 16, 37, 70}) {
        for (const int steps : {0, 1, 9}) {
            for (const auto& e : {BeliefExtent{3, steps, states, 0, true},
                                  {2, steps, states, 0, false},
                                  {2, steps, states, 3, true}}) {
                for (const bool evidence : {false, true}) {
                    SCOPED_TRACE(::testing::Message()
                                 << states << " states " << steps << " steps " << e.permutations
                                 << (e.shared ? "" : " own matrices"));
                    const auto p = randomBelief(e, evidence);
                    const auto expected =
                        reference::beliefFilter(e, p.source, p.inputs, p.upstream);
                    // Differences of sums near one: relative to those.
                    const std::vector<std::size_t> all{0, 1, 2, 3};
                    expectAnswer(run<double>(p, GetParam()), expected, 1e-12, 1e-12, all, {1});
                    expectAnswer(run<float>(p, GetParam()), expected, 5e-6, 2e-5, all, {1});
                }
            }
        }
    }
}

/// A fair swap of two cups, then seen unmoved: (1, 0) -> (1/2, 1/2) -> (1, 0), evidence 1/2.
TEST_P(BeliefFilter, FollowsTheShellGameByHand) {
    BeliefProblem p{{1, 2, 2, 2, true}, {0, 1, 1, 0}, {}, {}};
    p.inputs = {{}, {0.5, 0.5, 1, 0}, {1, 1, 1, 0}, {1, 0}};
    p.upstream = {{0, 0, 0, 0}, {0, 0}};
    const auto result = run<double>(p, GetParam());
    EXPECT_EQ(result.outputs[0], (Numbers{0.5, 0.5, 1, 0}));
    EXPECT_EQ(result.outputs[1], (Numbers{0, std::log(0.5)}));
}

/// What no state explains leaves nothing, says so, and is never NaN, here or later.
TEST_P(BeliefFilter, LeavesNothingBehindImpossibleEvidence) {
    auto p = randomBelief({1, 4, 3, 0, true}, true);
    std::fill(p.inputs[2].begin() + 3, p.inputs[2].begin() + 6, 0.0);
    const auto result = run<float>(p, GetParam());
    for (std::size_t i = 3; i < 12; ++i) {
        EXPECT_EQ(result.outputs[0][i], 0.0F);
    }
    for (std::size_t t = 1; t < 4; ++t) {
        EXPECT_EQ(result.outputs[1][t], -std::numeric_limits<float>::infinity());
    }
    for (const auto& gradient : result.gradients) {
        EXPECT_TRUE(std::ranges::all_of(gradient, [](float g) { return std::isfinite(g); }));
    }
}

TEST_P(BeliefFilter, SumsToOneOverTwoThousandSteps) {
    const auto p = randomBelief({1, 2000, 24, 4, true}, true);
    const auto beliefs = run<float>(p, GetParam()).outputs[0];
    for (std::size_t t = 0; t < 2000; ++t) {
        double total = 0;
        for (std::size_t i = 0; i < 24; ++i) {
            total += static_cast<double>(beliefs[t * 24 + i]);
        }
        EXPECT_NEAR(total, 1.0, 1e-6) << t;
    }
}

/// A permutation as a mixture of one is the same as its matrix.
TEST_P(BeliefFilter, KnowsAPermutationInBothForms) {
    auto mixture = randomBelief({1, 6, 8, 1, true}, true);
    std::fill(mixture.inputs[1].begin(), mixture.inputs[1].end(), 1.0);
    auto dense = mixture;
    dense.extent.permutations = 0;
    dense.inputs[1] = {};
    dense.inputs[0] = Numbers(64);
    for (std::size_t j = 0; j < 8; ++j) {
        dense.inputs[0][static_cast<std::size_t>(mixture.source[j]) * 8 + j] = 1.0;
    }
    EXPECT_TRUE(sameBits(run<float>(mixture, GetParam()).outputs[0],
                         run<float>(dense, GetParam()).outputs[0]));
}

TEST_P(BeliefFilter, GivesTheSameBitsForAnyThreadsAndStepByStep) {
    ThreadPool sixteen(16);
    for (const int permutations : {0, 3}) {
        const auto p = randomBelief({5, 12, 19, permutations, true}, true);
        const auto plain = run<float>(p, GetParam());
        expectSameBits(run<float>(p, GetParam(), sixteen.exec()), plain);
        auto belief = cast<float>(p.inputs[3]);
        const auto transition = cast<float>(p.inputs[0]), weights = cast<float>(p.inputs[1]);
        const auto evidence = cast<float>(p.inputs[2]);
        const std::vector<std::int32_t> source(p.source.begin(), p.source.end());
        const auto plan = beliefPlan({5, 1, 19, permutations, true}, GetParam());
        auto workspace = unwritten<float>(plan.backwardWorkspaceBytes / sizeof(float) + 1);
        for (std::int64_t t = 0; t < 12; ++t) {
            BeliefInputs<float> in;
            in.transition = orNull(transition);
            in.source = orNull(source);
            in.weights = {permutations > 0 ? weights.data() + t * 3 : nullptr, {36, 0, 0, 1}};
            in.evidence = {evidence.data() + t * 19, {12 * 19, 0, 0, 1}};
            ASSERT_EQ(beliefStep<float>(plan, in, belief.data(), nullptr, workspace.data()),
                      Status::kOk);
            for (std::size_t b = 0; b < 5; ++b) {
                for (std::size_t i = 0; i < 19; ++i) {
                    EXPECT_EQ(belief[b * 19 + i],
                              plain.outputs[0][(b * 12 + static_cast<std::size_t>(t)) * 19 + i]);
                }
            }
        }
    }
}

TEST_P(BeliefFilter, RefusesWhatItCannotDo) {
    EXPECT_EQ(beliefPlan({1, 1, 0}, GetParam()).status, Status::kBadShape);
    EXPECT_EQ(beliefPlan({1, -1, 2}, GetParam()).status, Status::kBadShape);
    const auto plan = beliefPlan({1, 1, 2}, GetParam());
    EXPECT_EQ(beliefForward<float>(plan, {}, {}), Status::kMissingArgument);
    float belief[2] = {1, 0};
    EXPECT_EQ(beliefStep<float>(beliefPlan({1, 2, 2}, GetParam()), {}, belief, nullptr, nullptr),
              Status::kBadShape);
}

}  // namespace
}  // namespace lab::kernels::testing
