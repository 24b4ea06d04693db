// Norms of rows, SiLU gates and the belief filter as their formulas say, in float64, with gradients
// from the tape. Arrays as in kernels/reference/scans.h.
#pragma once

#include "kernels/reference/tape.h"

namespace lab::kernels::reference {

enum class NormKind { kRms, kLayer, kL2 };
/// Inputs x [rows, width], w, b ([width] or empty); outputs y, 1 / the root [rows].
[[nodiscard]] Answer norm(NormKind kind, int width, double epsilon,
                          const std::vector<Numbers>& inputs, const std::vector<Numbers>& upstream);

/// Inputs gate, up (or empty); output silu(gate) up.
[[nodiscard]] Answer siluGate(const std::vector<Numbers>& inputs,
                              const std::vector<Numbers>& upstream);

struct BeliefExtent {
    int batch = 1, steps = 0, states = 1, permutations = 0;
    bool shared = true;
};
/// Inputs T, w, e (or empty), b_0; outputs beliefs, log-evidence of each step. `source` [M,N].
[[nodiscard]] Answer beliefFilter(const BeliefExtent& extent, const std::vector<int>& source,
                                  const std::vector<Numbers>& inputs,
                                  const std::vector<Numbers>& upstream);

}  // namespace lab::kernels::reference
