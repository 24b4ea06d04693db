// Causal depthwise convolution over time with SiLU (kernels/short_conv.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "core/ops/execution.h"

namespace lab::ops {

enum class ConvActivation { kNone, kSilu };

/// x [batch, steps, channels]; weight [channels, width]; bias [channels] or undefined; `carried`
/// [batch, channels, width - 1], the inputs before the first, oldest first; undefined: zero.
[[nodiscard]] at::Tensor shortConv(const at::Tensor& x, const at::Tensor& weight,
                                   const at::Tensor& bias, const at::Tensor& carried,
                                   ConvActivation activation, const Execution& execution = {});

/// What the next call needs as `carried`: the last width - 1 inputs. No gradient.
[[nodiscard]] at::Tensor carriedInputs(const at::Tensor& x, const at::Tensor& carried,
                                       std::int64_t width);

}  // namespace lab::ops
