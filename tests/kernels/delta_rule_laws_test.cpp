// Algebraic laws of the delta rule, and its behaviour under hostile numbers.
#include <gtest/gtest.h>  // before RapidCheck, which needs it and does not include it
#include <rapidcheck/gtest.h>

#include <array>
#include <numeric>

#include "tests/kernels/delta_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(DeltaRuleLaws);

/// Shapes for the laws that hold for all: drawn by RapidCheck, which shrinks what fails.
DeltaSetting anySetting() {
    DeltaSetting s;
    s.batch = *rc::gen::inRange(1, 3);
    s.steps = *rc::gen::inRange(1, 40);
    s.heads = *rc::gen::inRange(1, 3);
    s.keyDim = *rc::gen::elementOf(std::vector{1, 3, 8, 16, 24, 32, 64});
    s.valueDim = *rc::gen::elementOf(std::vector{1, 5, 16, 32, 48, 64});
    s.householders = *rc::gen::inRange(1, 5);
    s.gated = *rc::gen::arbitrary<bool>();
    // With K = 1 a normalised key is +-1 whatever it is: its gradient is nothing but rounding.
    s.normalised = s.keyDim > 1 && *rc::gen::arbitrary<bool>();
    s.initialState = *rc::gen::arbitrary<bool>();
    s.seed = *rc::gen::arbitrary<std::uint64_t>();
    return s;
}
Isa anyIsa() {
    const Isa isa = *rc::gen::elementOf(std::vector(std::begin(kEveryIsa), std::end(kEveryIsa)));
    return canRun(isa) ? isa : Isa::kGeneric;
}

