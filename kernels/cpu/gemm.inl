// C (+)= A B: B in panels of two vectors of columns, A packed a tile of rows at a time.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/rows.inl"
#include "kernels/cpu/tiles.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

constexpr int kGemmRows = LAB_SIMD_BYTES == 64 ? 12 : 6;  ///< of a tile that fits the registers

template <class T>
constexpr int kPanelColumns = cpu::kGemmVectors* kLanes<T>;

/// One panel: columns side by side, for every k.
template <class T>
void packPanel(const cpu::GemmJob<T>& job, std::int64_t panel) {
    constexpr int kWidth = kPanelColumns<T>;
    const std::int64_t first = panel * kWidth;
    const int count = job.columns - first < kWidth ? static_cast<int>(job.columns - first) : kWidth;
    T* to = job.panels + panel * job.inner * kWidth;
    for (std::int64_t k = 0; k < job.inner; ++k, to += kWidth) {
        packRow<T>(to, job.b + k * job.bRow + first * job.bColumn, job.bColumn, count, T(1));
        for (int i = cpu::paddedTo(kLanes<T>, count); i < kWidth; i += kLanes<T>) {
            store<T>(to + i, Vec<T>{});
        }
    }
}

template <class T, int M>
LAB_INLINE void gemmTile(const cpu::GemmJob<T>& job, std::int64_t row, std::int64_t panel,
                         std::int64_t k, std::int64_t depth, const T* a, std::int64_t aRow,
                         std::int64_t aColumn) {
    constexpr int kWidth = kPanelColumns<T>;
    constexpr int kVectors = cpu::kGemmVectors;
    const std::int64_t first = panel * kWidth;
    const bool whole = first + kWidth <= job.columns;
    const auto count = [&](int l) LAB_LAMBDA_INLINE {
        const std::int64_t left = job.columns - first - l * kLanes<T>;
        return left >= kLanes<T> ? kLanes<T> : left > 0 ? static_cast<int>(left) : 0;
    };
    T* const c = job.c + row * job.cRow + first;
    Tile<T, M, kVectors> tile{};
    if (k > 0 || job.accumulate) {
        for (int i = 0; i < M; ++i) {
            for (int l = 0; l < kVectors; ++l) {
                const T* const from = c + i * job.cRow + l * kLanes<T>;
                tile.v[i][l] = whole ? load<T>(from) : loadPartial<T>(from, count(l));
            }
        }
    }
    multiplyInto<T, M, kVectors>(tile, a, aRow, aColumn,
                                 job.panels + (panel * job.inner + k) * kWidth, kWidth, depth);
    for (int i = 0; i < M; ++i) {
        for (int l = 0; l < kVectors; ++l) {
            T* const to = c + i * job.cRow + l * kLanes<T>;
            if (whole) {
                store<T>(to, tile.v[i][l]);
            } else {
                storePartial<T>(to, tile.v[i][l], count(l));
            }
        }
    }
}

/// The rows from `begin` to `end`, every column.
template <class T>
void gemmRows(const cpu::GemmJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    const std::int64_t panels = (job.columns + kPanelColumns<T> - 1) / kPanelColumns<T>;
    for (std::int64_t k = 0; k < job.inner || k == 0; k += cpu::kGemmDepth) {
        const std::int64_t depth =
            job.inner - k < cpu::kGemmDepth ? job.inner - k : cpu::kGemmDepth;
        forEachRowTile<kGemmRows>(begin, end, [&]<int M>(std::int64_t row) {
            const T* const a = job.a + row * job.aRow + k * job.aColumn;
            if (job.aColumn == 1) {  // rows are read where they lie
                for (std::int64_t panel = 0; panel < panels; ++panel) {
                    gemmTile<T, M>(job, row, panel, k, depth, a, job.aRow, 1);
                }
                return;
            }
            alignas(64) T packed[kGemmRows * cpu::kGemmDepth];
            for (std::int64_t d = 0; d < depth; ++d) {
                for (int i = 0; i < M; ++i) {
                    packed[d * M + i] = a[i * job.aRow + d * job.aColumn];
                }
            }
            for (std::int64_t panel = 0; panel < panels; ++panel) {
                gemmTile<T, M>(job, row, panel, k, depth, packed, 1, M);
            }
        });
    }
}

/// to[c] = sum of the column over the rows, in order.
template <class T>
void sumColumns(const T* from, std::int64_t rows, std::int64_t columns, T* to) {
    for (std::int64_t c = 0; c < columns; c += kLanes<T>) {
        const int count = columns - c < kLanes<T> ? static_cast<int>(columns - c) : kLanes<T>;
        Vec<T> total{};
        for (std::int64_t r = 0; r < rows; ++r) {
            const T* const at = from + r * columns + c;
            total += count == kLanes<T> ? load<T>(at) : loadPartial<T>(at, count);
        }
        if (count == kLanes<T>) {
            store<T>(to + c, total);
        } else {
            storePartial<T>(to + c, total, count);
        }
    }
}

}  // namespace
}  // namespace lab::kernels
