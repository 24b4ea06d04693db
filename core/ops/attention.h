// Causal softmax attention as one differentiable operation (formulas: kernels/attention.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/ops/execution.h"

namespace lab::ops {

struct AttentionOptions {
    bool rotary = false;  ///< turn the pairs of q and k by their place, which begins at 0
    int window = 0;       ///< places a query sees, its own included; 0: all
};

/// q [B,T,H,D]; k, v [B,S,H,D] with S >= T: query t stands at place S - T + t. Scale 1 / sqrt(D).
/// CPU: our kernel. CUDA: LibTorch's operators.
[[nodiscard]] at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                   const AttentionOptions& options = {},
                                   const Execution& execution = {});

/// The weights [B,H,T,S]; for looking at. q and k as `attention` reads them without rotary.
[[nodiscard]] at::Tensor attentionPattern(const at::Tensor& q, const at::Tensor& k);

/// x [B,T,H,D] turned by the places `first`, `first` + 1, ..: what `rotary` does, in plain
/// operators.
[[nodiscard]] at::Tensor rotated(const at::Tensor& x, std::int64_t first);

[[nodiscard]] std::string attentionKernelName(std::int64_t heads, std::int64_t headWidth,
                                              bool doublePrecision);

}  // namespace lab::ops
