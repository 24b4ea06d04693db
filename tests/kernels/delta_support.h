// Random delta rule problems, and the kernels run on them.
#pragma once

#include <utility>

#include "kernels/delta_rule.h"
#include "kernels/reference/delta_rule.h"
#include "tests/kernels/support.h"

namespace lab::kernels::testing {

using reference::DeltaAnswer;
using reference::DeltaProblem;

/// Which optional arguments a problem has.
struct DeltaSetting {
    int batch = 1, steps = 1, heads = 1, keyDim = 1, valueDim = 1, householders = 1;
    bool gated = false, normalised = false, initialState = true, gradFinalState = true;
    double scale = 0.75, betaLimit = 2.0;
    std::uint64_t seed = 1;
};

inline void makeUnit(Numbers& rows, int width) {
    for (std::size_t at = 0; at < rows.size(); at += static_cast<std::size_t>(width)) {
        double square = 0;
        for (int i = 0; i < width; ++i) {
            square +=
                rows[at + static_cast<std::size_t>(i)] * rows[at + static_cast<std::size_t>(i)];
        }
        for (int i = 0; i < width; ++i) {
            double& x = rows[at + static_cast<std::size_t>(i)];
            x = static_cast<float>(x / std::sqrt(square));
        }
    }
}

/// Keys of length 1 (unless the kernel normalises them), beta in [0, betaLimit], gates in [-2, 0].
inline DeltaProblem randomProblem(const DeltaSetting& s) {
    Random random(s.seed);
    DeltaProblem p{s.batch, s.steps, s.heads, s.keyDim, s.valueDim, s.householders};
    p.scale = s.scale;
    p.normaliseEpsilon = s.normalised ? 1e-6 : -1.0;
    const Extents token{s.batch, s.steps, s.heads, 1};
    const std::size_t tokens = token.count();
    const std::size_t rows = tokens * static_cast<std::size_t>(s.householders);
    const std::size_t states = Extents{s.batch, s.heads, s.keyDim, s.valueDim}.count();
    p.q = random.array(tokens * static_cast<std::size_t>(s.keyDim));
    p.k = random.array(rows * static_cast<std::size_t>(s.keyDim));
    p.v = random.array(rows * static_cast<std::size_t>(s.valueDim));
    p.beta = random.array(rows, 0.0, s.betaLimit);
    if (!s.normalised) {
        makeUnit(p.k, s.keyDim);
    }
    if (s.gated) {
        p.gate = random.array(tokens, -2.0, 0.0);
    }
    if (s.initialState) {
        p.initialState = random.array(states);
    }
    p.gradO = random.array(tokens * static_cast<std::size_t>(s.valueDim));
    if (s.gradFinalState) {
        p.gradFinalState = random.array(states);
    }
    return p;
}

inline DeltaShape shapeOf(const DeltaProblem& p) {
    return {p.batch, p.steps, p.heads, p.keyDim, p.valueDim, p.householders};
}

template <class T>
struct DeltaRun {
    std::vector<T> o, finalState, residual, gradQ, gradK, gradV, gradBeta, gradGate,
        gradInitialState, rebuiltFinalState;
    std::vector<float> stateNorm;
};

struct RunOptions {
    Isa isa = Isa::kGeneric;
    Exec exec{};
    Layout inputs = Layout::kContiguous, outputs = Layout::kContiguous;
    bool backward = true;
};

/// The arrays of a problem as the kernels take them.
template <class T>
class DeltaArguments {
public:
    DeltaArguments(const DeltaProblem& p, Layout layout)
        : m_q({p.batch, p.steps, p.heads, p.keyDim}, layout, &p.q),
          m_k({p.batch, p.steps * p.householders, p.heads, p.keyDim}, layout, &p.k),
          m_v({p.batch, p.steps * p.householders, p.heads, p.valueDim}, layout, &p.v),
          m_beta({p.batch, p.steps * p.householders, p.heads, 1}, layout, &p.beta),
          m_gate({p.batch, p.steps, p.heads, 1}, layout, p.gate.empty() ? nullptr : &p.gate),
          m_gradO({p.batch, p.steps, p.heads, p.valueDim}, layout,
                  p.gradO.empty() ? nullptr : &p.gradO),
          m_state(cast<T>(p.initialState)),
          m_gradState(cast<T>(p.gradFinalState)) {
        inputs.q = m_q.in();
        inputs.k = m_k.in();
        inputs.v = m_v.in();
        inputs.beta = m_beta.in();
        if (!p.gate.empty()) {
            inputs.gate = m_gate.in();
        }
        inputs.initialState = m_state.empty() ? nullptr : m_state.data();
        if (!p.gradO.empty()) {
            gradients.gradO = m_gradO.in();
        }
        gradients.gradFinalState = m_gradState.empty() ? nullptr : m_gradState.data();
    }

