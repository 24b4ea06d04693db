// Gated linear attention as one differentiable operation (formulas:
// kernels/gated_linear_attention.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/ops/execution.h"

namespace lab::ops {

/// q, k [B,T,H,K], v [B,T,H,V], of any strides; gate, the log of the decay, [B,T,H,K] or [B,T,H];
/// initialState [B,H,K,V] or undefined.
struct GlaArguments {
    at::Tensor q{}, k{}, v{}, gate{}, initialState{};
    double scale = 1.0;
};

struct ScanResult {
    at::Tensor o{};           ///< [B,T,H,V]
    at::Tensor finalState{};  ///< [B,H,K,V]
    at::Tensor stateNorm{};   ///< [B,T,H] float, when it was asked for; no gradient
};

/// CPU: our kernel. CUDA: the loop of scan_loops.h.
[[nodiscard]] ScanResult gatedLinearAttention(const GlaArguments& in,
                                              const Execution& execution = {},
                                              bool wantsStateNorm = false);
[[nodiscard]] std::string glaKernelName(std::int64_t keyDim, std::int64_t valueDim,
                                        bool doublePrecision);

}  // namespace lab::ops
