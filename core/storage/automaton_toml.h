// Automata with state reveals as TOML, with the fields of automaton_json.h:
//
//     name = "absorbing chain"
//     states = ["1", "2", "3"]
//     start = { 2 = "1/2", 3 = "1/2" }                   # or "uniform"
//     events = ["fall", "see"]
//     [symbols.fall.kernel]                              # a row for every state
//     1 = { 1 = 1 }
//     2 = { 1 = "1/2", 2 = "1/2" }
//     3 = { 1 = "1/2", 3 = "1/2" }
//     [symbols.see]
//     reveal_set = ["2", "3"]
#pragma once

#include <string>
#include <string_view>

#include "core/storage/automaton_json.h"

namespace lab::storage {

/// LabError{kInvalidInput} "source:LINE:COLUMN: symbols.x.kernel.q0: sums to 5/6, must be 1".
[[nodiscard]] AutomatonCase automatonFromToml(std::string_view text, const std::string& source);

}  // namespace lab::storage
