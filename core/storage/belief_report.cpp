// posteriorOf of core/files.h.
#include <utility>
#include <variant>

#include "core/files.h"
#include "core/storage/automaton_json.h"
#include "core/storage/belief_numbers.h"
#include "core/storage/session_belief.h"
#include "core/values/lab_error.h"
#include "tasks/automaton.h"

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

bool looksLikeJson(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

std::vector<BeliefCase> posteriorOf(std::string_view text, const std::string& source,
                                    BeliefOptions options) {
    std::vector<BeliefCase> cases;
    if (looksLikeJson(text)) {
        for (storage::AutomatonCase& one : storage::automataFrom(text, source)) {
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
