// Normalisation of rows.
//
//   RMS    y = x / sqrt(mean(x^2) + epsilon) w + b
//   layer  y = (x - mean(x)) / sqrt(mean((x - mean(x))^2) + epsilon) w + b
//   L2     y = x / sqrt(sum(x^2) + epsilon) w + b
//
// x, y: `rows` rows of `width` numbers, row stride in elements, contiguous inside a row; w, b
// [width] or null (1, 0). Forward leaves `inverse` [rows], 1 / sqrt(...), and for the layer norm
// `mean` [rows]; backward reads them. Sums of weight gradients over rows run in a fixed order.
// Sources: Zhang and Sennrich, "Root Mean Square Layer Normalization" (1910.07467), eq. 4; Ba,
// Kiros, Hinton, "Layer Normalization" (1607.06450), eq. 4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu_features.h"
#include "kernels/plan.h"
#include "kernels/status.h"
#include "kernels/view.h"

namespace lab::kernels {

enum class Norm { kRms, kLayer, kL2 };

struct RowShape {
    std::int64_t rows = 0;
    int width = 0;
    std::int64_t inputStride = 0, outputStride = 0;
};

template <class T>
struct NormInputs {
    const T* x = nullptr;
    const T* weight = nullptr;
    const T* bias = nullptr;
};

/// T const for backward. Null in forward: no backward will follow.
template <class T>
struct NormStatistics {
    T* inverse = nullptr;
    T* mean = nullptr;
};

template <class T>
struct NormGradients {
    const T* gradY = nullptr;  ///< rows as far apart as those of y
    T* gradX = nullptr;        ///< rows as far apart as those of x; null: not wanted
    T* gradWeight = nullptr;
    T* gradBias = nullptr;
};

template <class T>
[[nodiscard]] Status normForward(Norm norm, const RowShape& shape, double epsilon,
                                 const NormInputs<T>& in, T* y, const NormStatistics<T>& statistics,
                                 Isa isa = bestIsa(), const Exec& exec = {}) noexcept;
template <class T>
[[nodiscard]] Status normBackward(Norm norm, const RowShape& shape, const NormInputs<T>& in,
                                  const NormStatistics<const T>& statistics,
                                  const NormGradients<T>& grad, void* workspace,
                                  Isa isa = bestIsa(), const Exec& exec = {}) noexcept;
[[nodiscard]] std::size_t normWorkspaceBytes(const RowShape& shape, bool doublePrecision) noexcept;
[[nodiscard]] Cost normForwardCost(const RowShape& shape) noexcept;
[[nodiscard]] Cost normBackwardCost(const RowShape& shape) noexcept;

}  // namespace lab::kernels
