// The scans in LibTorch's plain operators, token by token, differentiable by its own autograd: what
// runs on a CUDA device, and the slower honest method of the tests.
#pragma once

#include "core/ops/gated_linear_attention.h"
#include "core/ops/state_space.h"

namespace lab::ops {

[[nodiscard]] ScanResult gatedLinearAttentionLoop(const GlaArguments& in);
[[nodiscard]] ScanResult ssdLoop(const SsdArguments& in);
[[nodiscard]] SelectiveScanResult selectiveScanLoop(const SelectiveScanArguments& in);

}  // namespace lab::ops
