#include "tasks/transcript.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "tasks/text_line.h"

namespace lab::tasks {
namespace {

constexpr std::string_view kPrompt = ">>>";
constexpr std::string_view kName = "a name (one letter a to z)";
constexpr std::string_view kCommands = "a command (x = 1; x, y = y, x; print('x', x))";

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

bool isName(std::string_view word) {
    return word.size() == 1 && word.front() >= 'a' && word.front() <= 'z';
}

class Parser {
public:
    explicit Parser(std::string_view text) : m_lines(text) {}

    std::variant<Transcript, ParseProblem> run() {
        const bool read = readLines();
        if (!read) {
            return std::move(m_problem);
        }
        const std::size_t count = m_result.names.size();
        for (Command& command : m_result.commands) {
            command.valuesAfter.resize(count);
            for (std::size_t i = command.moved.size(); !command.moved.empty() && i < count; ++i) {
                command.moved.push_back(static_cast<int>(i));
            }
        }
        return std::move(m_result);
    }

private:
    bool fail(int line, int column, std::string message) {
        m_problem = {line, column, std::move(message)};
        return false;
    }

    bool expected(const TextLine& line, std::string_view what) {
        return fail(line.number(), line.column(),
                    "expected " + std::string(what) + ", found " + describeFront(line.rest()));
    }

    void add(std::string_view text, TokenKind kind, int line, int column) {
        const int command = static_cast<int>(m_result.commands.size()) - 1;
        m_result.lexemes.push_back({std::string(text), kind, line, column, command});
    }

    void endLine(const TextLine& line) {
        add("\n", TokenKind::kPrompt, line.number(), line.endColumn());
    }

    bool readLines() {
        skipBanner();
        while (auto line = m_lines.next()) {
            if (!(m_awaitsOutput ? readOutput(*line) : readCommand(*line))) {
                return false;
            }
        }
        if (m_awaitsOutput) {
            return fail(m_lines.number(), m_result.lexemes.back().column,
                        "expected the output " + quoted(outputText()) +
                            " after this print, found the end of the text");
        }
        return true;
    }

    /// The two lines that the interpreter shows when it starts.
    void skipBanner() {
        TextLines ahead = m_lines;
        const auto first = ahead.next();
        const auto second = ahead.next();
        const bool banner = second && first->rest().starts_with("Python ") &&
                            second->rest().starts_with("Type \"help\"") && !ahead.atEnd();
        if (banner) {
            m_lines = ahead;
        }
    }

    bool readCommand(TextLine& line) {
        if (!line.take(kPrompt)) {
            return fail(line.number(), 1,
                        "expected the prompt \">>> \" and " + std::string(kCommands) + ", found " +
                            (line.atEnd() ? "an empty line" : quoted(line.rest())));
        }
        TextLine body = line;
        body.skipSpaces();
        if (body.atEnd() && m_lines.atEnd()) {
            return true;  // the prompt that waits for the next command
        }
        (void)line.take(" ");
        if (!body.atEnd() && body.column() != line.column()) {
            return fail(line.number(), line.column(),
                        "expected " + std::string(kCommands) +
                            " after one space, found more: Python takes that for an indented line");
        }
        std::string_view text = line.rest();
        while (text.ends_with(' ')) {
            text.remove_suffix(1);
        }
        Command& command = m_result.commands.emplace_back();
        command.line = line.number();
        command.text = text;
        add(kPrompt, TokenKind::kPrompt, line.number(), 1);
        const bool read = line.word() == "print" ? readPrint(line) : readAssignment(line);
        if (!read) {
            return false;
        }
        line.skipSpaces();
        if (!line.atEnd()) {
            return expected(line, "the end of the line");
        }
        endLine(line);
        m_result.commands.back().valuesAfter = m_values;
        return true;
    }

    std::optional<int> indexOf(std::string_view name) const {
        const auto& names = m_result.names;
        const auto found = std::find(names.begin(), names.end(), name);
        return found == names.end() ? std::nullopt
                                    : std::optional(static_cast<int>(found - names.begin()));
    }

