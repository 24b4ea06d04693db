// Probabilistic finite automata whose symbols reveal something about the state (PFSA-SR), and their
// exact filter.
//
// A symbol first tells that the state is in its reveal set, then moves the state by its kernel: the
// reveal acts before the move. Source: arXiv 2602.14814, definition 1.
#pragma once

#include <string>
#include <vector>

#include "tasks/posterior.h"

namespace lab::tasks {

/// Number is double or Fraction.
template <class Number>
struct Symbol {
    std::string name;
    std::vector<bool> possible;  ///< the reveal set, by state; empty: tells nothing
    std::vector<Number> kernel;  ///< [from * states + to], rows sum to one; empty: nothing moves
};

template <class Number>
struct Automaton {
    std::vector<std::string> states;
    std::vector<Number> start;  ///< by state, sums to one
    std::vector<Symbol<Number>> symbols;
};

/// Every reason why this is no automaton; empty when it is one.
template <class Number>
[[nodiscard]] std::vector<std::string> problemsIn(const Automaton<Number>& automaton);

/// What makes no sense in an automaton that is one: states that nothing reaches from the start, and
/// reveals of states that are never reached, so that every belief contradicts them.
template <class Number>
[[nodiscard]] std::vector<std::string> warningsIn(const Automaton<Number>& automaton);

template <class Number>
class AutomatonFilter {
public:
    /// Requires problemsIn(automaton) to be empty.
    explicit AutomatonFilter(Automaton<Number> automaton);

    /// Requires 0 <= symbol < symbols. A contradiction stays: every later event gives it again.
    [[nodiscard]] StepResult<Number> read(int symbol);

    [[nodiscard]] const Automaton<Number>& automaton() const noexcept { return m_automaton; }
    [[nodiscard]] const Posterior<Number>& posterior() const noexcept { return m_posterior; }

private:
    Automaton<Number> m_automaton;
    Posterior<Number> m_posterior;
};

}  // namespace lab::tasks
