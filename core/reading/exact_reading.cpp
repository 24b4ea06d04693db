#include "core/reading/exact_reading.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lab::reading {
namespace {

using Kind = tasks::Command::Kind;

/// Numbers to indices into TraceReading::valueNames, ascending.
std::map<std::int64_t, int> valuesIn(const tasks::Transcript& transcript) {
    std::map<std::int64_t, int> index;
    for (const auto& command : transcript.commands) {
        if (command.kind == Kind::kAssign) {
            index[command.value] = 0;
        }
    }
    int next = 0;
    for (auto& entry : index) {
        entry.second = next++;
    }
    return index;
}

values::Belief uniform(int cups, int count) {
    const double each = count > 0 ? 1.0 / count : 0.0;
    return {cups, count, std::vector<double>(static_cast<std::size_t>(cups * count), each)};
}

void setRow(values::Belief& belief, int cup, const std::vector<double>& row) {
    std::ranges::copy(row, belief.probability.begin() + cup * belief.values);
}

/// The watcher; see the header of this file.
class Watcher {
public:
    Watcher(const tasks::Transcript& transcript, const std::map<std::int64_t, int>& values)
        : m_values(static_cast<int>(values.size())), m_unknown(values.size()) {
        std::set<int> assigned;
        for (const auto& command : transcript.commands) {
            if (command.kind == Kind::kAssign && assigned.insert(command.variable).second) {
                ++m_unknown[static_cast<std::size_t>(values.at(command.value))];
            }
        }
        const auto cups = transcript.names.size();
        m_known.resize(cups);
        m_hasValue.resize(cups);
        for (std::size_t cup = 0; cup < cups; ++cup) {
            m_place.push_back(static_cast<int>(cup));
        }
    }

    void assign(int cup, int value) {
        const auto at = static_cast<std::size_t>(cup);
        if (!m_hasValue[at]) {
            m_hasValue[at] = true;  // a first value: not seen
            return;
        }
        m_place[at] = static_cast<int>(m_known.size());  // a place of its own, known
        m_known.emplace_back(value);
    }

    void move(const std::vector<int>& moved) {
        const auto before = m_place;
        for (std::size_t cup = 0; cup < m_place.size(); ++cup) {
            m_place[cup] = before.at(static_cast<std::size_t>(moved[cup]));
        }
    }

    /// The bits that the print told.
    double see(int cup, int value) {
        const double probability = row(cup)[static_cast<std::size_t>(value)];
        auto& known = m_known[static_cast<std::size_t>(m_place[static_cast<std::size_t>(cup)])];
        if (!known) {
            known = value;
            --m_unknown[static_cast<std::size_t>(value)];
        }
        return std::max(0.0, -std::log2(probability));
    }

    [[nodiscard]] values::Belief belief() const {
        const auto cups = static_cast<int>(m_place.size());
        values::Belief belief = uniform(cups, m_values);
        for (int cup = 0; cup < cups; ++cup) {
            setRow(belief, cup, row(cup));
        }
        return belief;
    }

private:
    [[nodiscard]] std::vector<double> row(int cup) const {
        std::vector<double> row(m_unknown.size(), 0.0);
        const auto place = static_cast<std::size_t>(m_place[static_cast<std::size_t>(cup)]);
        if (const auto& known = m_known[place]) {
            row[static_cast<std::size_t>(*known)] = 1;
            return row;
        }
        double total = 0;
        for (const int count : m_unknown) {
            total += count;
        }
        for (std::size_t value = 0; value < row.size(); ++value) {
            row[value] = m_unknown[value] / total;
        }
        return row;
    }

    int m_values;
    std::vector<int> m_unknown;               // by value: first values that nothing has told
    std::vector<std::optional<int>> m_known;  // by place: the first value that lay there
    std::vector<int> m_place;                 // by cup: where its content lay first
    std::vector<bool> m_hasValue;             // by cup: has been assigned
};

values::EventReading::Kind kindOf(Kind kind) {
    switch (kind) {
        case Kind::kAssign: return values::EventReading::Kind::kAssign;
        case Kind::kPermute: return values::EventReading::Kind::kPermute;
        case Kind::kReveal: break;
    }
    return values::EventReading::Kind::kReveal;
}

void fillContents(values::EventReading& event, const tasks::Command& command,
                  const std::map<std::int64_t, int>& index, int cups) {
    event.knowing = uniform(cups, static_cast<int>(index.size()));
    for (int cup = 0; cup < cups; ++cup) {
        const auto& value = command.valuesAfter[static_cast<std::size_t>(cup)];
        event.contents.push_back(value ? index.at(*value) : -1);
        if (value) {
            std::vector<double> row(index.size(), 0.0);
            row[static_cast<std::size_t>(index.at(*value))] = 1;
            setRow(event.knowing, cup, row);
        }
    }
}

values::TokenReading tokenOf(const tasks::Lexeme& lexeme) {
    values::TokenReading token;
    token.text = lexeme.text;
    token.kind = static_cast<values::TokenKind>(lexeme.kind);
    token.line = lexeme.line;
    token.column = lexeme.column;
    token.event = lexeme.command;
    return token;
}

}  // namespace

values::TraceReading exactReading(std::string_view text, const tasks::Transcript& transcript) {
    const auto index = valuesIn(transcript);
    values::TraceReading reading;
    reading.transcript = text;
    reading.cupNames = transcript.names;
    for (const auto& [value, position] : index) {
        reading.valueNames.push_back(std::to_string(value));
    }
    for (const auto& lexeme : transcript.lexemes) {
        reading.tokens.push_back(tokenOf(lexeme));
    }
    Watcher watcher(transcript, index);
    for (const auto& command : transcript.commands) {
        values::EventReading event;
        event.kind = kindOf(command.kind);
        event.line = command.line;
        event.text = command.text;
        if (command.kind == Kind::kPermute) {
            event.moved = command.moved;
            watcher.move(command.moved);
        } else {
            event.cup = command.variable;
            event.value = index.at(command.value);
            if (command.kind == Kind::kAssign) {
                watcher.assign(event.cup, event.value);
            } else {
                event.surprise = watcher.see(event.cup, event.value);
            }
        }
        fillContents(event, command, index, static_cast<int>(transcript.names.size()));
        event.watching = watcher.belief();
        reading.events.push_back(std::move(event));
    }
    return reading;
}

std::variant<values::TraceReading, values::TranscriptProblem> readExactly(std::string_view text) {
    const auto parsed = tasks::parseTranscript(text);
    if (const auto* problem = std::get_if<tasks::ParseProblem>(&parsed)) {
        return values::TranscriptProblem{problem->line, problem->column, problem->message};
    }
    return exactReading(text, std::get<tasks::Transcript>(parsed));
}

}  // namespace lab::reading
