// Central differences of the production code in double precision: an oracle that knows nothing of
// the formulas of backward.
#include <functional>

#include "tests/kernels/delta_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(DeltaRuleGradient);

/// <o, dO> + <S_T, dS_T>.
double loss(const DeltaProblem& p, Isa isa) {
    const auto run = runDelta<double>(p, {isa, {}, {}, {}, false});
    double total = 0;
    for (std::size_t i = 0; i < run.o.size(); ++i) {
        total += run.o[i] * p.gradO[i];
    }
    for (std::size_t i = 0; i < p.gradFinalState.size(); ++i) {
        total += run.finalState[i] * p.gradFinalState[i];
    }
    return total;
}

/// The derivative of the loss in every number of one input.
Numbers differences(const DeltaProblem& p, Numbers DeltaProblem::*input, Isa isa) {
    constexpr double kStep = 1e-5;
    Numbers result;
    for (std::size_t i = 0; i < (p.*input).size(); ++i) {
        DeltaProblem up = p;
        DeltaProblem down = p;
        (up.*input)[i] += kStep;
        (down.*input)[i] -= kStep;
        result.push_back((loss(up, isa) - loss(down, isa)) / (2 * kStep));
    }
    return result;
}

void expectGradients(const DeltaSetting& setting, Isa isa) {
    SCOPED_TRACE(::testing::Message()
                 << "K " << setting.keyDim << " n " << setting.householders << " gated "
                 << setting.gated << " normalised " << setting.normalised << " S0 "
                 << setting.initialState << " dST " << setting.gradFinalState);
    DeltaProblem p = randomProblem(setting);
    const auto run = runDelta<double>(p, {isa});
    // Truncation kStep^2 and rounding 1e-16 / kStep, both about 1e-10 of the loss.
    constexpr double kTolerance = 1e-8;
    LAB_EXPECT_CLOSE(run.gradQ, differences(p, &DeltaProblem::q, isa), kTolerance);
    LAB_EXPECT_CLOSE(run.gradK, differences(p, &DeltaProblem::k, isa), kTolerance);
    LAB_EXPECT_CLOSE(run.gradV, differences(p, &DeltaProblem::v, isa), kTolerance);
    LAB_EXPECT_CLOSE(run.gradBeta, differences(p, &DeltaProblem::beta, isa), kTolerance);
    LAB_EXPECT_CLOSE(run.gradGate, differences(p, &DeltaProblem::gate, isa), kTolerance);
    if (setting.initialState) {
        LAB_EXPECT_CLOSE(run.gradInitialState, differences(p, &DeltaProblem::initialState, isa),
                         kTolerance);
    }
}

/// KR-14 and KR-15: every combination of the optional arguments, KR-17: scale 0.75.
TEST_P(DeltaRuleGradient, IsTheDerivativeForAllCombinationsOfOptions) {
    for (int options = 0; options < 16; ++options) {
        for (const int factors : {1, 3}) {
            DeltaSetting setting{2, 3, 1, 4, 3, factors};
            setting.gated = (options & 1) != 0;
            setting.normalised = (options & 2) != 0;
            setting.initialState = (options & 4) != 0;
            setting.gradFinalState = (options & 8) != 0;
            expectGradients(setting, GetParam());
        }
    }
}

/// The compiled extents, past the border of a tile of tokens.
TEST_P(DeltaRuleGradient, IsTheDerivativeForCompiledExtents) {
    for (const auto& [dim, steps] : {std::pair{16, 18}, std::pair{32, 3}, std::pair{64, 1}}) {
        DeltaSetting setting{1, steps, 1, dim, dim, 1};
        setting.gated = setting.normalised = true;
        expectGradients(setting, GetParam());
    }
}

}  // namespace
}  // namespace lab::kernels::testing
