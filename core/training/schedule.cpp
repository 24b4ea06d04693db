#include "core/training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lab::training {

double rateFactor(const values::TrainingSpec& training, std::int64_t step) noexcept {
    const auto done = static_cast<double>(step);
    const auto budget = static_cast<double>(training.steps);
    const double warmUp =
        step < training.warmupSteps ? (done + 1) / static_cast<double>(training.warmupSteps) : 1.0;
    const double decayStart = training.decayFrom * budget;
    const double length = budget - decayStart;
    const double progress = length > 0 ? std::clamp((done - decayStart) / length, 0.0, 1.0) : 0.0;
    const double cosine = 0.5 * (1 + std::cos(std::numbers::pi * progress));
    return warmUp * (training.finalRate + (1 - training.finalRate) * cosine);
}

}  // namespace lab::training
