// SiLU gates as differentiable operations (formulas: kernels/gate.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "core/ops/execution.h"

namespace lab::ops {

/// gate, up [rows, width], each with rows that may lie apart -> silu(gate) * up.
[[nodiscard]] at::Tensor siluGate(const at::Tensor& gate, const at::Tensor& up,
                                  const Execution& execution = {});

/// The same of the halves of one projection [rows, 2 width], whose gradient is written in one
/// piece.
[[nodiscard]] at::Tensor siluGate(const at::Tensor& both, const Execution& execution = {});

}  // namespace lab::ops