    DeltaInputs<T> inputs;
    DeltaGradients<T> gradients;  ///< the upstream ones

private:
    Placed<T> m_q, m_k, m_v, m_beta, m_gate, m_gradO;
    std::vector<T> m_state, m_gradState;
};

template <class T>
std::vector<T> unset(std::size_t count) {
    return std::vector<T>(count, std::numeric_limits<T>::quiet_NaN());
}

/// Forward and, when asked, backward. Everything written starts as NaN; so does the workspace.
template <class T>
DeltaRun<T> runDelta(const DeltaProblem& p, const RunOptions& options) {
    const DeltaPlan plan =
        deltaRulePlan(shapeOf(p), {p.scale, p.normaliseEpsilon}, options.isa, sizeof(T) == 8);
    EXPECT_EQ(plan.status, Status::kOk);
    const DeltaArguments<T> arguments(p, options.inputs);
    const int rows = p.steps * p.householders;
    const std::size_t states = Extents{p.batch, p.heads, p.keyDim, p.valueDim}.count();
    const Placed<T> o({p.batch, p.steps, p.heads, p.valueDim}, options.outputs);
    DeltaRun<T> run;
    run.finalState = unset<T>(states);
    run.residual = unset<T>(Extents{p.batch, rows, p.heads, p.valueDim}.count());
    run.stateNorm = unset<float>(Extents{p.batch, p.steps, p.heads, 1}.count());
    auto workspace = unset<T>(plan.forwardWorkspaceBytes / sizeof(T) + 1);
    EXPECT_EQ(deltaRuleForward<T>(
                  plan, arguments.inputs,
                  {o.out(), run.finalState.data(), run.residual.data(), run.stateNorm.data()},
                  workspace.data(), options.exec),
              Status::kOk);
    run.o = o.values();
    EXPECT_TRUE(o.gapsAreUntouched());
    if (!options.backward) {
        return run;
    }
    const Placed<T> gradQ({p.batch, p.steps, p.heads, p.keyDim}, options.outputs);
    const Placed<T> gradK({p.batch, rows, p.heads, p.keyDim}, options.outputs);
    const Placed<T> gradV({p.batch, rows, p.heads, p.valueDim}, options.outputs);
    const Placed<T> gradBeta({p.batch, rows, p.heads, 1}, options.outputs);
    const Placed<T> gradGate({p.batch, p.steps, p.heads, 1}, options.outputs);
    run.gradInitialState = unset<T>(states);
    run.rebuiltFinalState = unset<T>(states);
    DeltaGradients<T> grad = arguments.gradients;
    grad.gradQ = gradQ.out();
    grad.gradK = gradK.out();
    grad.gradV = gradV.out();
    grad.gradBeta = gradBeta.out();
    if (!p.gate.empty()) {
        grad.gradGate = gradGate.out();
    }
    grad.gradInitialState = run.gradInitialState.data();
    grad.rebuiltFinalState = run.rebuiltFinalState.data();
    workspace = unset<T>(plan.backwardWorkspaceBytes / sizeof(T) + 1);
    EXPECT_EQ(deltaRuleBackward<T>(plan, arguments.inputs, run.residual.data(), grad,
                                   workspace.data(), options.exec),
              Status::kOk);
    run.gradQ = gradQ.values();
    run.gradK = gradK.values();
    run.gradV = gradV.values();
    run.gradBeta = gradBeta.values();
    if (!p.gate.empty()) {
        run.gradGate = gradGate.values();
    }
    EXPECT_TRUE(gradQ.gapsAreUntouched() && gradK.gapsAreUntouched() && gradV.gapsAreUntouched());
    return run;
}

/// Bit for bit, signs of zeros included.
template <class T>
void expectSameBits(const DeltaRun<T>& a, const DeltaRun<T>& b) {
    EXPECT_TRUE(sameBits(a.o, b.o)) << "o";
    EXPECT_TRUE(sameBits(a.finalState, b.finalState)) << "finalState";
    EXPECT_TRUE(sameBits(a.residual, b.residual)) << "residual";
    EXPECT_TRUE(sameBits(a.stateNorm, b.stateNorm)) << "stateNorm";
    EXPECT_TRUE(sameBits(a.gradQ, b.gradQ)) << "gradQ";
    EXPECT_TRUE(sameBits(a.gradK, b.gradK)) << "gradK";
    EXPECT_TRUE(sameBits(a.gradV, b.gradV)) << "gradV";
    EXPECT_TRUE(sameBits(a.gradBeta, b.gradBeta)) << "gradBeta";
    EXPECT_TRUE(sameBits(a.gradGate, b.gradGate)) << "gradGate";
    EXPECT_TRUE(sameBits(a.gradInitialState, b.gradInitialState)) << "gradInitialState";
}

/// A gate's gradient is a sum of <o, do> and -<v, dv> over tokens, which may cancel to almost
/// nothing (behind a gate of -30, say). Its error is relative to these terms.
inline double gateError(const Numbers& actual, const DeltaProblem& p, const DeltaAnswer& expected) {
    const auto width = static_cast<std::size_t>(p.valueDim);
    double largest = 1e-30;
    const auto look = [&](const Numbers& x, const Numbers& gradient) {
        for (std::size_t at = 0; at + width <= std::min(x.size(), gradient.size()); at += width) {
            double term = 0;
            for (std::size_t i = at; i < at + width; ++i) {
                term += std::abs(x[i] * gradient[i]);
            }
            largest = std::max(largest, term);
        }
    };
    look(expected.o, p.gradO);
    look(p.v, expected.gradV);
    double worst = 0;
    for (std::size_t i = 0; i < expected.gradGate.size(); ++i) {
        const double difference = std::abs(actual.at(i) - expected.gradGate[i]);
        worst = std::isfinite(difference) ? std::max(worst, difference) : 1e300;
        largest = std::max(largest, std::abs(expected.gradGate[i]));
    }
    return worst / largest;
}

template <class T>
void expectAgrees(const DeltaRun<T>& run, const DeltaProblem& p, const DeltaAnswer& expected,
                  double forwardTolerance = kForwardTolerance<T>,
                  double backwardTolerance = kBackwardTolerance<T>) {
    LAB_EXPECT_CLOSE(run.o, expected.o, forwardTolerance);
    LAB_EXPECT_CLOSE(run.finalState, expected.finalState, forwardTolerance);
    LAB_EXPECT_CLOSE(run.residual, expected.residual, forwardTolerance);
    LAB_EXPECT_CLOSE(run.stateNorm, expected.stateNorm,
                     std::max(forwardTolerance, kForwardTolerance<float>));
    LAB_EXPECT_CLOSE(run.gradQ, expected.gradQ, backwardTolerance);
    LAB_EXPECT_CLOSE(run.gradK, expected.gradK, backwardTolerance);
    LAB_EXPECT_CLOSE(run.gradV, expected.gradV, backwardTolerance);
    LAB_EXPECT_CLOSE(run.gradBeta, expected.gradBeta, backwardTolerance);
    EXPECT_LE(gateError(widen(run.gradGate), p, expected), backwardTolerance);
    LAB_EXPECT_CLOSE(run.gradInitialState, expected.gradInitialState, backwardTolerance);
}

}  // namespace lab::kernels::testing
