// Plausible values for every widget, made without a model: for the gallery and the widget tests.
#pragma once

#include <memory>
#include <vector>

#include "core/values/run_record.h"
#include "core/values/telemetry_records.h"
#include "core/values/trace_reading.h"
#include "widgets/plots/accuracy_plots.h"
#include "widgets/plots/metric_plot.h"
#include "widgets/run_cards.h"

namespace lab::widgets::demonstration {

struct TraceSetting {
    int cups = 3;
    int commands = 16;
    int spacing = 3;
    bool fullPermutations = false;
    bool withModel = true;
    unsigned seed = 1;
};

/// Assignments, then commands with a print after every `spacing`-th. The watcher's belief is
/// counted over all orders of the values; the model's is the truth, blurred, and now and then
/// wrong.
[[nodiscard]] std::shared_ptr<const values::TraceReading> trace(const TraceSetting& setting);

/// A loss curve of `points` steps.
[[nodiscard]] std::vector<MetricPoint> lossCurve(int points, unsigned seed, double floor);
[[nodiscard]] std::vector<RunAccuracy> accuracies();
[[nodiscard]] std::vector<RunCard> cards();
[[nodiscard]] std::vector<values::RunRecord> records(int count);

}  // namespace lab::widgets::demonstration
