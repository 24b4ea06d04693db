// Delta rule with n_h >= 1 Householder steps a token and an optional gate: gated delta rule, delta
// product.
//
//   S <- exp(g_t) S                                          once a token; g absent: 1
//   for j = 1..n_h:  r = v_tj - S^T k_tj;  u = beta_tj r;  S <- S + k_tj u^T
//   o_t = scale S^T q_t                                      reads the state after its write
//
// S is [keyDim, valueDim] per (batch, head). With |k| = 1 and beta in [0,2] every transition I -
// beta k k^T has eigenvalues in [-1,1]; contract: beta |k|^2 <= 2, else the state may grow without
// bound. normaliseEpsilon >= 0: q and k are divided by sqrt(|x|^2 + epsilon) inside, and gradients
// are those of the raw q, k.
//
// Shapes: q [B,T,H,K]; k [B,T*n_h,H,K], v [B,T*n_h,H,V], beta [B,T*n_h,H] with factor j of token t
// in row t*n_h + j; log gate g [B,T,H] <= 0; o [B,T,H,V]; states [B,H,K,V] contiguous; residual r
// [B,T*n_h,H,V] contiguous, written by forward and read by backward. Inputs of any strides (0
// included); outputs contiguous along channels. States and arithmetic are fp32 for T = float, fp64
// for T = double. Results are bitwise repeatable, whatever the number of threads and whoever the
// neighbours in a batch. Source: Yang et al., "Parallelizing Linear Transformers with the Delta
// Rule" (2406.06484), eq. 3; Siems et al., "DeltaProduct" (2502.10297), eq. 4; gate: Yang et al.,
// "Gated Delta Networks" (2412.06464), eq. 10.
#pragma once

#include <cstdint>

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

struct DeltaShape {
    int batch = 0, steps = 0, heads = 0, keyDim = 0, valueDim = 0, householders = 1;
};

struct DeltaOptions {
    double scale = 1.0;
    double normaliseEpsilon = -1.0;  ///< < 0: q and k are taken as they are
};

struct DeltaPlan : Plan {
    DeltaShape shape;
    DeltaOptions options;
};

template <class T>
struct DeltaInputs {
    View<const T> q{}, k{}, v{}, beta{}, gate{};  ///< beta and gate: channel stride unused
    const T* initialState = nullptr;              ///< null: zero
};

template <class T>
struct DeltaOutputs {
    View<T> o{};
    T* finalState = nullptr;     ///< null: not wanted
    T* residual = nullptr;       ///< null: no backward will follow
    float* stateNorm = nullptr;  ///< tap [B,T,H]: Frobenius norm of S after token t; null: free
};

template <class T>
struct DeltaGradients {
    View<const T> gradO{};  ///< null: zero
    const T* gradFinalState = nullptr;
    View<T> gradQ{}, gradK{}, gradV{}, gradBeta{}, gradGate{};  ///< null: not wanted
    T* gradInitialState = nullptr;
    T* rebuiltFinalState = nullptr;  ///< tap: S_T as backward rebuilt it, bitwise the forward's
};

/// Pure and cheap. `isa` above what the machine has gives kUnavailable.
[[nodiscard]] DeltaPlan deltaRulePlan(DeltaShape shape, DeltaOptions options, Isa isa = bestIsa(),
                                      bool doublePrecision = false) noexcept;

template <class T>
[[nodiscard]] Status deltaRuleForward(const DeltaPlan& plan, const DeltaInputs<T>& in,
                                      const DeltaOutputs<T>& out, void* workspace,
                                      const Exec& exec = {}) noexcept;
template <class T>
[[nodiscard]] Status deltaRuleBackward(const DeltaPlan& plan, const DeltaInputs<T>& in,
                                       const T* residual, const DeltaGradients<T>& grad,
                                       void* workspace, const Exec& exec = {}) noexcept;
/// One token: shape.steps must be 1; `state` is read and overwritten. Bitwise equal to forward,
/// token by token. Scratch is on the stack (kWorkspaceTooSmall beyond 512 KiB: use forward).
template <class T>
[[nodiscard]] Status deltaRuleStep(const DeltaPlan& plan, const DeltaInputs<T>& in, T* state,
                                   const View<T>& o) noexcept;

/// Where beta |k|^2 first exceeds 2 (by more than rounding), in order of batch, row, head.
struct ContractBreach {
    bool found = false;
    int batch = 0, head = 0;
    std::int64_t row = 0;  ///< t * n_h + j
    double value = 0;
};
/// For the message when a run diverges; normalised keys count as they are used.
template <class T>
[[nodiscard]] ContractBreach findContractBreach(const DeltaPlan& plan,
                                                const DeltaInputs<T>& in) noexcept;

[[nodiscard]] Cost deltaRuleForwardCost(const DeltaShape& shape, bool gated) noexcept;
[[nodiscard]] Cost deltaRuleBackwardCost(const DeltaShape& shape, bool gated) noexcept;

}  // namespace lab::kernels
