// Learning rate over a run, as a factor of the peak: linear warm-up, plateau, cosine to the end.
//
//   warm-up   (step + 1) / warmupSteps                              for step < warmupSteps
//   cosine    f + (1 - f) (1 + cos(pi p)) / 2,  f = finalRate,
//             p = (step - d) / (steps - d) clamped to [0,1],  d = decayFrom * steps
// The two factors multiply. Past the end the factor stays at finalRate: it never rises again.
// Source: Loshchilov and Hutter, "SGDR" (1608.03983), eq. 5, without restarts.
#pragma once

#include <cstdint>

#include "core/values/experiment_spec.h"

namespace lab::training {

/// For optimiser step number `step`, counted from 0. In (0, 1].
[[nodiscard]] double rateFactor(const values::TrainingSpec& training, std::int64_t step) noexcept;

}  // namespace lab::training
