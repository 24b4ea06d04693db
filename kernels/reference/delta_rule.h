// The delta rule as its formulas say, in float64: an oracle for tests and benches.
//
// Shares nothing with the kernels, not even their types. Arrays are contiguous with the shapes of
// kernels/delta_rule.h; an empty vector is an absent argument. Every state is kept, gradients are
// the adjoints of one factor at a time:  S' = S + beta k (v - S^T k)^T.
#pragma once

#include <vector>

namespace lab::kernels::reference {

using Numbers = std::vector<double>;

struct DeltaProblem {
    int batch = 1, steps = 0, heads = 1, keyDim = 1, valueDim = 1, householders = 1;
    double scale = 1.0;
    double normaliseEpsilon = -1.0;  ///< < 0: q and k as they are
    Numbers q{}, k{}, v{}, beta{}, gate{}, initialState{};
    Numbers gradO{}, gradFinalState{};  ///< upstream; empty: zero
};

struct DeltaAnswer {
    Numbers o, finalState, residual, stateNorm;
    Numbers gradQ, gradK, gradV, gradBeta, gradGate, gradInitialState;
};

[[nodiscard]] DeltaAnswer deltaRule(const DeltaProblem& problem);

}  // namespace lab::kernels::reference
