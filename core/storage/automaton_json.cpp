#include "core/storage/automaton_json.h"

#include <map>

#include "core/storage/automaton_reading.h"
#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

using nlohmann::json;
using tasks::Fraction;

/// Kernels are dense: a small file must not ask for much memory.
constexpr std::size_t kMaxStates = 1'000;
constexpr std::size_t kMaxKernelCells = 4'000'000;

std::string shown(const json& value) {
    constexpr std::size_t kShown = 60;
    const std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true);
    return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

/// The path of a key within a field.
std::string below(const std::string& field, const std::string& key) {
    return field + "." + key;
}

class CaseReader {
public:
    CaseReader(const json& object, std::function<std::string(const std::string&)> place)
        : m_object(object), m_place(std::move(place)) {}

    AutomatonCase read() {
        if (!m_object.is_object()) {
            refuse("", "is " + shown(m_object) + ", must be an object");
        }
        if (const auto name = m_object.find("name"); name != m_object.end()) {
            m_result.name = textIn(*name, "name");
        }
        readStates();
        readStart();
        readSymbols();
        readEvents();
        return std::move(m_result);
    }

private:
    [[noreturn]] void refuse(const std::string& field, const std::string& what) const {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               m_place(field) + ": " + (field.empty() ? "" : field + ": ") + what);
    }
    [[nodiscard]] const json& required(const char* key) const {
        const auto found = m_object.find(key);
        if (found == m_object.end()) {
            refuse(key, "is missing");
        }
        return *found;
    }
    [[nodiscard]] std::string textIn(const json& value, const std::string& field) const {
        if (!value.is_string()) {
            refuse(field, "is " + shown(value) + ", must be a text");
        }
        return value.get<std::string>();
    }
    [[nodiscard]] Fraction probabilityIn(const json& value, const std::string& field) const {
        const auto fraction =
            tasks::fractionFrom(value.is_string() ? value.get<std::string>() : value.dump());
        if (!fraction || *fraction > 1) {
            refuse(field, "is " + shown(value) +
                              ", must be a probability from 0 to 1 such as \"1/3\" or 0.25");
        }
        return *fraction;
    }
    [[nodiscard]] int numberOf(const std::map<std::string, int>& numbers, const std::string& name,
                               const std::string& field, const char* kind) const {
        const auto found = numbers.find(name);
        if (found == numbers.end()) {
            refuse(field, "there is no " + std::string(kind) + " called " + shown(json(name)));
        }
        return found->second;
    }
    [[nodiscard]] std::size_t stateNumber(const std::string& name, const std::string& field) const {
        return static_cast<std::size_t>(numberOf(m_states, name, field, "state"));
    }

    void readStates() {
        const json& states = required("states");
        if (!states.is_array() || states.empty() || states.size() > kMaxStates) {
            refuse("states", "must be a list of 1 to " + std::to_string(kMaxStates) + " names");
        }
        for (const json& state : states) {
            const std::string name = textIn(state, "states");
            if (!m_states.emplace(name, static_cast<int>(m_states.size())).second) {
                refuse("states", shown(state) + " stands there twice");
            }
            m_result.automaton.states.push_back(name);
        }
    }

    /// {state: probability, ...} that sum to one, added to `masses`.
    void readDistribution(const json& object, const std::string& field, Fraction* masses) const {
        if (!object.is_object()) {
            refuse(field, "is " + shown(object) + ", must be an object {state: probability}");
        }
        Fraction sum = 0;
        for (const auto& [name, value] : object.items()) {
            const Fraction mass = probabilityIn(value, below(field, name));
            masses[stateNumber(name, field)] = mass;
            sum += mass;
        }
        if (!tasks::isOne(sum) && !tasks::isOne(tasks::toDouble(sum))) {
            refuse(field, "sums to " + tasks::textOf(sum) + ", must be 1");
        }
    }

    void readStart() {
        const json& start = required("start");
        const std::size_t count = m_states.size();
        if (start == "uniform") {
            m_result.automaton.start.assign(count, Fraction(1, count));
            return;
        }
        m_result.automaton.start.resize(count);
        readDistribution(start, "start", m_result.automaton.start.data());
    }

    void readSymbols() {
        const json& symbols = required("symbols");
        if (!symbols.is_object()) {
            refuse("symbols", "is " + shown(symbols) + ", must be an object");
        }
        for (const auto& [name, value] : symbols.items()) {
            const std::string field = "symbols." + name;
            if (!value.is_object()) {
                refuse(field, "is " + shown(value) + ", must be an object");
            }
            m_symbols.emplace(name, static_cast<int>(m_symbols.size()));
            tasks::Symbol<Fraction>& symbol = m_result.automaton.symbols.emplace_back();
            symbol.name = name;
            if (const auto set = value.find("reveal_set"); set != value.end() && *set != "all") {
                readRevealSet(*set, field + ".reveal_set", symbol);
            }
            if (const auto kernel = value.find("kernel"); kernel != value.end()) {
                readKernel(*kernel, field + ".kernel", symbol);
            }
        }
    }

    void readRevealSet(const json& set, const std::string& field,
                       tasks::Symbol<Fraction>& symbol) const {
        if (!set.is_array()) {
            refuse(field, "is " + shown(set) + ", must be \"all\" or a list of states");
        }
        symbol.possible.assign(m_states.size(), false);
        for (const json& state : set) {
            symbol.possible[stateNumber(textIn(state, field), field)] = true;
        }
    }

    void readKernel(const json& kernel, const std::string& field, tasks::Symbol<Fraction>& symbol) {
        const std::size_t count = m_states.size();
        if (!kernel.is_object() || kernel.size() != count) {
            refuse(field, "must be an object with a row for each of the " + std::to_string(count) +
                              " states");
        }
        m_cells += count * count;
        if (m_cells > kMaxKernelCells) {
            refuse(field, "the kernels have more than " + std::to_string(kMaxKernelCells) +
                              " entries together");
        }
        symbol.kernel.resize(count * count);
        for (const auto& [from, row] : kernel.items()) {
            const std::size_t start = stateNumber(from, field) * count;
            readDistribution(row, below(field, from), symbol.kernel.data() + start);
        }
    }

    void readEvents() {
        const json& events = required("events");
        if (!events.is_array()) {
            refuse("events", "is " + shown(events) + ", must be a list of symbols");
        }
        for (const json& event : events) {
            m_result.events.push_back(
                numberOf(m_symbols, textIn(event, "events"), "events", "symbol"));
        }
    }

    const json& m_object;
    std::function<std::string(const std::string&)> m_place;  // begins every message
    AutomatonCase m_result;
    std::map<std::string, int> m_states;
    std::map<std::string, int> m_symbols;
    std::size_t m_cells = 0;
};

