// S6, the selective scan of Mamba: every channel has N states, each with a decay of its own.
//
//   delta = softplus(raw_t + bias)                          or raw_t + bias without softplus
//   h[c,n] <- exp(delta[c] A[c,n]) h[c,n] + delta[c] B_t[n] u_t[c]
//   y_t[c] = sum_n C_t[n] h[c,n] + D[c] u_t[c];   out = y silu(z), or y without z
//
// Shapes: u, raw, z, out [B,T,C] (View with heads = 1); A [C,N] < 0 contiguous; B, C [B,T,N]; D,
// bias [C] or null; states [B,C,N] contiguous. Forward stores the state before every
// kSelectiveScanTile-th token in `saved` ([B,...] of savedElements each) and backward rebuilds the
// states between from it: nothing is ever divided by a decay. Gradients of A, D, bias are sums over
// batch and time, in order. Source: Gu and Dao, "Mamba" (2312.00752), eq. 2 and algorithm 2.
#pragma once

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

constexpr int kSelectiveScanTile = 8;
constexpr int kMaxScanStates = 256;

struct SelectiveScanShape {
    int batch = 0, steps = 0, channels = 0, states = 0;
};

struct SelectiveScanPlan : Plan {
    SelectiveScanShape shape;
    bool softplus = true;
    std::size_t savedElements = 0;  ///< numbers of T that forward leaves for backward
};

template <class T>
struct SelectiveScanInputs {
    View<const T> u{}, raw{}, z{};  ///< z null: no gate
    const T* a = nullptr;
    View<const T> b{}, c{};
    const T* d = nullptr;
    const T* bias = nullptr;
    const T* initialState = nullptr;  ///< null: zero
};

template <class T>
struct SelectiveScanOutputs {
    View<T> out{};
    T* finalState = nullptr;
    T* saved = nullptr;  ///< null: no backward will follow
};

template <class T>
struct SelectiveScanGradients {
    View<const T> gradOut{};  ///< null: zero
    const T* gradFinalState = nullptr;
    View<T> gradU{}, gradRaw{}, gradZ{};  ///< null: not wanted
    T* gradA = nullptr;
    View<T> gradB{}, gradC{};
    T* gradD = nullptr;
    T* gradBias = nullptr;
    T* gradInitialState = nullptr;
};

[[nodiscard]] SelectiveScanPlan selectiveScanPlan(SelectiveScanShape shape, bool softplus = true,
                                                  Isa isa = bestIsa(),
                                                  bool doublePrecision = false) noexcept;
template <class T>
[[nodiscard]] Status selectiveScanForward(const SelectiveScanPlan& plan,
                                          const SelectiveScanInputs<T>& in,
                                          const SelectiveScanOutputs<T>& out, void* workspace,
                                          const Exec& exec = {}) noexcept;
template <class T>
[[nodiscard]] Status selectiveScanBackward(const SelectiveScanPlan& plan,
                                           const SelectiveScanInputs<T>& in, const T* saved,
                                           const SelectiveScanGradients<T>& grad, void* workspace,
                                           const Exec& exec = {}) noexcept;
/// One token: shape.steps must be 1; `state` is read and overwritten. Bitwise equal to forward.
template <class T>
[[nodiscard]] Status selectiveScanStep(const SelectiveScanPlan& plan,
                                       const SelectiveScanInputs<T>& in, T* state,
                                       const View<T>& out) noexcept;
[[nodiscard]] Cost selectiveScanForwardCost(const SelectiveScanShape& shape) noexcept;
[[nodiscard]] Cost selectiveScanBackwardCost(const SelectiveScanShape& shape) noexcept;

}  // namespace lab::kernels
