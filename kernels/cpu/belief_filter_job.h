// One call of the belief filter as the ISA files see it.
#pragma once

#include "kernels/cpu/strided.h"

namespace lab::kernels::cpu {

template <class T>
struct BeliefJob {
    std::int64_t steps;
    int states, permutations;
    std::int64_t transitionBatch, transitionTime;  ///< strides
    const T* transition;
    const std::int32_t* source;
    Strided<const T> weights, evidence;
    const T* initial;
    Strided<T> belief;
    T* mass;
    T* logEvidence;
    // backward
    Strided<const T> savedBelief, gradBelief;
    const T* savedMass;
    const T* gradLogEvidence;
    T* gradTransition;  ///< [B,N,N] to be summed when shared, else [B,T,N,N]
    Strided<T> gradWeights, gradEvidence;
    T* gradInitial;
};

/// Scratch of one worker: the predicted belief, its gradient and that of the belief before, and the
/// belief before, each padded to whole vectors.
[[maybe_unused]] static constexpr std::size_t beliefScratch(int lanes, int states) {
    return std::size_t{4} * static_cast<std::size_t>(paddedTo(lanes < 16 ? 16 : lanes, states));
}

}  // namespace lab::kernels::cpu