std::vector<double> rounded(const std::vector<Fraction>& masses) {
    std::vector<double> numbers;
    numbers.reserve(masses.size());
    for (const Fraction& mass : masses) {
        numbers.push_back(tasks::toDouble(mass));
    }
    return numbers;
}

}  // namespace

AutomatonCase readAutomaton(const json& object,
                            const std::function<std::string(const std::string&)>& place) {
    return CaseReader(object, place).read();
}

std::vector<AutomatonCase> automataFrom(std::string_view text, const std::string& source) {
    json root;
    try {
        root = json::parse(text);
    } catch (const json::parse_error& error) {
        throw values::LabError(
            values::LabError::Kind::kInvalidInput,
            source + ": byte " + std::to_string(error.byte) + " is no valid JSON");
    }
    const auto cases = root.is_object() ? root.find("cases") : root.end();
    if (!root.is_object() || cases == root.end()) {
        return {readAutomaton(root, [&](const std::string&) { return std::string(source); })};
    }
    if (!cases->is_array() || cases->empty()) {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               source + ": cases: must be a list of automata");
    }
    std::vector<AutomatonCase> automata;
    for (const json& one : *cases) {
        std::string where = source + ": cases[" + std::to_string(automata.size()) + "]";
        automata.push_back(readAutomaton(one, [&](const std::string&) { return where; }));
    }
    return automata;
}

tasks::Automaton<double> rounded(const tasks::Automaton<Fraction>& automaton) {
    tasks::Automaton<double> result{automaton.states, rounded(automaton.start), {}};
    for (const tasks::Symbol<Fraction>& symbol : automaton.symbols) {
        result.symbols.push_back({symbol.name, symbol.possible, rounded(symbol.kernel)});
    }
    return result;
}

}  // namespace lab::storage
