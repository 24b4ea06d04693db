// Root-mean-square normalisation of rows with a weight (kernels/rms_norm.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "core/ops/execution.h"

namespace lab::ops {

/// x [rows, width], any row stride; weight [width] -> [rows, width].
[[nodiscard]] at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon,
                                 const Execution& execution = {});

}  // namespace lab::ops
