// Causal softmax attention, with an optional window and heads that share keys and values.
//
//   o_t = sum_s p_ts v_s,  p_ts = exp(scale q_t . k_s - L_t),  s <= t's place, L_t = log of the sum
//
// Shapes: q [B,T,H,K]; k [B,S,G,K], v [B,S,G,V] with S >= T: query t stands at place S - T + t, so
// that T = 1 is one step over a cache of keys; head h reads group h / (H / G); o [B,T,H,V]. A
// window of w lets a query see the last w places, its own included; 0: all. Inputs of any strides,
// outputs contiguous along channels. The scores of a row are computed whole, in float for T =
// float: two passes, no running rescaling. Backward needs o and L. Gradients of k and v are sums
// over the heads of a group, in order. With a rotary base the pairs (j, j + K/2) of q and k are
// turned by the angle place base^(-2j/K) before the product, so that it depends on the distance;
// gradients are those of the raw q and k.
// Sources: Vaswani et al. (1706.03762), eq. 1; Su et al., "RoFormer" (2104.09864), section 3.2.2.
#pragma once

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

struct AttentionShape {
    int batch = 0, steps = 0, keySteps = 0, heads = 0, groups = 1, keyDim = 0, valueDim = 0;
};

struct AttentionOptions {
    double scale = 1.0;
    int window = 0;
    double rotaryBase = 0.0;  ///< 0: no rotation; else K must be even
};

struct AttentionPlan : Plan {
    AttentionShape shape;
    AttentionOptions options;
};

template <class T>
struct AttentionInputs {
    View<const T> q{}, k{}, v{};
};

template <class T>
struct AttentionOutputs {
    View<T> o{};
    T* logSum = nullptr;  ///< L [B,H,T]; null: no backward will follow
};

template <class T>
struct AttentionGradients {
    View<const T> o{};  ///< as forward wrote it
    const T* logSum = nullptr;
    View<const T> gradO{};
    View<T> gradQ{}, gradK{}, gradV{};  ///< null: not wanted
};

[[nodiscard]] AttentionPlan attentionPlan(AttentionShape shape, AttentionOptions options,
                                          Isa isa = bestIsa(),
                                          bool doublePrecision = false) noexcept;
template <class T>
[[nodiscard]] Status attentionForward(const AttentionPlan& plan, const AttentionInputs<T>& in,
                                      const AttentionOutputs<T>& out, void* workspace,
                                      const Exec& exec = {}) noexcept;
template <class T>
[[nodiscard]] Status attentionBackward(const AttentionPlan& plan, const AttentionInputs<T>& in,
                                       const AttentionGradients<T>& grad, void* workspace,
                                       const Exec& exec = {}) noexcept;
[[nodiscard]] Cost attentionForwardCost(const AttentionShape& shape, int window) noexcept;
[[nodiscard]] Cost attentionBackwardCost(const AttentionShape& shape, int window) noexcept;

}  // namespace lab::kernels
