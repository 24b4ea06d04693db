// One matrix product as the ISA files see it.
#pragma once

#include "kernels/cpu/strided.h"

namespace lab::kernels::cpu {

constexpr int kGemmVectors = 2;  ///< columns of a register tile
constexpr int kGemmDepth = 256;  ///< k at a time: a panel of B stays in the L1 cache

template <class T>
struct GemmJob {
    std::int64_t rows, columns, inner;
    const T* a;
    std::int64_t aRow, aColumn;
    const T* b;
    std::int64_t bRow, bColumn;
    T* c;
    std::int64_t cRow;
    bool accumulate;
    T* panels;  ///< B: [panel][K][kGemmVectors vectors], zero behind the last column
};

}  // namespace lab::kernels::cpu
