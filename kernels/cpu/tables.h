// The kernels of every instruction set in this build, and which the machine can run.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/cpu_features.h"

namespace lab::kernels::cpu {

namespace generic {
void tables(const KernelTable<float>** single, const KernelTable<double>** twice);
}
namespace avx2 {
void tables(const KernelTable<float>** single, const KernelTable<double>** twice);
}
namespace avx512 {
void tables(const KernelTable<float>** single, const KernelTable<double>** twice);
}

/// Null when this build or this machine lacks `isa`.
template <class T>
const KernelTable<T>* tableFor(Isa isa) noexcept;
template <>
const KernelTable<float>* tableFor<float>(Isa isa) noexcept;
template <>
const KernelTable<double>* tableFor<double>(Isa isa) noexcept;

}  // namespace lab::kernels::cpu
