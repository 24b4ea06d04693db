// Matrix product with its own packing:  C = A B, or C += A B.
//
// A [M,K], B [K,N] of any strides (a transpose is a swap of strides), C [M,N] with contiguous rows.
// Sums over k are taken in the same order for every shape of tile and any number of threads. For
// the products that a recurrence needs inside; large projections are LibTorch's business.
// Source of the scheme: Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication".
#pragma once

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

struct GemmShape {
    std::int64_t rows = 0, columns = 0, inner = 0;  ///< M, N, K
};

template <class T>
struct Matrix {
    T* data = nullptr;
    std::int64_t rowStride = 0, columnStride = 1;
};

struct GemmPlan : Plan {  ///< forwardWorkspaceBytes
    GemmShape shape;
};

[[nodiscard]] GemmPlan gemmPlan(GemmShape shape, Isa isa = bestIsa(),
                                bool doublePrecision = false) noexcept;
/// `accumulate`: add to C instead of overwriting it.
template <class T>
[[nodiscard]] Status gemm(const GemmPlan& plan, const Matrix<const T>& a, const Matrix<const T>& b,
                          const Matrix<T>& c, bool accumulate, void* workspace,
                          const Exec& exec = {}) noexcept;
[[nodiscard]] Cost gemmCost(const GemmShape& shape) noexcept;

}  // namespace lab::kernels
