// The exact belief about a REPL session: which contents its variables may have.
//
// Hidden is which of the first values went to which variable; a watcher begins with every distinct
// arrangement of them alike, one who knows with the right one. Swaps rename the places where the
// first values lie, so they move the belief without changing its numbers; a print conditions it.
// Every other assignment is seen by both.
#pragma once

#include <string>
#include <vector>

#include "core/files.h"
#include "tasks/transcript.h"

namespace lab::storage {

/// One row a command. LabError{kInvalidInput} when a watcher would have to keep too many
/// arrangements in mind.
[[nodiscard]] std::vector<BeliefRow> sessionBelief(const tasks::Transcript& session,
                                                   const std::string& source,
                                                   const BeliefOptions& options);

}  // namespace lab::storage
