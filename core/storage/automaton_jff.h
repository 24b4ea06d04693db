// Deterministic finite automata as JFLAP 4 to 7 saves them (.jff).
//
//     <structure><type>fa</type><automaton>
//       <state id="0" name="q0"><initial/></state> <state id="1" name="q1"><final/></state>
//       <transition><from>0</from><to>1</to><read>a</read></transition> ...
// Each letter becomes a symbol that tells nothing and moves with certainty. Where a state has no
// transition for a letter, the run is dead: a state "(dead)" is added for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tasks/automaton.h"

namespace lab::storage {

struct JffAutomaton {
    tasks::Automaton<tasks::Fraction> automaton;  ///< states in the order of the file
    std::vector<bool> accepting;                  ///< by state
    bool complete = true;                         ///< without a "(dead)" state
};

/// LabError{kInvalidInput} "source:LINE: transition.read: what", for what is no such automaton, has
/// two ways for a letter, or one without a letter.
[[nodiscard]] JffAutomaton automatonFromJff(std::string_view text, const std::string& source);

}  // namespace lab::storage
