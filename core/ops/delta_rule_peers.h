// The delta rule in LibTorch's plain operators, as it is usually written: differentiable by
// LibTorch's own autograd. These are peers for benchmarks and tests, and what runs on a CUDA
// device.
#pragma once

#include "core/ops/delta_rule.h"

namespace lab::ops {

/// How a token loop reads the state: k^T S as a matrix product, or as multiply and sum.
enum class LoopForm { kMatmul, kSum };

/// Token by token over unbound slices.
[[nodiscard]] DeltaResult deltaRuleLoop(const DeltaArguments& in, LoopForm form);

/// `chunk` tokens at a time: within a chunk the writes are one triangular system, between chunks
/// the state is carried. Source: Yang et al., "Parallelizing Linear Transformers with the Delta
/// Rule" (2406.06484), section 3.2; with gates 2412.06464, section 3.3.
[[nodiscard]] DeltaResult deltaRuleChunk(const DeltaArguments& in, std::int64_t chunk);

}  // namespace lab::ops
