// What this CPU can do at most: the ceilings of a roofline. Each call does a known amount of work;
// the caller takes the time.
#pragma once

#include <cstdint>

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

/// Multiply-adds in registers, `rounds` on every worker; operations done, 0 without `isa`.
[[nodiscard]] double spinMultiplyAdds(std::int64_t rounds, Isa isa, const Exec& exec = {}) noexcept;
/// x <- e^-x, `rounds` times over 2048 numbers a worker; exponentials done.
[[nodiscard]] double spinExponentials(std::int64_t rounds, Isa isa, const Exec& exec = {}) noexcept;
/// to <- from, each worker a part of its own; bytes read and written.
[[nodiscard]] double streamCopy(const float* from, float* to, std::int64_t count, Isa isa,
                                const Exec& exec = {}) noexcept;

}  // namespace lab::kernels
