// Kernels for CPUs with AVX2 and FMA: 32 byte vectors.
#define LAB_SIMD_BYTES 32

#include "kernels/cpu/table.inl"
#include "kernels/cpu/tables.h"

namespace lab::kernels::cpu::avx2 {

void tables(const KernelTable<float>** single, const KernelTable<double>** twice) {
    *single = &kTable<float>;
    *twice = &kTable<double>;
}

}  // namespace lab::kernels::cpu::avx2
