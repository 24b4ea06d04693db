// The scans of Mamba-2 (SSD) and Mamba (S6) as differentiable operations (formulas: kernels/ssd.h,
// kernels/selective_scan.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/ops/execution.h"
#include "core/ops/gated_linear_attention.h"

namespace lab::ops {

/// x [B,T,H,P], delta [B,T,H] > 0, a [H] < 0, b and c [B,T,G,N], d [H]; of any strides where a
/// batch is; initialState [B,H,N,P] or undefined.
struct SsdArguments {
    at::Tensor x{}, delta{}, a{}, b{}, c{}, d{}, initialState{};
};
/// CPU: our kernel. CUDA: the loop of scan_loops.h.
[[nodiscard]] ScanResult ssd(const SsdArguments& in, const Execution& execution = {},
                             bool wantsStateNorm = false);
[[nodiscard]] std::string ssdKernelName(std::int64_t states, std::int64_t headDim,
                                        bool doublePrecision);

/// u, raw, z [B,T,C], a [C,N] < 0, b and c [B,T,N], d and bias [C], of any strides where a batch
/// is; initialState [B,C,N] or undefined. delta = softplus(raw + bias).
struct SelectiveScanArguments {
    at::Tensor u{}, raw{}, z{}, a{}, b{}, c{}, d{}, bias{}, initialState{};
};
struct SelectiveScanResult {
    at::Tensor out{};         ///< [B,T,C]
    at::Tensor finalState{};  ///< [B,C,N]
};
/// CPU: our kernel. CUDA: the loop of scan_loops.h.
[[nodiscard]] SelectiveScanResult selectiveScan(const SelectiveScanArguments& in,
                                                const Execution& execution = {});
[[nodiscard]] std::string selectiveScanKernelName(std::int64_t channels, std::int64_t states,
                                                  bool doublePrecision);

}  // namespace lab::ops