double norm(const Numbers& x) {
    return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

RC_GTEST_PROP(DeltaRuleLaw, AgreesWithTheReferenceOnAnyShape, ()) {
    const DeltaProblem p = randomProblem(anySetting());
    const auto run = runDelta<double>(p, {anyIsa(), {}, Layout::kSlice, Layout::kSlice});
    const auto expected = reference::deltaRule(p);
    RC_ASSERT(relativeError(run.o, expected.o) < 1e-12);
    RC_ASSERT(relativeError(run.gradK, expected.gradK) < 1e-11);
    RC_ASSERT(relativeError(run.gradQ, expected.gradQ) < 1e-11);
    RC_ASSERT(relativeError(run.gradBeta, expected.gradBeta) < 1e-11);
}

/// o and S_T are linear in (v, S_0) together.
RC_GTEST_PROP(DeltaRuleLaw, IsLinearInValuesAndInitialStateTogether, ()) {
    DeltaSetting setting = anySetting();
    setting.initialState = true;
    const Isa isa = anyIsa();
    const DeltaProblem a = randomProblem(setting);
    ++setting.seed;
    DeltaProblem b = a;
    b.v = randomProblem(setting).v;
    b.initialState = randomProblem(setting).initialState;
    DeltaProblem sum = a;
    for (std::size_t i = 0; i < sum.v.size(); ++i) {
        sum.v[i] = 2 * a.v[i] - 3 * b.v[i];
    }
    for (std::size_t i = 0; i < sum.initialState.size(); ++i) {
        sum.initialState[i] = 2 * a.initialState[i] - 3 * b.initialState[i];
    }
    const RunOptions options{isa, {}, {}, {}, false};
    const auto runA = runDelta<double>(a, options);
    const auto runB = runDelta<double>(b, options);
    const auto combine = [](const Numbers& x, const Numbers& y) {
        Numbers result(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) {
            result[i] = 2 * x[i] - 3 * y[i];
        }
        return result;
    };
    const auto runSum = runDelta<double>(sum, options);
    RC_ASSERT(relativeError(runSum.o, combine(runA.o, runB.o)) < 1e-11);
    RC_ASSERT(relativeError(runSum.finalState, combine(runA.finalState, runB.finalState)) < 1e-11);
}

/// q and k in another orthonormal basis: o stays, S turns. The basis is a reflection I - 2 w w^T.
RC_GTEST_PROP(DeltaRuleLaw, DoesNotFeelTheBasisOfKeysAndQueries, ()) {
    DeltaSetting setting = anySetting();
    setting.initialState = false;
    const DeltaProblem p = randomProblem(setting);
    Random random(setting.seed);
    Numbers w = random.array(static_cast<std::size_t>(p.keyDim));
    const double length = norm(w);
    RC_PRE(length > 1e-3);
    const auto turned = [&](Numbers rows) {
        const auto width = static_cast<std::size_t>(p.keyDim);
        for (std::size_t at = 0; at < rows.size(); at += width) {
            double along = 0;
            for (std::size_t i = 0; i < width; ++i) {
                along += rows[at + i] * w[i] / length;
            }
            for (std::size_t i = 0; i < width; ++i) {
                rows[at + i] -= 2 * along * w[i] / length;
            }
        }
        return rows;
    };
    DeltaProblem q = p;
    q.q = turned(p.q);
    q.k = turned(p.k);
    const RunOptions options{anyIsa(), {}, {}, {}, false};
    RC_ASSERT(relativeError(runDelta<double>(q, options).o, widen(runDelta<double>(p, options).o)) <
              1e-11);
}

/// n_h = 2 with beta_2 = 0 is n_h = 1, and n_h = 1 is the delta rule; bit for bit, since adding
/// k (0 r)^T changes nothing.
TEST_P(DeltaRuleLaws, ASecondFactorWithBetaZeroChangesNothing) {
    const DeltaProblem one = randomProblem({2, 25, 2, 16, 16, 1});
    DeltaProblem two = randomProblem({2, 25, 2, 16, 16, 2});
    two.q = one.q;
    two.initialState = one.initialState;
    for (std::size_t row = 0; row < one.beta.size(); ++row) {
        const std::size_t token = row / 2;  // rows are [B,T,H]: row = token * heads + head
        const std::size_t head = row % 2;
        const std::size_t first = (token * 2) * 2 + head;
        const std::size_t second = (token * 2 + 1) * 2 + head;
        two.beta[first] = one.beta[row];
        two.beta[second] = 0.0;
        for (std::size_t i = 0; i < 16; ++i) {
            two.k[first * 16 + i] = one.k[row * 16 + i];
            two.v[first * 16 + i] = one.v[row * 16 + i];
        }
    }
    const RunOptions options{GetParam(), {}, {}, {}, false};
    const auto runOne = runDelta<float>(one, options);
    const auto runTwo = runDelta<float>(two, options);
    EXPECT_EQ(runOne.o, runTwo.o);
    EXPECT_EQ(runOne.finalState, runTwo.finalState);
}

TEST_P(DeltaRuleLaws, BetaZeroKeepsTheState) {
    DeltaProblem p = randomProblem({1, 50, 2, 16, 16, 2});
    p.beta.assign(p.beta.size(), 0.0);
    EXPECT_EQ(widen(runDelta<float>(p, {GetParam(), {}, {}, {}, false}).finalState),
              p.initialState);
}

/// beta = 1 with a unit key replaces what the key held: reading with it gives v.
TEST_P(DeltaRuleLaws, BetaOneOverwritesExactly) {
    DeltaProblem p = randomProblem({2, 60, 2, 16, 16, 1});
    p.beta.assign(p.beta.size(), 1.0);
    p.q = p.k;
    p.scale = 1.0;
    LAB_EXPECT_CLOSE(runDelta<float>(p, {GetParam(), {}, {}, {}, false}).o, p.v, 1e-5);
}

/// beta = 2, v = 0: exact reflections, the state keeps its norm over 2048 tokens.
TEST_P(DeltaRuleLaws, ReflectionsKeepTheNormOfTheState) {
    for (const int dim : {16, 24, 32}) {
        DeltaSetting setting{1, 2048, 1, dim, dim, 1};
        setting.normalised = true;
        DeltaProblem p = randomProblem(setting);
        p.normaliseEpsilon = 0.0;
        p.beta.assign(p.beta.size(), 2.0);
        p.v.assign(p.v.size(), 0.0);
        const auto run = runDelta<float>(p, {GetParam(), {}, {}, {}, false});
        for (const float stateNorm : run.stateNorm) {
            ASSERT_NEAR(stateNorm / norm(p.initialState), 1.0, 1e-5);
        }
    }
}

/// A walk of random swaps of `points` rows, as keys, and the permutation that comes out: with
/// beta |k|^2 = 2 and v = 0 a factor is the reflection that swaps rows i and j of the state.
struct SwapWalk {
    SwapWalk(int points, int dim, int factors, double key, double beta)
        : problem{1, 2048, 1, dim, dim, factors}, content(static_cast<std::size_t>(dim)) {
        const auto rows = static_cast<std::size_t>(problem.steps * factors);
        const auto width = static_cast<std::size_t>(dim);
        problem.q.assign(rows * width, 0.0);
        problem.k = problem.v = problem.q;
        problem.beta.assign(rows, beta);
        problem.initialState.assign(width * width, 0.0);
        for (std::size_t i = 0; i < width; ++i) {
            problem.initialState[i * width + i] = 1.0;
            content[i] = i;
        }
        Random random(static_cast<std::uint64_t>(points));
        for (std::size_t row = 0; row < rows; ++row) {
            const int i = random.below(points);
            const int j = (i + 1 + random.below(points - 1)) % points;
            std::swap(content[static_cast<std::size_t>(i)], content[static_cast<std::size_t>(j)]);
            problem.k[row * width + static_cast<std::size_t>(i)] = key;
            problem.k[row * width + static_cast<std::size_t>(j)] = -key;
        }
    }
    [[nodiscard]] Numbers matrix() const {
        Numbers result(problem.initialState.size(), 0.0);
        for (std::size_t i = 0; i < content.size(); ++i) {
            result[i * content.size() + content[i]] = 1.0;
        }
        return result;
    }

    DeltaProblem problem;
    std::vector<std::size_t> content;
};

/// The theme of the project as a law of the kernel: n_h = n - 1 swaps a token reach every
/// permutation of S_n. With keys e_i - e_j and beta = 1 all arithmetic is in small integers, so
/// that 2048 tokens give the permutation matrix exactly, in float. Unit keys carry sqrt(1/2),
/// which float rounds the same way each time: double shows that nothing else drifts.
TEST_P(DeltaRuleLaws, HandSetKeysComposePermutationsExactly) {
    const RunOptions options{GetParam(), {}, {}, {}, false};
    for (const auto& [points, dim] :
         {std::pair{2, 2}, std::pair{3, 16}, std::pair{4, 5}, std::pair{5, 16}, std::pair{5, 32}}) {
        for (const int factors : {1, points - 1}) {
            SCOPED_TRACE(::testing::Message() << points << " points, K " << dim << ", " << factors);
            const SwapWalk exact(points, dim, factors, 1.0, 1.0);
            EXPECT_EQ(widen(runDelta<float>(exact.problem, options).finalState), exact.matrix());
            const SwapWalk unit(points, dim, factors, std::sqrt(0.5), 2.0);
            LAB_EXPECT_CLOSE(runDelta<double>(unit.problem, options).finalState, unit.matrix(),
                             1e-10);
        }
    }
}

/// KR-01 and KR-03: ten thousand calls such as training makes, with keys nearly parallel,
/// orthogonal, zero or repeated, beta at 0, 1, 2, gates 0 and -30: finite, and near the reference.
TEST_P(DeltaRuleLaws, HostileInputsStayFiniteAndAccurate) {
    for (std::uint64_t seed = 0; seed < 10000; ++seed) {
        Random random(seed);
        DeltaSetting setting{1, 6, 1, 3 + random.below(4), 4, 1 + random.below(2)};
        setting.gated = random.below(2) == 0;
        setting.normalised = true;
        setting.seed = seed;
        DeltaProblem p = randomProblem(setting);
        const auto width = static_cast<std::size_t>(p.keyDim);
        const int kind = random.below(4);
        for (std::size_t i = 0; i < p.k.size(); ++i) {
            const double nearly = p.k[i % width] + 1e-3 * p.k[i];
            const bool own = i / width % width == i % width;
            const std::array<double, 4> choice{nearly, own ? 1.0 : 1e-4 * p.k[i],
                                               i / width % 2 == 0 ? 0.0 : p.k[i], p.k[i % width]};
            p.k[i] = static_cast<float>(choice[static_cast<std::size_t>(kind)]);
        }
        for (double& beta : p.beta) {
            beta = random.below(3);
        }
        for (double& gate : p.gate) {
            gate = random.below(2) == 0 ? 0.0 : -30.0;
        }
        SCOPED_TRACE(seed);
        // Small arrays cancel more: errors are relative to numbers that may all be small.
        expectAgrees(runDelta<float>(p, {GetParam()}), p, reference::deltaRule(p), 5e-5, 5e-4);
        if (::testing::Test::HasFailure()) {
            return;
        }
    }
}

/// KR-05: gates down to -20 a step over 2048 tokens, and a gate of minus infinity as a reset.
TEST_P(DeltaRuleLaws, StrongGatesNeitherOverflowNorLeak) {
    DeltaSetting setting{1, 2048, 1, 16, 16, 1};
    setting.gated = true;
    DeltaProblem p = randomProblem(setting);
    for (double& gate : p.gate) {
        gate *= 10.0;
    }
    expectAgrees(runDelta<float>(p, {GetParam()}), p, reference::deltaRule(p));
    p.gate[1024] = -std::numeric_limits<double>::infinity();
    const auto reset = runDelta<float>(p, {GetParam(), {}, {}, {}, false});
    DeltaProblem fresh = p;
    fresh.initialState.assign(fresh.initialState.size(), 123.0);
    EXPECT_EQ(runDelta<float>(fresh, {GetParam(), {}, {}, {}, false}).finalState, reset.finalState);
}

/// KR-03: the first breach of beta |k|^2 <= 2 is named; within the contract there is none.
TEST(DeltaRuleContract, NamesTheFirstBreach) {
    DeltaProblem p = randomProblem({2, 5, 3, 16, 16, 2});
    const DeltaPlan plan = deltaRulePlan(shapeOf(p), {});
    EXPECT_FALSE(findContractBreach(plan, DeltaArguments<float>(p, {}).inputs).found);
    const std::size_t row = (10 + 7) * 3 + 2;  // batch 1, factor 1 of token 3, head 2
    p.beta[row] = 2.5;
    const auto breach = findContractBreach(plan, DeltaArguments<float>(p, {}).inputs);
    EXPECT_TRUE(breach.found);
    EXPECT_EQ(breach.batch, 1);
    EXPECT_EQ(breach.row, 7);
    EXPECT_EQ(breach.head, 2);
    EXPECT_NEAR(breach.value, 2.5, 1e-6);
}

}  // namespace
}  // namespace lab::kernels::testing
