// posteriorOf of core/files.h.
#include <algorithm>
#include <utility>
#include <variant>

#include "core/files.h"
#include "core/storage/automaton_jff.h"
#include "core/storage/automaton_json.h"
#include "core/storage/automaton_toml.h"
#include "core/storage/belief_numbers.h"
#include "core/storage/session_belief.h"
#include "core/values/lab_error.h"
#include "tasks/automaton.h"
#include "tasks/text_line.h"

namespace lab {
namespace {

[[noreturn]] void refuse(const std::string& message) {
    throw values::LabError(values::LabError::Kind::kInvalidInput, message);
}

template <class Number>
std::vector<StateBelief> beliefOf(const tasks::AutomatonFilter<Number>& filter) {
    std::vector<StateBelief> states;
    const auto& belief = filter.posterior().belief();
    for (std::size_t i = 0; i < belief.size(); ++i) {
        if (belief[i] != 0) {
            states.push_back(storage::stateBelief(filter.automaton().states[i], belief[i]));
        }
    }
    return states;
}

template <class Number>
std::vector<BeliefRow> rowsOf(tasks::Automaton<Number> automaton, const std::vector<int>& events,
                              const std::string& source) {
    if (const auto problems = tasks::problemsIn(automaton); !problems.empty()) {
        refuse(source + ": " + problems.front());
    }
    tasks::AutomatonFilter<Number> filter(std::move(automaton));
    std::vector<BeliefRow> rows;
    for (const int event : events) {
        const auto result = filter.read(event);
        BeliefRow& row = rows.emplace_back();
        row.event = filter.automaton().symbols[static_cast<std::size_t>(event)].name;
        if (std::holds_alternative<tasks::Contradiction>(result)) {
            storage::setStep(row, Number(0));
            break;
        }
        storage::setStep(row, std::get<Number>(result));
        row.belief = beliefOf(filter);
    }
    return rows;
}

BeliefCase reportOf(storage::AutomatonCase one, const std::string& source, bool fractions) {
    const std::string where = source + (one.name.empty() ? "" : ": " + one.name);
    return {one.name, fractions ? rowsOf(std::move(one.automaton), one.events, where)
                                : rowsOf(storage::rounded(one.automaton), one.events, where)};
}

/// The first byte that is no blank; zero when there is none.
char firstOf(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first == std::string_view::npos ? '\0' : text[first];
}

/// A session has prompts, an automaton has states.
bool looksLikeToml(std::string_view text, std::string_view source) {
    return source.ends_with(".toml") || (text.find(">>>") == std::string_view::npos &&
                                         text.find("states") != std::string_view::npos);
}

/// The automata of a file; none when it is a session.
std::vector<storage::AutomatonCase> automataIn(std::string_view text, const std::string& source) {
    const char first = firstOf(text);
    if (first == '{' || (first == '[' && !looksLikeToml(text, source))) {
        return storage::automataFrom(text, source);
    }
    if (first == '<' || text.starts_with("\xEF\xBB\xBF<")) {
        return {{"", storage::automatonFromJff(text, source).automaton, {}}};
    }
    if (looksLikeToml(text, source)) {
        return {storage::automatonFromToml(text, source)};
    }
    return {};
}

/// The symbols' numbers.
std::vector<int> numbersOf(const std::vector<std::string>& events,
                           const tasks::Automaton<tasks::Fraction>& automaton,
                           const std::string& source) {
    std::vector<int> numbers;
    for (const std::string& event : events) {
        const auto& symbols = automaton.symbols;
        const auto found = std::find_if(symbols.begin(), symbols.end(),
                                        [&](const auto& one) { return one.name == event; });
        if (found == symbols.end()) {
            std::string message = source;
            message += ": there is no symbol called ";
            message += tasks::quoted(event);
            refuse(message);
        }
        numbers.push_back(static_cast<int>(found - symbols.begin()));
    }
    return numbers;
}

}  // namespace

std::vector<BeliefCase> posteriorOf(std::string_view text, const std::string& source,
                                    const BeliefOptions& options) {
    std::vector<BeliefCase> cases;
    auto automata = automataIn(text, source);
    if (!automata.empty()) {
        for (storage::AutomatonCase& one : automata) {
            if (!options.events.empty()) {
                one.events = numbersOf(options.events, one.automaton, source);
            }
            cases.push_back(reportOf(std::move(one), source, options.fractions));
        }
        return cases;
    }
    const auto parsed = tasks::parseTranscript(text);
    if (const auto* problem = std::get_if<tasks::ParseProblem>(&parsed)) {
        refuse(source + ":" + std::to_string(problem->line) + ":" +
               std::to_string(problem->column) + ": " + problem->message);
    }
    cases.push_back(
        {"", storage::sessionBelief(std::get<tasks::Transcript>(parsed), source, options)});
    return cases;
}

}  // namespace lab
