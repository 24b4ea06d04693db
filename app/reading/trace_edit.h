// Edits of a transcript that a person makes on the stage. Pure: text in, text out.
//
// Later prints are rewritten to what Python would print then, so an edited trace stays true.
#pragma once

#include <QString>

#include "core/values/trace_reading.h"

namespace lab::app {

/// A swap of two cups right after event `after` (or after the last first assignment, whichever is
/// later).
[[nodiscard]] QString withSwap(const values::TraceReading& reading, int after, int cup, int other);
/// A print of what is in `cup`, placed in the same way.
[[nodiscard]] QString withReveal(const values::TraceReading& reading, int after, int cup);

}  // namespace lab::app
