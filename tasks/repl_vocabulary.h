// The closed set of lexemes that REPL traces are made of, one token each.
//
// In this order: ">>>", ",", "=", line end, "print('", "',", ")", the n names from "a", the values
// from "1" to n. 7 + 2n tokens.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/task.h"

namespace lab::tasks {

class ReplVocabulary {
public:
    static constexpr int kPrompt = 0, kComma = 1, kEquals = 2, kNewline = 3, kPrint = 4, kQuote = 5,
                         kClose = 6;
    static constexpr int kFirstName = 7;

    /// Requires 1 <= variables <= 26.
    explicit ReplVocabulary(int variables);

    [[nodiscard]] int variables() const noexcept { return m_variables; }
    [[nodiscard]] int size() const noexcept { return kFirstName + 2 * m_variables; }
    /// The lexeme; the line end is "\n".
    [[nodiscard]] std::string_view text(int id) const;
    [[nodiscard]] std::optional<int> idOf(std::string_view lexeme) const;

    /// Variable 0 is "a".
    // NOLINTNEXTLINE(readability-convert-member-functions-to-static): the twin of valueId
    [[nodiscard]] int nameId(int variable) const noexcept { return kFirstName + variable; }
    /// The token of the number `value`, in 1..variables.
    [[nodiscard]] int valueId(int value) const noexcept {
        return kFirstName + m_variables + value - 1;
    }
    [[nodiscard]] bool isName(int id) const noexcept {
        return id >= kFirstName && id < kFirstName + m_variables;
    }
    [[nodiscard]] bool isValue(int id) const noexcept {
        return id >= kFirstName + m_variables && id < size();
    }
    /// Of the lexeme alone: a number is kValue here, though on an output line it is kOutput.
    [[nodiscard]] TokenKind kindOf(int id) const noexcept;

    /// A print of `variable` up to the name on its output line, 8 tokens: what a model predicts
    /// next is its belief about the value.
    [[nodiscard]] std::vector<int> query(int variable) const;

private:
    int m_variables;
    std::vector<std::string> m_texts;
};

}  // namespace lab::tasks
