// Causal depthwise convolution over time, with optional bias and SiLU, and the inputs carried
// between calls.
//
//   y_t = act(bias + sum_w weight_w x_{t-W+1+w}),  x before the first token from `initial` (null:
//   zero)
//
// Shapes: x, y [B,T,C] (View with heads = 1); weight [C,W]; bias [C] or null; initial and final
// state [B,C,W-1], oldest first, contiguous. T may be smaller than W - 1; W is at most
// kMaxConvWidth. Null gradY: zero. Source: Gu and Dao, "Mamba" (2312.00752), section 3.4.
#pragma once

#include <cstddef>

#include "kernels/cpu_features.h"
#include "kernels/plan.h"
#include "kernels/status.h"
#include "kernels/view.h"

namespace lab::kernels {

constexpr int kMaxConvWidth = 64;

struct ConvShape {
    int batch = 0, steps = 0, channels = 0, width = 0;
};

template <class T>
struct ConvInputs {
    View<const T> x{};
    const T* weight = nullptr;
    const T* bias = nullptr;
    const T* initialState = nullptr;
};

template <class T>
struct ConvGradients {
    View<const T> gradY{};
    const T* gradFinalState = nullptr;
    View<T> gradX{};          ///< null: not wanted
    T* gradWeight = nullptr;  ///< overwritten
    T* gradBias = nullptr;
    T* gradInitialState = nullptr;
};

enum class Activation { kNone, kSilu };

[[nodiscard]] std::size_t shortConvWorkspaceBytes(const ConvShape& shape,
                                                  bool doublePrecision) noexcept;
template <class T>
[[nodiscard]] Status shortConvForward(const ConvShape& shape, Activation activation,
                                      const ConvInputs<T>& in, const View<T>& y, T* finalState,
                                      Isa isa = bestIsa(), const Exec& exec = {}) noexcept;
template <class T>
[[nodiscard]] Status shortConvBackward(const ConvShape& shape, Activation activation,
                                       const ConvInputs<T>& in, const ConvGradients<T>& grad,
                                       void* workspace, Isa isa = bestIsa(),
                                       const Exec& exec = {}) noexcept;
[[nodiscard]] Cost shortConvForwardCost(const ConvShape& shape) noexcept;
[[nodiscard]] Cost shortConvBackwardCost(const ConvShape& shape) noexcept;

}  // namespace lab::kernels
