// What to say when a training step met a number that is not finite.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "core/models/sequence_model.h"

namespace lab::training {

/// What a step had computed when it stopped.
struct StepNumbers {
    std::int64_t step = 0;  ///< from 1
    double loss = 0, gradientNorm = 0;
};

/// "step 7: the loss is nan; first not finite: layer 1, block.1.k, head 1, token 5 of ...". The
/// first in the order of the forward pass; when that is finite, the first gradient in the order of
/// the backward pass.
[[nodiscard]] std::string divergenceText(models::SequenceModel& model, const at::Tensor& tokens,
                                         int heads, const StepNumbers& numbers);

}  // namespace lab::training
