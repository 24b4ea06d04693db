// Experiments as TOML files, `schema = 1`:
//
//     schema = 1
//     name = "first-minute"
//     [task]          kind = "repl"  variables = 3  ...
//     [[model]]       architecture = "delta_net"  width = 64  ...     one table a model
//     [training]      steps = 3000  stages = [[4, 1], [8, 1]]  ...    lengths: [commands, spacing]
//     [evaluation]    lengths = [[32, 4]]  traces = 64  seed = 1000003
//
// Keys are the fields of core/values/experiment_spec.h in snake_case; a missing key has the field's
// default. A seed above 2^63 - 1, which TOML cannot hold, is written as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/values/experiment_spec.h"

namespace lab::storage {

/// The newest schema that this program reads and the one that it writes.
inline constexpr int kSpecSchema = 1;

/// Every field, in the order of the structs. Keys of `keepFrom` (TOML text) that the schema does
/// not know are written back: below their table, and for models below the model of the same number.
/// A `keepFrom` that cannot be read is ignored.
[[nodiscard]] std::string toToml(const values::ExperimentSpec& spec,
                                 std::string_view keepFrom = {});

/// LabError{kInvalidInput} with one line "source:line:column: field is X, must be ..." for each
/// problem, those of problemsIn included.
[[nodiscard]] values::ExperimentSpec fromToml(std::string_view text, std::string_view source);

/// One line "source:line:column: task.sead ..." for each key that the schema does not know: perhaps
/// a slip of the pen. LabError{kInvalidInput} when the text is not TOML.
[[nodiscard]] std::vector<std::string> unknownKeysIn(std::string_view text,
                                                     std::string_view source);

/// The spec with "training.steps=100", "model.width=32" (every model) or "model[1].width=32" done.
/// The right side is a TOML value; a bare word is a text. LabError{kInvalidInput} when there is no
/// such key, the type is wrong, or the result has problems.
[[nodiscard]] values::ExperimentSpec withSetting(const values::ExperimentSpec& spec,
                                                 std::string_view assignment);

}  // namespace lab::storage
