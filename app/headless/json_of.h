// Values of core as JSON. The field names are documented in docs/cli.md and stable.
#pragma once

#include <string_view>

#include "app/headless/text_io.h"
#include "core/values/run_record.h"
#include "core/values/telemetry_records.h"

namespace lab::headless {

[[nodiscard]] std::string_view nameOf(values::RunState state);
[[nodiscard]] Json jsonOf(values::TraceLength length);
[[nodiscard]] Json jsonOf(const values::LengthAccuracy& accuracy);
[[nodiscard]] Json jsonOf(const values::RunRecord& run);
/// {"prompt": x, "name": x, ...}
[[nodiscard]] Json byKind(const std::array<double, values::kTokenKindCount>& numbers);

/// "99.12 %", or "-" for what is not known.
[[nodiscard]] std::string percent(double fraction);
/// The table of `eval` and `train`.
void printAccuracies(const std::vector<values::LengthAccuracy>& accuracies);

}  // namespace lab::headless
