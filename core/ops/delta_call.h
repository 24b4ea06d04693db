// The kernel of kernels/delta_rule.h called on tensors, without autograd.
#pragma once

#include "core/ops/delta_rule.h"

namespace lab::ops {

/// Where forward writes; undefined: not wanted (o always is).
struct DeltaOutputTensors {
    at::Tensor o, finalState;
    at::Tensor residual;  ///< needed by backward
    at::Tensor stateNorm;
};

enum class Keep { kNothing, kResidual };

/// Room for o and finalState, and for what else is asked for.
[[nodiscard]] DeltaOutputTensors allocateDeltaOutputs(const DeltaArguments& in, Keep keep,
                                                      bool wantsStateNorm);

void callDeltaForward(const DeltaArguments& in, const DeltaOutputTensors& out,
                      const Execution& execution);

/// Where backward writes; undefined: not wanted. Any strides but contiguous channels.
struct DeltaGradientTensors {
    at::Tensor q, k, v, beta, gate, initialState;
};

/// Either upstream gradient may be undefined, which means zero.
void callDeltaBackward(const DeltaArguments& in, const at::Tensor& residual,
                       const at::Tensor& gradO, const at::Tensor& gradFinalState,
                       const DeltaGradientTensors& into, const Execution& execution);

}  // namespace lab::ops
