// The points that a training step and an evaluation add to the curves (names:
// values::Metric::series).
#pragma once

#include <vector>

#include "core/training/trainer.h"
#include "core/values/telemetry_records.h"

namespace lab {

/// `cpuSeconds` of the run so far; `tokensPerSecond` on the wall clock. A value that does not exist
/// (a kind that the batch has not) gives no point.
[[nodiscard]] std::vector<values::Metric> metricsOf(const training::StepReport& report,
                                                    double cpuSeconds, double tokensPerSecond);
[[nodiscard]] std::vector<values::Metric> metricsOf(
    const std::vector<values::LengthAccuracy>& evaluations, std::int64_t step, double cpuSeconds);

}  // namespace lab
