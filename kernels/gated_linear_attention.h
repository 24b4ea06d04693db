// Gated linear attention: a state that decays by a gate of its own for every key channel.
//
//   S <- diag(exp(g_t)) S + k_t v_t^T;   o_t = scale S^T q_t        reads the state after its write
//
// With one gate a head (vectorGate = false) this is simple gated linear attention and retention,
// without a gate it is linear attention.
//
// Shapes: q, k [B,T,H,K]; v, o [B,T,H,V]; log gate g [B,T,H,K] or [B,T,H], <= 0; states [B,H,K,V]
// contiguous. Inputs of any strides (0 included), outputs contiguous along channels. States and
// arithmetic are fp32 for T = float. Bitwise repeatable, whatever the threads and the neighbours in
// a batch. Source: Yang et al., "Gated Linear Attention Transformers" (2312.06635), eq. 3.
#pragma once

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

struct GlaShape {
    int batch = 0, steps = 0, heads = 0, keyDim = 0, valueDim = 0;
};

struct GlaOptions {
    double scale = 1.0;
    bool vectorGate = true;
};

struct GlaPlan : Plan {
    GlaShape shape;
    GlaOptions options;
};

template <class T>
struct GlaInputs {
    View<const T> q{}, k{}, v{}, gate{};  ///< gate null: none
    const T* initialState = nullptr;      ///< null: zero
};

template <class T>
struct GlaOutputs {
    View<T> o{};
    T* finalState = nullptr;     ///< null: not wanted
    float* stateNorm = nullptr;  ///< tap [B,T,H]: Frobenius norm of S after token t; null: free
};

template <class T>
struct GlaGradients {
    View<const T> gradO{};  ///< null: zero
    const T* gradFinalState = nullptr;
    View<T> gradQ{}, gradK{}, gradV{}, gradGate{};  ///< null: not wanted
    T* gradInitialState = nullptr;
    T* rebuiltFinalState = nullptr;  ///< tap: S_T as backward rebuilt it, bitwise the forward's
};

[[nodiscard]] GlaPlan glaPlan(GlaShape shape, GlaOptions options, Isa isa = bestIsa(),
                              bool doublePrecision = false) noexcept;
template <class T>
[[nodiscard]] Status glaForward(const GlaPlan& plan, const GlaInputs<T>& in,
                                const GlaOutputs<T>& out, void* workspace,
                                const Exec& exec = {}) noexcept;
template <class T>
[[nodiscard]] Status glaBackward(const GlaPlan& plan, const GlaInputs<T>& in,
                                 const GlaGradients<T>& grad, void* workspace,
                                 const Exec& exec = {}) noexcept;
/// One token: shape.steps must be 1; `state` is read and overwritten. Bitwise equal to forward.
template <class T>
[[nodiscard]] Status glaStep(const GlaPlan& plan, const GlaInputs<T>& in, T* state,
                             const View<T>& o) noexcept;
[[nodiscard]] Cost glaForwardCost(const GlaShape& shape, bool vectorGate) noexcept;
[[nodiscard]] Cost glaBackwardCost(const GlaShape& shape, bool vectorGate) noexcept;

}  // namespace lab::kernels
