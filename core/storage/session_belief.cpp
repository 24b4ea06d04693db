#include "core/storage/session_belief.h"

#include <algorithm>
#include <map>
#include <variant>

#include "core/storage/belief_numbers.h"
#include "core/values/lab_error.h"
#include "tasks/posterior.h"

namespace lab::storage {
namespace {

using Kind = tasks::Command::Kind;
using Values = std::vector<std::int64_t>;

/// Seven variables with different values.
constexpr std::size_t kMaxArrangements = 5040;

/// The first value of every variable that has one, by variable.
Values firstValues(const tasks::Transcript& session) {
    Values values(session.names.size());
    std::vector<bool> seen(session.names.size());
    for (const tasks::Command& command : session.commands) {
        const auto at = static_cast<std::size_t>(command.variable);
        if (command.kind == Kind::kAssign && !seen[at]) {
            seen[at] = true;
            values[at] = command.value;
        }
    }
    return values;
}

/// Every distinct arrangement of the values. More than the limit: nothing.
std::vector<Values> arrangementsOf(Values values) {
    std::ranges::sort(values);
    std::vector<Values> all;
    do {
        all.push_back(values);
        if (all.size() > kMaxArrangements) {
            return {};
        }
    } while (std::ranges::next_permutation(values).found);
    return all;
}

template <class Number>
class SessionFilter {
public:
    /// `arrangements` of the first values by variable, all alike at the start.
    SessionFilter(const tasks::Transcript& session, std::vector<Values> arrangements)
        : m_names(session.names),
          m_arrangements(std::move(arrangements)),
          m_posterior(std::vector<Number>(m_arrangements.size(),
                                          Number(1) / Number(m_arrangements.size()))),
          m_place(session.names.size(), kNone) {}

    BeliefRow read(const tasks::Command& command) {
        const auto at = static_cast<std::size_t>(command.variable);
        tasks::StepResult<Number> probability = Number(1);
        if (command.kind == Kind::kPermute) {
            move(command.moved);
        } else if (command.kind == Kind::kReveal) {
            probability = m_posterior.condition([&](int arrangement) {
                return contentOf(at, static_cast<std::size_t>(arrangement)) == command.value;
            });
        } else {
            assign(at, command.value);
        }
        BeliefRow row;
        row.event = command.text;
        setStep(row, std::get<Number>(probability));  // the reader has checked every print
        row.belief = belief();
        return row;
    }

private:
    static constexpr int kNone = -1;

    void assign(std::size_t variable, std::int64_t value) {
        if (m_place[variable] == kNone) {
            m_place[variable] = static_cast<int>(variable);  // a first value, hidden
            return;
        }
        m_place[variable] = static_cast<int>(m_names.size() + m_later.size());
        m_later.push_back(value);
    }
    void move(const std::vector<int>& moved) {
        const std::vector<int> before = m_place;
        for (std::size_t i = 0; i < m_place.size(); ++i) {
            m_place[i] = before[static_cast<std::size_t>(moved[i])];
        }
    }
    [[nodiscard]] std::int64_t contentOf(std::size_t variable, std::size_t arrangement) const {
        const auto place = static_cast<std::size_t>(m_place[variable]);
        return place < m_names.size() ? m_arrangements[arrangement][place]
                                      : m_later[place - m_names.size()];
    }
    [[nodiscard]] std::string stateOf(std::size_t arrangement) const {
        std::string text;
        for (std::size_t i = 0; i < m_names.size(); ++i) {
            if (m_place[i] != kNone) {
                text += (text.empty() ? "" : " ") + m_names[i] + "=" +
                        std::to_string(contentOf(i, arrangement));
            }
        }
        return text;
    }
    /// Arrangements that differ only in variables without a value are one state.
    [[nodiscard]] std::vector<StateBelief> belief() const {
        std::map<std::string, Number> masses;
        for (std::size_t i = 0; i < m_arrangements.size(); ++i) {
            if (m_posterior.belief()[i] != 0) {
                masses[stateOf(i)] += m_posterior.belief()[i];
            }
        }
        std::vector<StateBelief> states;
        states.reserve(masses.size());
        for (const auto& [state, mass] : masses) {
            states.push_back(stateBelief(state, mass));
        }
        return states;
    }

    std::vector<std::string> m_names;
    std::vector<Values> m_arrangements;
    tasks::Posterior<Number> m_posterior;  // over m_arrangements
    /// By variable: where its content lay first, a variable's number for a first value, behind them
    /// for a later one.
    std::vector<int> m_place;
    Values m_later;  // values that were assigned in sight
};

template <class Number>
std::vector<BeliefRow> rowsOf(const tasks::Transcript& session, std::vector<Values> arrangements) {
    SessionFilter<Number> filter(session, std::move(arrangements));
    std::vector<BeliefRow> rows;
    for (const tasks::Command& command : session.commands) {
        rows.push_back(filter.read(command));
    }
    return rows;
}

}  // namespace

std::vector<BeliefRow> sessionBelief(const tasks::Transcript& session, const std::string& source,
                                     const BeliefOptions& options) {
    const Values first = firstValues(session);
    const std::vector<Values> arrangements =
        options.watching ? arrangementsOf(first) : std::vector<Values>{first};
    if (arrangements.empty()) {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               source + ": the first values can be arranged in more than " +
                                   std::to_string(kMaxArrangements) + " ways, too many to list");
    }
    return options.fractions ? rowsOf<tasks::Fraction>(session, arrangements)
                             : rowsOf<double>(session, arrangements);
}

}  // namespace lab::storage
