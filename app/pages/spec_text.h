// Specs in words a person reads.
#pragma once

#include <QString>

#include "core/values/experiment_spec.h"

namespace lab::app {

/// "3 cups, swaps" or "word problem over S3, swaps".
[[nodiscard]] QString taskText(const values::TaskSpec& task);
/// "(32, 8)": commands and spacing.
[[nodiscard]] QString lengthText(const values::TraceLength& length);
[[nodiscard]] QString commandsText(values::CommandSet commands);
[[nodiscard]] QString percentText(double fraction);

}  // namespace lab::app
