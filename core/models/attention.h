// The pieces of causal attention, apart so that each can be tested.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace lab::models {

/// [steps, past + steps], true where query t, at position past + t, may see the key. The mask is
/// aligned at the end: with fewer queries than keys LibTorch's own `is_causal` aligns at the start.
[[nodiscard]] at::Tensor visibleKeys(std::int64_t past, std::int64_t steps, const at::Tensor& like);

/// q [batch, heads, steps, D], k [.., past + steps, D], v [.., past + steps, V] -> [batch, heads,
/// steps, V].
[[nodiscard]] at::Tensor causalAttention(const at::Tensor& q, const at::Tensor& k,
                                         const at::Tensor& v);
/// The weights that causalAttention gives the values, [batch, heads, steps, past + steps].
[[nodiscard]] at::Tensor attentionPattern(const at::Tensor& q, const at::Tensor& k);

/// Rotary positions first, first + 1, ... along axis 1 of x [batch, steps, heads, D], D even.
[[nodiscard]] at::Tensor rotated(const at::Tensor& x, std::int64_t first);

}  // namespace lab::models
