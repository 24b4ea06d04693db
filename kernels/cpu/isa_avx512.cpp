// Kernels for CPUs with AVX-512 F, BW, DQ and VL: 64 byte vectors.
#define LAB_SIMD_BYTES 64

#include "kernels/cpu/table.inl"
#include "kernels/cpu/tables.h"

namespace lab::kernels::cpu::avx512 {

void tables(const KernelTable<float>** single, const KernelTable<double>** twice) {
    *single = &kTable<float>;
    *twice = &kTable<double>;
}

}  // namespace lab::kernels::cpu::avx512
