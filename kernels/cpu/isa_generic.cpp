// Kernels for any x86-64 (or any other) CPU: 16 byte vectors.
#define LAB_SIMD_BYTES 16

#include "kernels/cpu/table.inl"
#include "kernels/cpu/tables.h"

namespace lab::kernels::cpu::generic {

void tables(const KernelTable<float>** single, const KernelTable<double>** twice) {
    *single = &kTable<float>;
    *twice = &kTable<double>;
}

}  // namespace lab::kernels::cpu::generic