    /// A sign, whatever spaces stand before it.
    bool readSign(TextLine& line, std::string_view sign) {
        line.skipSpaces();
        const int column = line.column();
        if (!line.take(sign)) {
            return expected(line, quoted(sign));
        }
        add(sign, TokenKind::kOperator, line.number(), column);
        return true;
    }

    /// A name that has a value; gives its index.
    bool readKnownName(TextLine& line, int& variable) {
        line.skipSpaces();
        const std::string_view word = line.word();
        if (!isName(word)) {
            return expected(line, kName);
        }
        const auto index = indexOf(word);
        if (!index) {
            return expected(line, "a name that has a value");
        }
        variable = *index;
        add(word, TokenKind::kName, line.number(), line.column());
        line.advance(word.size());
        return true;
    }

    bool readAssignment(TextLine& line) {
        const std::string_view first = line.word();
        if (!isName(first)) {
            return expected(line, kCommands);
        }
        TextLine ahead = line;
        ahead.advance(first.size());
        ahead.skipSpaces();
        return ahead.take(",") ? readPermutation(line) : readValue(line, first);
    }

    bool readValue(TextLine& line, std::string_view name) {
        add(name, TokenKind::kName, line.number(), line.column());
        line.advance(name.size());
        if (!readSign(line, "=")) {
            return false;
        }
        line.skipSpaces();
        const int column = line.column();
        std::int64_t value = 0;
        if (!readInteger(line, value)) {
            return false;
        }
        auto index = indexOf(name);
        if (!index) {
            index = static_cast<int>(m_result.names.size());
            m_result.names.emplace_back(name);
            m_values.emplace_back();
        }
        m_values[static_cast<std::size_t>(*index)] = value;
        Command& command = m_result.commands.back();
        command.kind = Command::Kind::kAssign;
        command.variable = *index;
        command.value = value;
        add(std::to_string(value), TokenKind::kValue, line.number(), column);
        return true;
    }

    bool readInteger(TextLine& line, std::int64_t& value) {
        constexpr std::string_view kInteger = "an integer in decimal digits, below 2^63";
        const std::string_view digits = line.word();
        TextLine behind = line;
        behind.advance(digits.size());
        const bool decimal = !digits.empty() && std::all_of(digits.begin(), digits.end(), isDigit);
        if (!decimal) {
            return expected(line, kInteger);
        }
        if (behind.rest().starts_with('.')) {
            return expected(behind, "the end of " + std::string(kInteger));
        }
        if (digits.size() > 1 && digits.front() == '0') {
            return expected(line, "an integer without leading zeros");
        }
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{}) {
            return expected(line, kInteger);
        }
        line.advance(digits.size());
        return true;
    }

    bool readPermutation(TextLine& line) {
        std::vector<int> left;
        std::vector<int> right;
        if (!readLeftNames(line, left) || !readSign(line, "=") ||
            !readRightNames(line, left, right)) {
            return false;
        }
        Command& command = m_result.commands.back();
        command.kind = Command::Kind::kPermute;
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            command.moved.push_back(static_cast<int>(i));
        }
        const auto old = m_values;
        for (std::size_t i = 0; i < left.size(); ++i) {
            const auto target = static_cast<std::size_t>(left[i]);
            command.moved[target] = right[i];
            m_values[target] = old[static_cast<std::size_t>(right[i])];
        }
        return true;
    }

    bool readLeftNames(TextLine& line, std::vector<int>& left) {
        while (true) {
            line.skipSpaces();
            const TextLine before = line;
            int variable = 0;
            if (!readKnownName(line, variable)) {
                return false;
            }
            if (std::find(left.begin(), left.end(), variable) != left.end()) {
                return expected(before, "a name that does not stand on the left already");
            }
            left.push_back(variable);
            line.skipSpaces();
            if (!line.rest().starts_with(',')) {
                return true;
            }
            (void)readSign(line, ",");
        }
    }

