// The kernel of kernels/delta_rule.h called on tensors, without autograd.
#pragma once

#include "core/ops/delta_rule.h"

namespace lab::ops {

struct DeltaForward {
    at::Tensor o, finalState;
    at::Tensor residual;   ///< undefined: no backward will follow
    at::Tensor stateNorm;  ///< undefined: not asked for
};

enum class Keep { kNothing, kResidual };

[[nodiscard]] DeltaForward callDeltaForward(const DeltaArguments& arguments,
                                            const Execution& execution, Keep keep,
                                            bool wantsStateNorm);

/// Where to write; undefined: not wanted. Any strides but contiguous channels.
struct DeltaGradientTensors {
    at::Tensor q, k, v, beta, gate, initialState;
};

/// Either upstream gradient may be undefined, which means zero.
void callDeltaBackward(const DeltaArguments& arguments, const at::Tensor& residual,
                       const at::Tensor& gradO, const at::Tensor& gradFinalState,
                       const DeltaGradientTensors& into, const Execution& execution);

}  // namespace lab::ops
