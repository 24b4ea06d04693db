#include "core/storage/automaton_jff.h"

#include <algorithm>
#include <map>

#include "core/storage/xml_text.h"
#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

constexpr std::size_t kMaxStates = 1'000;
constexpr std::size_t kMaxKernelCells = 4'000'000;
constexpr const char* kDead = "(dead)";

class JffReader {
public:
    explicit JffReader(std::string source) : m_source(std::move(source)) {}

    JffAutomaton read(const XmlElement& root) {
        if (root.name != "structure") {
            refuse(
                root, "structure",
                "the file begins with <" + root.name + ">, a JFLAP file begins with <structure>");
        }
        const XmlElement* type = root.child("type");
        if (type == nullptr || type->text != "fa") {
            refuse(type == nullptr ? root : *type, "type",
                   type == nullptr ? "is missing, must be fa"
                                   : "is \"" + type->text +
                                         "\", must be fa: only finite automata "
                                         "are read");
        }
        // Older versions put the states beside the type.
        const XmlElement* inside = root.child("automaton");
        const XmlElement& body = inside == nullptr ? root : *inside;
        readStates(body);
        for (const XmlElement& child : body.children) {
            if (child.name == "transition") {
                readTransition(child);
            }
        }
        return finish(body);
    }

private:
    [[noreturn]] void refuse(const XmlElement& at, const std::string& field,
                             const std::string& what) const {
        throw values::LabError(
            values::LabError::Kind::kInvalidInput,
            m_source + ":" + std::to_string(at.line) + ": " + field + ": " + what);
    }

    void readStates(const XmlElement& body) {
        const XmlElement* initial = nullptr;
        for (const XmlElement& child : body.children) {
            if (child.name != "state") {
                continue;
            }
            const std::string* id = child.attribute("id");
            if (id == nullptr) {
                refuse(child, "state.id", "is missing");
            }
            const auto number = static_cast<int>(m_names.size());
            if (!m_numbers.emplace(*id, number).second) {
                refuse(child, "state.id", "\"" + *id + "\" stands there twice");
            }
            if (child.child("initial") != nullptr) {
                if (initial != nullptr) {
                    refuse(child, "state.initial",
                           "is the second initial state, the first is in "
                           "line " +
                               std::to_string(initial->line));
                }
                initial = &child;
                m_initial = number;
            }
            const std::string* name = child.attribute("name");
            m_names.push_back(unused(name == nullptr ? "q" + *id : *name, *id));
            m_accepting.push_back(child.child("final") != nullptr);
        }
        if (m_names.empty() || m_names.size() >= kMaxStates) {
            refuse(body, "state",
                   "there must be 1 to " + std::to_string(kMaxStates - 1) + " states");
        }
        if (initial == nullptr) {
            refuse(body, "state.initial", "no state is the initial one");
        }
    }

    /// People give two states the same name; their numbers tell them apart.
    [[nodiscard]] std::string unused(const std::string& name, const std::string& id) const {
        const bool taken = std::find(m_names.begin(), m_names.end(), name) != m_names.end();
        return taken ? name + " #" + id : name;
    }

    [[nodiscard]] int stateIn(const XmlElement& transition, const char* end) const {
        const XmlElement* named = transition.child(end);
        const std::string field = std::string("transition.") + end;
        if (named == nullptr) {
            refuse(transition, field, "is missing");
        }
        const auto found = m_numbers.find(named->text);
        if (found == m_numbers.end()) {
            refuse(*named, field, "there is no state with the id \"" + named->text + "\"");
        }
        return found->second;
    }

    void readTransition(const XmlElement& transition) {
        const int from = stateIn(transition, "from");
        const int to = stateIn(transition, "to");
        const XmlElement* letter = transition.child("read");
        if (letter == nullptr || letter->text.empty()) {
            refuse(letter == nullptr ? transition : *letter, "transition.read",
                   "is empty, and a move without a letter is not deterministic: give it a letter");
        }
        auto& moves = m_moves[letter->text];
        const auto [move, isNew] = moves.emplace(from, to);
        if (!isNew && move->second != to) {
            refuse(*letter, "transition.read",
                   "\"" + letter->text + "\" has two ways out of the state \"" +
                       m_names[static_cast<std::size_t>(from)] +
                       "\": only deterministic automata "
                       "are read");
        }
    }

    JffAutomaton finish(const XmlElement& body) {
        JffAutomaton result;
        result.complete = std::all_of(m_moves.begin(), m_moves.end(), [this](const auto& letter) {
            return letter.second.size() == m_names.size();
        });
        if (!result.complete) {
            m_names.push_back(unused(kDead, "dead"));
            m_accepting.push_back(false);
        }
        const std::size_t count = m_names.size();
        if (count * count * m_moves.size() > kMaxKernelCells) {
            refuse(body, "transition",
                   "the kernels have more than " + std::to_string(kMaxKernelCells) +
                       " entries together");
        }
        result.automaton.states = m_names;
        result.automaton.start.resize(count);
        result.automaton.start[static_cast<std::size_t>(m_initial)] = 1;
        for (const auto& [letter, moves] : m_moves) {
            tasks::Symbol<tasks::Fraction>& symbol = result.automaton.symbols.emplace_back();
            symbol.name = letter;
            symbol.kernel.resize(count * count);
            for (std::size_t from = 0; from < count; ++from) {
                const auto move = moves.find(static_cast<int>(from));
                const std::size_t to =
                    move == moves.end() ? count - 1 : static_cast<std::size_t>(move->second);
                symbol.kernel[from * count + to] = 1;
            }
        }
        result.accepting = m_accepting;
        return result;
    }

    std::string m_source;
    std::map<std::string, int> m_numbers;  // by id
    std::vector<std::string> m_names;
    std::vector<bool> m_accepting;
    int m_initial = 0;
    std::map<std::string, std::map<int, int>> m_moves;  // by letter: from -> to
};

}  // namespace

JffAutomaton automatonFromJff(std::string_view text, const std::string& source) {
    return JffReader(source).read(parseXml(text, source));
}

}  // namespace lab::storage
