// Root-mean-square normalisation of rows:  y = x / sqrt(mean(x^2) + epsilon) * weight.
//
// x, y: `rows` rows of `width` numbers, row stride in elements, contiguous inside a row; weight
// [width] or null (1). inverse [rows]: 1 / sqrt(...), written by forward when not null, read by
// backward. Source: Zhang and Sennrich, "Root Mean Square Layer Normalization" (1910.07467), eq. 4.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cpu_features.h"
#include "kernels/plan.h"
#include "kernels/status.h"
#include "kernels/view.h"

namespace lab::kernels {

struct RowShape {
    std::int64_t rows = 0;
    int width = 0;
    std::int64_t inputStride = 0, outputStride = 0;
};

template <class T>
[[nodiscard]] Status rmsNormForward(const RowShape& shape, double epsilon, const T* x,
                                    const T* weight, T* y, T* inverse, Isa isa = bestIsa(),
                                    const Exec& exec = {}) noexcept;
/// gradX has stride inputStride, gradY outputStride. gradWeight (null: not wanted) is overwritten;
/// its sum over rows runs in a fixed order. Workspace: rmsNormWorkspaceBytes.
template <class T>
[[nodiscard]] Status rmsNormBackward(const RowShape& shape, const T* x, const T* weight,
                                     const T* inverse, const T* gradY, T* gradX, T* gradWeight,
                                     void* workspace, Isa isa = bestIsa(),
                                     const Exec& exec = {}) noexcept;
[[nodiscard]] std::size_t rmsNormWorkspaceBytes(const RowShape& shape,
                                                bool doublePrecision) noexcept;

}  // namespace lab::kernels
