// Register tiles of matrix products: M rows by L vectors, summed over k in order, whatever the
// number of rows that are worked on together.
#pragma once

#include "kernels/simd.h"

namespace lab::kernels {
namespace {

template <class T, int M, int L>
struct Tile {
    Vec<T> v[M][L];
};

/// tile[i][l] += sum_k a[i rowStride + k kStride] panel[k][l];  panel: L vectors for every k,
/// panelStride numbers apart.
template <class T, int M, int L>
LAB_INLINE void multiplyInto(Tile<T, M, L>& tile, const T* a, std::int64_t rowStride,
                             std::int64_t kStride, const T* panel, std::int64_t panelStride,
                             std::int64_t count) {
    for (std::int64_t k = 0; k < count; ++k) {
        Vec<T> b[L];
        for (int l = 0; l < L; ++l) {
            b[l] = load<T>(panel + k * panelStride + l * kLanes<T>);
        }
#pragma GCC unroll 12
        for (int i = 0; i < M; ++i) {
            const Vec<T> x = broadcast<T>(a[i * rowStride + k * kStride]);
            for (int l = 0; l < L; ++l) {
                tile.v[i][l] = fma<T>(x, b[l], tile.v[i][l]);
            }
        }
    }
}

/// Calls work.template operator()<M>(first row) for tiles of kMost rows, then of 4, 2 and 1.
template <int kMost, class Work>
LAB_INLINE void forEachRowTile(std::int64_t begin, std::int64_t end, const Work& work) {
    std::int64_t row = begin;
    for (; row + kMost <= end; row += kMost) {
        work.template operator()<kMost>(row);
    }
    for (; kMost > 4 && row + 4 <= end; row += 4) {
        work.template operator()<4>(row);
    }
    for (; row + 2 <= end; row += 2) {
        work.template operator()<2>(row);
    }
    if (row < end) {
        work.template operator()<1>(row);
    }
}

}  // namespace
}  // namespace lab::kernels
