// The gate of gated networks, row by row:  out = silu(gate) up,  silu(x) = x sigmoid(x).
//
// With `up` null it is SiLU alone. Rows of `width` numbers, contiguous inside, each array with a
// row stride of its own, so that both halves of one projection can be read where they lie.
// Gradients have the strides of what they belong to. Source: Shazeer, "GLU Variants Improve
// Transformer" (2002.05202), eq. 6 (SwiGLU).
#pragma once

#include <cstdint>

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

struct GateShape {
    std::int64_t rows = 0, width = 0;
    std::int64_t gateStride = 0, upStride = 0, outStride = 0;
};

template <class T>
[[nodiscard]] Status siluGateForward(const GateShape& shape, const T* gate, const T* up, T* out,
                                     Isa isa = bestIsa(), const Exec& exec = {}) noexcept;
/// gradGate, gradUp null: not wanted.
template <class T>
[[nodiscard]] Status siluGateBackward(const GateShape& shape, const T* gate, const T* up,
                                      const T* gradOut, T* gradGate, T* gradUp, Isa isa = bestIsa(),
                                      const Exec& exec = {}) noexcept;
[[nodiscard]] Cost siluGateForwardCost(const GateShape& shape) noexcept;
[[nodiscard]] Cost siluGateBackwardCost(const GateShape& shape) noexcept;

}  // namespace lab::kernels
