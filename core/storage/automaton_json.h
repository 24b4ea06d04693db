// Automata with state reveals as JSON, for the belief filter:
//
//     {"name": "...", "states": ["q0", "q1"], "start": {"q0": "1"},
//      "symbols": {"x": {"reveal_set": ["q0"], "kernel": {"q0": {"q1": "2/3", "q0": "1/3"}, ...}}},
//      "events": ["x", "x"]}
//
// A start may be "uniform". A reveal set that is "all" or missing tells nothing; a missing kernel
// moves nothing; a kernel has a row for every state. Probabilities are texts "2/3" or numbers,
// which are read as the decimal fractions that they are written as. Other keys are ignored. A file
// may also hold {"cases": [...]} of these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/automaton.h"

namespace lab::storage {

struct AutomatonCase {
    std::string name;  ///< empty when there is none
    tasks::Automaton<tasks::Fraction> automaton;
    std::vector<int> events;  ///< symbols, by number
};

/// At least one case. LabError{kInvalidInput} "source: symbols.x.kernel.q0: sums to 5/6, must be
/// 1".
[[nodiscard]] std::vector<AutomatonCase> automataFrom(std::string_view text,
                                                      const std::string& source);

/// The same automaton with probabilities rounded to double.
[[nodiscard]] tasks::Automaton<double> rounded(const tasks::Automaton<tasks::Fraction>& automaton);

}  // namespace lab::storage
