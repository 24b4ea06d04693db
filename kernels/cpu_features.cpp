// Looks at the CPU and at what its operating system saves on a task switch.
#include "kernels/cpu_features.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "kernels/cpu/tables.h"

#if defined(LAB_KERNELS_X86)
#include <cpuid.h>
#endif

namespace lab::kernels {
namespace {

#if defined(LAB_KERNELS_X86)
/// The registers that the operating system keeps for a program: bit 1 SSE, 2 AVX, 5..7 AVX-512.
unsigned savedRegisters() noexcept {
    unsigned low = 0;
    unsigned high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

Isa detect() noexcept {
    constexpr unsigned kAvxState = 0x06;
    constexpr unsigned kAvx512State = 0xe6;
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0) {
        return Isa::kGeneric;
    }
    const bool fma = (c & bit_FMA) != 0;
    const bool asksSystem = (c & bit_OSXSAVE) != 0;
    if (!fma || !asksSystem || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) {
        return Isa::kGeneric;
    }
    const unsigned saved = savedRegisters();
    constexpr unsigned kAvx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
    if ((saved & kAvx512State) == kAvx512State && (b & kAvx512) == kAvx512) {
        return Isa::kAvx512;
    }
    return (saved & kAvxState) == kAvxState && (b & bit_AVX2) != 0 ? Isa::kAvx2 : Isa::kGeneric;
}
#else
Isa detect() noexcept {
    return Isa::kGeneric;
}
#endif

/// Whatever the environment says: what the machine can run.
Isa machineIsa() noexcept {
    static const Isa found = detect();
    return found;
}

}  // namespace

const char* nameOf(Isa isa) noexcept {
    switch (isa) {
        case Isa::kGeneric: return "generic";
        case Isa::kAvx2: return "avx2";
        case Isa::kAvx512: return "avx512";
    }
    return "unknown";
}

Isa bestIsa() noexcept {
    static const Isa best = [] {
        const Isa found = machineIsa();
        const char* const wish = std::getenv("THIMBLERIG_ISA");  // NOLINT(concurrency-mt-unsafe)
        for (const Isa isa : std::array{Isa::kGeneric, Isa::kAvx2, Isa::kAvx512}) {
            if (wish != nullptr && std::string_view(wish) == nameOf(isa)) {
                return std::min(isa, found);
            }
        }
        return found;
    }();
    return best;
}

namespace cpu {
namespace {

struct Tables {
    const KernelTable<float>* single = nullptr;
    const KernelTable<double>* twice = nullptr;
};

Tables tablesOf(Isa isa) noexcept {
    Tables result;
    if (isa > machineIsa() || isa < Isa::kGeneric) {
        return result;
    }
    switch (isa) {
        case Isa::kGeneric: generic::tables(&result.single, &result.twice); break;
#if defined(LAB_KERNELS_X86)
        case Isa::kAvx2: avx2::tables(&result.single, &result.twice); break;
        case Isa::kAvx512: avx512::tables(&result.single, &result.twice); break;
#else
        default: break;
#endif
    }
    return result;
}

}  // namespace

template <>
const KernelTable<float>* tableFor<float>(Isa isa) noexcept {
    return tablesOf(isa).single;
}
template <>
const KernelTable<double>* tableFor<double>(Isa isa) noexcept {
    return tablesOf(isa).twice;
}

}  // namespace cpu
}  // namespace lab::kernels
