// Random orthogonal matrices: the basis in which a trained network keeps what it knows is any.
#pragma once

#include <cstdint>
#include <vector>

namespace lab::tasks {

/// [row * size + column], rows orthonormal to double precision, uniform over all such matrices (the
/// same seed, the same matrix). Gram-Schmidt on normal entries: Mezzadri, "How to generate random
/// matrices from the classical compact groups" (2007).
[[nodiscard]] std::vector<double> randomOrthogonal(int size, std::uint64_t seed);

/// Of square matrices.
[[nodiscard]] std::vector<double> product(const std::vector<double>& a,
                                          const std::vector<double>& b, int size);
[[nodiscard]] std::vector<double> transposed(const std::vector<double>& a, int size);

}  // namespace lab::tasks
