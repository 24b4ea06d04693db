// Random short convolutions, and the kernel run on them.
#pragma once

#include "kernels/reference/elementary.h"
#include "kernels/short_conv.h"
#include "tests/kernels/support.h"

namespace lab::kernels::testing {

using reference::ConvProblem;

template <class T>
struct ConvRun {
    std::vector<T> y, finalState, gradX, gradWeight, gradBias, gradInitialState;
};

struct ConvOptions {
    Isa isa = Isa::kGeneric;
    Exec exec{};
    Layout inputs = Layout::kContiguous, outputs = Layout::kContiguous;
};

inline ConvProblem randomConv(int batch, int steps, int channels, int width, bool silu, bool bias,
                              bool states) {
    Random random(static_cast<std::uint64_t>(steps * 64 + channels * 8 + width));
    ConvProblem p{batch, steps, channels, width, silu};
    const auto count = [](int a, int b, int c) {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) *
               static_cast<std::size_t>(c);
    };
    p.x = random.array(count(batch, steps, channels), -2, 2);
    p.weight = random.array(count(channels, width, 1));
    p.gradY = random.array(p.x.size());
    if (bias) {
        p.bias = random.array(count(channels, 1, 1));
    }
    if (states) {
        p.initialState = random.array(count(batch, channels, width - 1));
        p.gradFinalState = random.array(p.initialState.size());
    }
    return p;
}

/// Forward and backward; everything written starts as NaN.
template <class T>
ConvRun<T> runConv(const ConvProblem& p, const ConvOptions& options) {
    const ConvShape shape{p.batch, p.steps, p.channels, p.width};
    const Activation activation = p.silu ? Activation::kSilu : Activation::kNone;
    const Extents extents{p.batch, p.steps, 1, p.channels};
    const auto nan = std::numeric_limits<T>::quiet_NaN();
    const Placed<T> x(extents, options.inputs, &p.x);
    const Placed<T> gradY(extents, options.inputs, p.gradY.empty() ? nullptr : &p.gradY);
    const Placed<T> y(extents, options.outputs);
    const Placed<T> gradX(extents, options.outputs);
    const auto weight = cast<T>(p.weight), bias = cast<T>(p.bias);
    const auto state = cast<T>(p.initialState), gradState = cast<T>(p.gradFinalState);
    const auto orNull = [](const std::vector<T>& v) { return v.empty() ? nullptr : v.data(); };
    const ConvInputs<T> in{x.in(), weight.data(), orNull(bias), orNull(state)};
    ConvRun<T> run;
    run.finalState.assign(Extents{p.batch, 1, p.channels, p.width - 1}.count(), nan);
    run.gradInitialState = run.finalState;
    run.gradWeight.assign(p.weight.size(), nan);
    run.gradBias.assign(static_cast<std::size_t>(p.channels), nan);
    EXPECT_EQ(shortConvForward<T>(shape, activation, in, y.out(), run.finalState.data(),
                                  options.isa, options.exec),
              Status::kOk);
    std::vector<T> workspace(shortConvWorkspaceBytes(shape, sizeof(T) == 8) / sizeof(T) + 1, nan);
    ConvGradients<T> grad{gradY.in(),          orNull(gradState),
                          gradX.out(),         run.gradWeight.data(),
                          run.gradBias.data(), run.gradInitialState.data()};
    if (p.gradY.empty()) {
        grad.gradY = {};
    }
    EXPECT_EQ(shortConvBackward<T>(shape, activation, in, grad, workspace.data(), options.isa,
                                   options.exec),
              Status::kOk);
    run.y = y.values();
    run.gradX = gradX.values();
    EXPECT_TRUE(y.gapsAreUntouched() && gradX.gapsAreUntouched());
    return run;
}

template <class T>
void expectSameBits(const ConvRun<T>& a, const ConvRun<T>& b) {
    EXPECT_TRUE(sameBits(a.y, b.y)) << "y";
    EXPECT_TRUE(sameBits(a.finalState, b.finalState)) << "finalState";
    EXPECT_TRUE(sameBits(a.gradX, b.gradX)) << "gradX";
    EXPECT_TRUE(sameBits(a.gradWeight, b.gradWeight)) << "gradWeight";
    EXPECT_TRUE(sameBits(a.gradBias, b.gradBias)) << "gradBias";
    EXPECT_TRUE(sameBits(a.gradInitialState, b.gradInitialState)) << "gradInitialState";
}

}  // namespace lab::kernels::testing
