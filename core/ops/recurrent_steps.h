// What the sequence operations of recurrent.h share.
#pragma once

#include <ATen/ATen.h>

#include <vector>

namespace lab::ops {

/// Views of the steps; none of an undefined tensor.
[[nodiscard]] inline std::vector<at::Tensor> stepsOf(const at::Tensor& x) {
    return x.defined() ? x.unbind(1) : std::vector<at::Tensor>{};
}

/// Row t of the result is the state before step t.
[[nodiscard]] inline at::Tensor shifted(const at::Tensor& initial, const at::Tensor& states) {
    return at::cat({initial.unsqueeze(1), states.narrow(1, 0, states.size(1) - 1)}, 1);
}

/// The gradient of R from the gradients of the pre-activations and the states that R read: one
/// product over all steps.
[[nodiscard]] inline at::Tensor recurrentGradient(const at::Tensor& gradPre,
                                                  const at::Tensor& before) {
    return at::mm(gradPre.flatten(0, 1).t(), before.flatten(0, 1));
}

/// An upstream gradient as the loops below read it: packed, zero where nothing came.
[[nodiscard]] inline at::Tensor packed(const at::Tensor& gradient, const at::Tensor& like) {
    return gradient.defined() ? gradient.contiguous() : at::zeros_like(like);
}

}  // namespace lab::ops