    bool readRightNames(TextLine& line, std::vector<int> open, std::vector<int>& right) {
        while (true) {
            line.skipSpaces();
            const TextLine before = line;
            int variable = 0;
            if (!isName(line.word())) {
                return expected(line, "one of the names on the left");
            }
            if (!readKnownName(line, variable)) {
                return false;
            }
            const auto found = std::find(open.begin(), open.end(), variable);
            if (found == open.end()) {
                return expected(before, "a name of the left side, each once");
            }
            open.erase(found);
            right.push_back(variable);
            if (open.empty()) {
                return true;
            }
            if (!readSign(line, ",")) {
                return false;
            }
        }
    }

    bool readPrint(TextLine& line) {
        const int column = line.column();
        (void)line.take("print");
        line.skipSpaces();
        if (!line.take("(")) {
            return expected(line, "\"(\" after print");
        }
        line.skipSpaces();
        const std::string_view quote = line.rest().starts_with('"') ? "\"" : "'";
        if (!line.take(quote)) {
            return expected(line, "a name in quotes");
        }
        add("print('", TokenKind::kOperator, line.number(), column);
        const std::string_view shown = line.word();
        if (!isName(shown)) {
            return expected(line, kName);
        }
        add(shown, TokenKind::kName, line.number(), line.column());
        line.advance(shown.size());
        const int quoteColumn = line.column();
        if (!line.take(quote)) {
            return expected(line, "the closing quote " + std::string(quote));
        }
        line.skipSpaces();
        if (!line.take(",")) {
            return expected(line, "\",\" and the name once more");
        }
        add("',", TokenKind::kOperator, line.number(), quoteColumn);
        return readShownVariable(line, shown) && readSign(line, ")");
    }

    bool readShownVariable(TextLine& line, std::string_view shown) {
        line.skipSpaces();
        const TextLine before = line;
        if (line.word() != shown) {
            return expected(before, "the name in quotes once more, " + quoted(shown));
        }
        int variable = 0;
        if (!readKnownName(line, variable)) {
            return false;
        }
        Command& command = m_result.commands.back();
        command.kind = Command::Kind::kReveal;
        command.variable = variable;
        command.value = *m_values[static_cast<std::size_t>(variable)];
        m_awaitsOutput = true;
        return true;
    }

    const std::string& revealedName() const {
        return m_result.names[static_cast<std::size_t>(m_result.commands.back().variable)];
    }

    std::string outputText() const {
        return revealedName() + ' ' + std::to_string(m_result.commands.back().value);
    }

    bool readOutput(TextLine& line) {
        const std::string text = outputText();
        if (line.rest() != text) {
            const auto [ours, theirs] =
                std::mismatch(text.begin(), text.end(), line.rest().begin(), line.rest().end());
            return fail(line.number(), static_cast<int>(ours - text.begin()) + 1,
                        "expected the output " + quoted(text) + " of the print before, found " +
                            (line.atEnd() ? "an empty line" : quoted(line.rest())));
        }
        const std::string& name = revealedName();
        const int valueColumn = static_cast<int>(name.size()) + 2;
        add(name, TokenKind::kName, line.number(), 1);
        add(std::to_string(m_result.commands.back().value), TokenKind::kOutput, line.number(),
            valueColumn);
        endLine(line);
        m_awaitsOutput = false;
        return true;
    }

    TextLines m_lines;
    bool m_awaitsOutput = false;
    std::vector<std::optional<std::int64_t>> m_values;
    Transcript m_result;
    ParseProblem m_problem;
};

}  // namespace

std::string describe(const ParseProblem& problem) {
    return "line " + std::to_string(problem.line) + ", column " + std::to_string(problem.column) +
           ": " + problem.message;
}

std::variant<Transcript, ParseProblem> parseTranscript(std::string_view text) {
    return Parser(text).run();
}

}  // namespace lab::tasks
