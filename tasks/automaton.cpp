#include "tasks/automaton.h"

#include <cassert>
#include <numeric>
#include <span>

namespace lab::tasks {
namespace {

/// "is negative", "sums to 5/6, not to 1", or nothing.
template <class Number>
std::string distributionProblem(std::span<const Number> masses) {
    Number sum(0);
    for (const Number& mass : masses) {
        if (!(mass >= 0)) {
            return "has an entry that is no probability";
        }
        sum += mass;
    }
    return isOne(sum) ? std::string{} : "sums to " + std::to_string(toDouble(sum)) + ", not to 1";
}

template <class Number>
void addProblems(const Symbol<Number>& symbol, const std::vector<std::string>& states,
                 std::vector<std::string>& problems) {
    const std::size_t count = states.size();
    const std::string where = "symbol \"" + symbol.name + "\": ";
    if (!symbol.possible.empty() && symbol.possible.size() != count) {
        problems.push_back(where + "the reveal set is not given by state");
    }
    if (symbol.kernel.empty()) {
        return;
    }
    if (symbol.kernel.size() != count * count) {
        problems.push_back(where + "the kernel is not states by states");
        return;
    }
    for (std::size_t from = 0; from < count; ++from) {
        const auto row = std::span(symbol.kernel).subspan(from * count, count);
        const std::string problem = distributionProblem<Number>(row);
        if (!problem.empty()) {
            problems.push_back(where);
            problems.back() += "the kernel's row of \"";
            problems.back() += states[from];
            problems.back() += "\" ";
            problems.back() += problem;
        }
    }
}

/// By state: whether some sequence of possible symbols leads there.
template <class Number>
std::vector<bool> reachedIn(const Automaton<Number>& automaton) {
    const std::size_t count = automaton.states.size();
    std::vector<bool> reached(count, false);
    std::vector<std::size_t> open;
    const auto reach = [&](std::size_t state) {
        if (!reached[state]) {
            reached[state] = true;
            open.push_back(state);
        }
    };
    for (std::size_t state = 0; state < count; ++state) {
        if (automaton.start[state] != 0) {
            reach(state);
        }
    }
    while (!open.empty()) {
        const std::size_t from = open.back();
        open.pop_back();
        for (const Symbol<Number>& symbol : automaton.symbols) {
            const bool possible = symbol.possible.empty() || symbol.possible[from];
            for (std::size_t to = 0; to < count && possible && !symbol.kernel.empty(); ++to) {
                if (symbol.kernel[from * count + to] != 0) {
                    reach(to);
                }
            }
        }
    }
    return reached;
}

}  // namespace

template <class Number>
std::vector<std::string> problemsIn(const Automaton<Number>& automaton) {
    std::vector<std::string> problems;
    if (automaton.states.empty()) {
        problems.emplace_back("there are no states");
    }
    if (automaton.start.size() != automaton.states.size()) {
        problems.emplace_back("the start is not given by state");
    } else if (const std::string problem = distributionProblem<Number>(automaton.start);
               !problem.empty()) {
        problems.push_back("the start " + problem);
    }
    for (const Symbol<Number>& symbol : automaton.symbols) {
        addProblems(symbol, automaton.states, problems);
    }
    return problems;
}

template <class Number>
std::vector<std::string> warningsIn(const Automaton<Number>& automaton) {
    assert(problemsIn(automaton).empty());
    const std::vector<bool> reached = reachedIn(automaton);
    std::vector<std::string> warnings;
    for (std::size_t state = 0; state < reached.size(); ++state) {
        if (!reached[state]) {
            warnings.push_back("state \"" + automaton.states[state] +
                               "\": nothing reaches it from the start");
        }
    }
    for (const Symbol<Number>& symbol : automaton.symbols) {
        if (symbol.possible.empty()) {
            continue;
        }
        bool any = false;
        for (std::size_t state = 0; state < reached.size(); ++state) {
            any = any || (reached[state] && symbol.possible[state]);
        }
        if (!any) {
            warnings.push_back("symbol \"" + symbol.name +
                               "\": its reveal set holds no state that is ever reached, so it "
                               "contradicts every belief");
        }
    }
    return warnings;
}

template <class Number>
AutomatonFilter<Number>::AutomatonFilter(Automaton<Number> automaton)
    : m_automaton(std::move(automaton)), m_posterior(m_automaton.start) {
    assert(problemsIn(m_automaton).empty());
}

template <class Number>
StepResult<Number> AutomatonFilter<Number>::read(int symbol) {
    const Symbol<Number>& read = m_automaton.symbols.at(static_cast<std::size_t>(symbol));
    StepResult<Number> result =
        read.possible.empty() ? m_posterior.seeNothing() : m_posterior.condition([&](int state) {
            return read.possible[static_cast<std::size_t>(state)];
        });
    if (!m_posterior.contradicted() && !read.kernel.empty()) {
        m_posterior.move([&](int from, const Number& mass, std::vector<Number>& next) {
            const std::size_t row = static_cast<std::size_t>(from) * next.size();
            for (std::size_t to = 0; to < next.size(); ++to) {
                next[to] += mass * read.kernel[row + to];
            }
        });
    }
    return result;
}

template std::vector<std::string> problemsIn(const Automaton<double>&);
template std::vector<std::string> problemsIn(const Automaton<Fraction>&);
template std::vector<std::string> warningsIn(const Automaton<double>&);
template std::vector<std::string> warningsIn(const Automaton<Fraction>&);
template class AutomatonFilter<double>;
template class AutomatonFilter<Fraction>;

}  // namespace lab::tasks
