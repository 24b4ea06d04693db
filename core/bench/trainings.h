// Trainings of a preset over seeds: the rows of the benches that train.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/bench.h"
#include "core/values/experiment_spec.h"
#include "core/values/telemetry_records.h"

namespace lab::bench {

/// One training, from its first step to its last.
struct Training {
    std::string preset, model;
    std::uint64_t seed = 0;
    bool negativeEigenvalues = true;
    std::int64_t steps = 0;
    double cpuSeconds = 0;
    /// CPU seconds at the first of the run's evaluations, by length, with at least 99 %; NaN: none.
    std::vector<double> cpuSecondsTo99;
    /// After the last step, on sets of 256 traces that no evaluation before has used.
    std::vector<values::LengthAccuracy> final;
};

/// Every model of the preset for every seed, in that order whatever ran first.
[[nodiscard]] std::vector<Training> trainAll(std::string_view preset, const BenchOptions& options);

/// "2.8 .. 4.1, median 3.3"; NaN counts as never.
[[nodiscard]] std::string spread(std::vector<double> values);

}  // namespace lab::bench
