// SSD, the recurrence of Mamba-2: one decay a head, queries and keys shared by a group of heads.
//
//   S <- exp(Delta_t A) S + B_t (Delta_t x_t)^T;   y_t = S^T C_t + D x_t
//
// Shapes: x, y [B,T,H,P]; Delta [B,T,H] > 0 (after softplus and limits); A [H] < 0; B, C [B,T,G,N],
// head h uses group h / (H / G); D [H] or null; states [B,H,N,P] contiguous (the transpose of the
// published [B,H,P,N]). Gradients of B and C are sums over the heads of a group, those of A and D
// over batch and time. The rest as in kernels/gated_linear_attention.h.
// Source: Dao and Gu, "Transformers are SSMs" (2405.21060), eq. 16 and listing 1.
#pragma once

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

struct SsdShape {
    int batch = 0, steps = 0, heads = 0, groups = 1, stateDim = 0, headDim = 0;  ///< N, P
};

struct SsdPlan : Plan {
    SsdShape shape;
};

template <class T>
struct SsdInputs {
    View<const T> x{}, delta{};  ///< delta: channel stride unused
    const T* a = nullptr;
    View<const T> b{}, c{};  ///< head axis: groups
    const T* d = nullptr;
    const T* initialState = nullptr;  ///< null: zero
};

template <class T>
struct SsdOutputs {
    View<T> y{};
    T* finalState = nullptr;
    float* stateNorm = nullptr;  ///< tap [B,T,H]
};

template <class T>
struct SsdGradients {
    View<const T> gradY{};  ///< null: zero
    const T* gradFinalState = nullptr;
    View<T> gradX{}, gradDelta{};  ///< null: not wanted
    T* gradA = nullptr;
    View<T> gradB{}, gradC{};
    T* gradD = nullptr;
    T* gradInitialState = nullptr;
};

[[nodiscard]] SsdPlan ssdPlan(SsdShape shape, Isa isa = bestIsa(),
                              bool doublePrecision = false) noexcept;
template <class T>
[[nodiscard]] Status ssdForward(const SsdPlan& plan, const SsdInputs<T>& in,
                                const SsdOutputs<T>& out, void* workspace,
                                const Exec& exec = {}) noexcept;
template <class T>
[[nodiscard]] Status ssdBackward(const SsdPlan& plan, const SsdInputs<T>& in,
                                 const SsdGradients<T>& grad, void* workspace,
                                 const Exec& exec = {}) noexcept;
/// One token: shape.steps must be 1; `state` is read and overwritten. Bitwise equal to forward.
template <class T>
[[nodiscard]] Status ssdStep(const SsdPlan& plan, const SsdInputs<T>& in, T* state,
                             const View<T>& y) noexcept;
[[nodiscard]] Cost ssdForwardCost(const SsdShape& shape) noexcept;
[[nodiscard]] Cost ssdBackwardCost(const SsdShape& shape) noexcept;

}  // namespace lab::kernels
