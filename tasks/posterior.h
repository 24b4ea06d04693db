// The exact filter of a hidden state: condition on what was seen, then move.
//
//   s = |Z b|,   b <- T (Z b / s)
// with Z the diagonal of the states that an event leaves possible and T the kernel of its move. The
// product of the s is the probability of everything seen so far: the evidence.
// Source: forward algorithm, Rabiner, "A Tutorial on Hidden Markov Models" (1989), section III.A;
// automata with state reveals: arXiv 2602.14814, section 5. The update is the true posterior only
// if the choice among the events that are possible does not depend on the hidden state.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "tasks/fraction.h"

namespace lab::tasks {

/// An event of probability zero was reported. There is no belief from there on.
struct Contradiction {
    int event = 0;  ///< its number, from 1
    bool operator==(const Contradiction&) const = default;
};

/// The probability of an event given all before it.
template <class Number>
using StepResult = std::variant<Number, Contradiction>;

/// Number is double or Fraction. In double a state whose probability underflows is taken for
/// impossible.
template <class Number>
class Posterior {
public:
    /// `start` sums to one.
    explicit Posterior(std::vector<Number> start) : m_belief(std::move(start)) {}

    /// By state; empty after a contradiction.
    [[nodiscard]] const std::vector<Number>& belief() const noexcept { return m_belief; }
    /// Probability of everything seen. In double it underflows after some 1,000 bits: see
    /// log2Evidence.
    [[nodiscard]] const Number& evidence() const noexcept { return m_evidence; }
    /// Minus infinity after a contradiction.
    [[nodiscard]] double log2Evidence() const noexcept { return m_log2Evidence; }
    [[nodiscard]] int events() const noexcept { return m_events; }
    [[nodiscard]] bool contradicted() const noexcept { return m_belief.empty(); }

    /// Keeps the states for which possible(state); the first half of an event.
    template <class Possible>
    [[nodiscard]] StepResult<Number> condition(Possible possible) {
        if (contradicted()) {
            return Contradiction{m_events};
        }
        ++m_events;
        Number probability(0);
        for (std::size_t state = 0; state < m_belief.size(); ++state) {
            if (possible(static_cast<int>(state))) {
                probability += m_belief[state];
            } else {
                m_belief[state] = 0;
            }
        }
        m_evidence *= probability;
        m_log2Evidence += log2Of(probability);
        if (probability == 0) {
            m_belief.clear();
            return Contradiction{m_events};
        }
        for (Number& mass : m_belief) {
            if (mass != 0) {
                mass /= probability;
            }
        }
        return probability;
    }

    /// Reports that nothing was seen: an event of probability one.
    [[nodiscard]] StepResult<Number> seeNothing() {
        if (contradicted()) {
            return Contradiction{m_events};
        }
        ++m_events;
        return Number(1);
    }

    /// spread(state, mass, next) adds `mass` to the entries of `next` that the state moves to; the
    /// second half of an event. States of no mass are left out.
    template <class Spread>
    void move(Spread spread) {
        std::vector<Number> next(m_belief.size(), Number(0));
        for (std::size_t state = 0; state < m_belief.size(); ++state) {
            if (m_belief[state] != 0) {
                spread(static_cast<int>(state), m_belief[state], next);
            }
        }
        m_belief = std::move(next);
    }

private:
    std::vector<Number> m_belief;
    Number m_evidence = 1;
    double m_log2Evidence = 0;
    int m_events = 0;
};

}  // namespace lab::tasks
