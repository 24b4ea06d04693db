// Which variant of the CPU kernels runs.
#pragma once

namespace lab::kernels {

enum class Isa { kGeneric, kAvx2, kAvx512 };

/// The best one that this CPU and its operating system can run, once detected; the environment
/// variable THIMBLERIG_ISA=generic|avx2|avx512 lowers it.
[[nodiscard]] Isa bestIsa() noexcept;
[[nodiscard]] const char* nameOf(Isa isa) noexcept;

}  // namespace lab::kernels
