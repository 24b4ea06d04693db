// The delta rule against numbers worked by hand and against the float64 reference.
#include "kernels/delta_rule.h"

#include <array>

#include "tests/kernels/delta_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(DeltaRule);

/// Two tokens, K = V = 2, all numbers dyadic (KR-44: which state is read, where beta goes).
///   t = 0: S = 0, r = v = (2,4), u = r/2, S = [1 2; 0 0], S^T q = (1,2)
///   t = 1: S^T k = (1/2,1), r = (1/2,-1), u = 2r, S = [3/2 1; 1/2 -1], S^T q = (5/2,3)
DeltaProblem byHand() {
    DeltaProblem p{1, 2, 1, 2, 2, 1};
    p.scale = 0.5;
    p.q = {1, 1, 2, -1};
    p.k = {1, 0, 0.5, 0.5};
    p.v = {2, 4, 1, 0};
    p.beta = {0.5, 2};
    p.gate = {0, 0};
    p.gradO = {1, 0, 0, 1};
    return p;
}

TEST_P(DeltaRule, FollowsTheRecurrenceByHand) {
    const auto run = runDelta<float>(byHand(), {GetParam()});
    EXPECT_EQ(widen(run.o), (Numbers{0.5, 1, 1.25, 1.5}));
    EXPECT_EQ(widen(run.finalState), (Numbers{1.5, 1, 0.5, -1}));
    EXPECT_EQ(widen(run.residual), (Numbers{2, 4, 0.5, -1}));
    EXPECT_FLOAT_EQ(run.stateNorm[0], std::sqrt(5.0F));
    EXPECT_FLOAT_EQ(run.stateNorm[1], std::sqrt(4.5F));
}

TEST_P(DeltaRule, FollowsTheGradientsByHand) {
    const auto run = runDelta<float>(byHand(), {GetParam()});
    EXPECT_EQ(widen(run.gradQ), (Numbers{0.5, 0, 0.5, -0.5}));
    EXPECT_EQ(widen(run.gradK), (Numbers{2, -1, -3, 1}));
    EXPECT_EQ(widen(run.gradV), (Numbers{0.25, 0.375, 0, 0.5}));
    EXPECT_EQ(widen(run.gradBeta), (Numbers{4, -0.25}));
    EXPECT_EQ(widen(run.gradGate), (Numbers{0, 1.5}));
    EXPECT_EQ(widen(run.gradInitialState), (Numbers{0.25, 0.375, 0.5, -0.75}));
}

/// KR-07: whatever the tile of tokens inside, every number of tokens is right. The options change
/// with T, so that each tile border meets each of them. KR-17: the scale is never 1.
TEST_P(DeltaRule, AgreesWithTheReferenceForEveryNumberOfTokens) {
    for (int steps = 1; steps <= 130; ++steps) {
        DeltaSetting setting{1, steps, 1, 16, 16, 1 + steps % 4};
        setting.gated = steps / 4 % 2 == 1;
        setting.normalised = steps / 8 % 2 == 1;
        setting.initialState = steps % 3 != 0;
        setting.gradFinalState = steps % 5 != 0;
        setting.seed = static_cast<std::uint64_t>(steps);
        SCOPED_TRACE(steps);
        const DeltaProblem p = randomProblem(setting);
        expectAgrees(runDelta<float>(p, {GetParam()}), p, reference::deltaRule(p));
    }
}

/// KR-07, the borders of larger powers of two.
TEST_P(DeltaRule, AgreesWithTheReferenceAtTheBordersOfLongSequences) {
    for (const int steps : {255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048}) {
        DeltaSetting setting{1, steps, 1, 16, 16, 1};
        setting.gated = steps % 2 == 0;
        setting.normalised = true;
        SCOPED_TRACE(steps);
        const DeltaProblem p = randomProblem(setting);
        expectAgrees(runDelta<float>(p, {GetParam()}), p, reference::deltaRule(p));
    }
}

constexpr std::array kDims{1, 3, 8, 16, 24, 32, 48, 64, 80, 96, 128};

/// KR-18: any head dimensions, equal or not, powers of two or not.
TEST_P(DeltaRule, AgreesWithTheReferenceForAnyHeadDimensions) {
    for (const int keyDim : kDims) {
        for (const int valueDim : kDims) {
            DeltaSetting setting{1, 3, 2, keyDim, valueDim, 2};
            setting.gated = true;
            setting.normalised = keyDim > 1 && valueDim % 16 == 0;
            SCOPED_TRACE(::testing::Message() << "K " << keyDim << " V " << valueDim);
            const DeltaProblem p = randomProblem(setting);
            expectAgrees(runDelta<float>(p, {GetParam()}), p, reference::deltaRule(p));
        }
    }
}

TEST_P(DeltaRule, AgreesWithTheReferenceInDoublePrecision) {
    for (const auto& [keyDim, valueDim] :
         {std::array{16, 16}, std::array{32, 32}, std::array{64, 64}, std::array{5, 19}}) {
        for (const bool gated : {false, true}) {
            DeltaSetting setting{2, 37, 2, keyDim, valueDim, 3};
            setting.gated = gated;
            setting.normalised = gated;
            SCOPED_TRACE(::testing::Message() << "K " << keyDim << " V " << valueDim);
            const DeltaProblem p = randomProblem(setting);
            expectAgrees(runDelta<double>(p, {GetParam()}), p, reference::deltaRule(p));
        }
    }
}

