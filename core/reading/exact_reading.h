// A transcript as every view shows it, without a model: events, cups, and what is known exactly.
//
// Knowing: one who reads everything knows each cup that has a value; a cup without one is uniform.
// Watching: one who sees commands and prints, but of the first values only which values they are,
// begins with every distinct arrangement of them alike. Moves only rename where a first value lies,
// and a print tells one first value; given the known ones, the rest is again every arrangement
// alike. So a cup whose first value is known holds it, and any other holds value v with probability
// (unknown first values equal to v) / (unknown first values): exact for any number of cups. A later
// assignment is a command like others, and seen.
#pragma once

#include <string_view>
#include <variant>

#include "core/values/trace_reading.h"
#include "tasks/transcript.h"

namespace lab::reading {

[[nodiscard]] values::TraceReading exactReading(std::string_view text,
                                                const tasks::Transcript& transcript);

/// Both steps: from text to the reading, or why it is refused.
[[nodiscard]] std::variant<values::TraceReading, values::TranscriptProblem> readExactly(
    std::string_view text);

}  // namespace lab::reading
