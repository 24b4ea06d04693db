// The Bayes filter over N states: move, then take the evidence.
//
//   b'_j = sum_i b_i T[i][j]             or, for a mixture of permutations,
//   b'_j = sum_m w_m b[source[m][j]]
//   n = e o b';   c = sum n;   b = n / c;   log-evidence of the step = log c
//
// Shapes: T [N,N] from row to column, rows sum to 1, contiguous, one for each (batch, time) or
// shared (strides 0); source [M,N]: the state whose mass arrives at j; w [B,T,M]; e [B,T,N] or
// null (1); b_0 [B,N]; b [B,T,N]; mass c and log-evidence [B,T]. Evidence that no state explains
// (c = 0) leaves the belief 0 and the log-evidence -infinity from there on, and nothing flows back
// through it: never NaN, nothing plausible but false. Source: Rabiner, "A Tutorial on Hidden Markov
// Models" (1989), eqs. 18-20 with scaling 92-93.
#pragma once

#include <cstdint>

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

struct BeliefShape {
    int batch = 0, steps = 0, states = 0;
    int permutations = 0;          ///< M; 0: a matrix
    bool sharedTransition = true;  ///< one matrix for every batch entry and step
};

struct BeliefPlan : Plan {
    BeliefShape shape;
};

template <class T>
struct BeliefInputs {
    const T* transition = nullptr;  ///< [N,N], or [B,T,N,N] unless shared
    const std::int32_t* source = nullptr;
    View<const T> weights{};
    View<const T> evidence{};
    const T* initial = nullptr;
};

template <class T>
struct BeliefOutputs {
    View<T> belief{};
    T* mass = nullptr;         ///< read by backward; null: no backward will follow
    T* logEvidence = nullptr;  ///< null: not wanted
};

template <class T>
struct BeliefGradients {
    View<const T> belief{};  ///< as forward wrote it
    const T* mass = nullptr;
    View<const T> gradBelief{};  ///< null: zero
    const T* gradLogEvidence = nullptr;
    T* gradTransition = nullptr;  ///< as `transition`; null: not wanted
    View<T> gradWeights{};
    View<T> gradEvidence{};
    T* gradInitial = nullptr;
};

[[nodiscard]] BeliefPlan beliefPlan(BeliefShape shape, Isa isa = bestIsa(),
                                    bool doublePrecision = false) noexcept;
template <class T>
[[nodiscard]] Status beliefForward(const BeliefPlan& plan, const BeliefInputs<T>& in,
                                   const BeliefOutputs<T>& out, const Exec& exec = {}) noexcept;
template <class T>
[[nodiscard]] Status beliefBackward(const BeliefPlan& plan, const BeliefInputs<T>& in,
                                    const BeliefGradients<T>& grad, void* workspace,
                                    const Exec& exec = {}) noexcept;
/// One step: shape.steps must be 1; `belief` [B,N] is read and overwritten, in place of in.initial.
/// Bitwise equal to forward. Workspace: backwardWorkspaceBytes.
template <class T>
[[nodiscard]] Status beliefStep(const BeliefPlan& plan, const BeliefInputs<T>& in, T* belief,
                                T* logEvidence, void* workspace) noexcept;
[[nodiscard]] Cost beliefForwardCost(const BeliefShape& shape) noexcept;
[[nodiscard]] Cost beliefBackwardCost(const BeliefShape& shape) noexcept;

}  // namespace lab::kernels