/// KR-17: o is linear in the scale; powers of two make it exact.
TEST_P(DeltaRule, ScalesItsOutputOnce) {
    DeltaProblem p = randomProblem({1, 20, 1, 16, 16});
    p.scale = 1.0;
    const auto plain = runDelta<float>(p, {GetParam()});
    p.scale = 4.0;
    const auto scaled = runDelta<float>(p, {GetParam()});
    for (std::size_t i = 0; i < plain.o.size(); ++i) {
        EXPECT_EQ(scaled.o[i], 4.0F * plain.o[i]);
    }
    for (std::size_t i = 0; i < plain.gradQ.size(); ++i) {
        EXPECT_EQ(scaled.gradQ[i], 4.0F * plain.gradQ[i]);
    }
}

/// KR-50: nothing to do is done without touching memory; the state passes through.
TEST_P(DeltaRule, AcceptsZeroSizes) {
    for (const auto& [batch, steps, heads] :
         {std::array{0, 4, 2}, std::array{2, 4, 0}, std::array{2, 0, 3}}) {
        DeltaSetting setting{batch, steps, heads, 4, 3};
        setting.gated = true;
        const DeltaProblem p = randomProblem(setting);
        const auto run = runDelta<float>(p, {GetParam()});
        EXPECT_TRUE(run.o.empty());
        EXPECT_EQ(widen(run.finalState), p.initialState);
        EXPECT_EQ(widen(run.gradInitialState), p.gradFinalState);
    }
}

TEST_P(DeltaRule, RefusesWhatItCannotDo) {
    const Isa isa = GetParam();
    for (const DeltaShape shape :
         {DeltaShape{-1, 1, 1, 1, 1}, DeltaShape{1, -1, 1, 1, 1}, DeltaShape{1, 1, -1, 1, 1},
          DeltaShape{1, 1, 1, 0, 1}, DeltaShape{1, 1, 1, 1, 0}, DeltaShape{1, 1, 1, 1, 1, 0},
          DeltaShape{2147483647, 2147483647, 2147483647, 128, 128}}) {
        EXPECT_EQ(deltaRulePlan(shape, {}, isa).status, Status::kBadShape);
    }
    const DeltaProblem p = randomProblem({1, 2, 1, 4, 4});
    const DeltaArguments<float> arguments(p, Layout::kContiguous);
    const DeltaPlan plan = deltaRulePlan(shapeOf(p), {}, isa);
    std::vector<float> workspace(plan.forwardWorkspaceBytes / sizeof(float) + 1);
    const Placed<float> o({1, 2, 1, 4}, Layout::kChannelStrided);
    const Placed<float> good({1, 2, 1, 4}, Layout::kContiguous);
    EXPECT_EQ(deltaRuleForward<float>(plan, arguments.inputs, {o.out()}, workspace.data()),
              Status::kBadStride);
    EXPECT_EQ(deltaRuleForward<float>(plan, arguments.inputs, {good.out()}, nullptr),
              Status::kMissingArgument);
    DeltaInputs<float> noKeys = arguments.inputs;
    noKeys.k = {};
    EXPECT_EQ(deltaRuleForward<float>(plan, noKeys, {good.out()}, workspace.data()),
              Status::kMissingArgument);
    DeltaInputs<float> backwards = arguments.inputs;
    backwards.v.stride[1] = -4;
    EXPECT_EQ(deltaRuleForward<float>(plan, backwards, {good.out()}, workspace.data()),
              Status::kBadStride);
    const DeltaPlan wrongType = deltaRulePlan(shapeOf(p), {}, isa, true);
    EXPECT_EQ(deltaRuleForward<float>(wrongType, arguments.inputs, {good.out()}, workspace.data()),
              Status::kWorkspaceTooSmall);
}

TEST(DeltaRulePlan, NamesItsVariantAndWhatTheMachineLacks) {
    EXPECT_STREQ(deltaRulePlan({1, 1, 1, 16, 16}, {}, Isa::kGeneric).variant,
                 "delta.generic.k16v16");
    EXPECT_STREQ(deltaRulePlan({1, 1, 1, 16, 17}, {}, Isa::kGeneric, true).variant,
                 "delta.generic.f64.any");
    EXPECT_EQ(deltaRulePlan({1, 1, 1, 16, 16}, {}, Isa{7}).status, Status::kUnavailable);
}

/// The table of the cost model, worked for K = 4, V = 8, n_h = 2, three tokens: state 32.
TEST(DeltaRuleCost, CountsWhatTheFormulasSay) {
    const DeltaShape shape{1, 3, 1, 4, 8, 2};
    const Cost forward = deltaRuleForwardCost(shape, false);
    EXPECT_EQ(forward.flops, 3 * 32 * 10);
    EXPECT_EQ(forward.bytes, 3 * 4 * (4 + 8 + 2 * (4 + 8 + 8 + 1)));
    EXPECT_EQ(deltaRuleForwardCost(shape, true).flops, 3 * 32 * 11);
    EXPECT_EQ(deltaRuleBackwardCost(shape, false).flops, 3 * 32 * 24);
    EXPECT_EQ(deltaRuleBackwardCost(shape, true).flops, 3 * 32 * 26);
}

}  // namespace
}  // namespace lab::kernels::testing
