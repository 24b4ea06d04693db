#include "tasks/repl_vocabulary.h"

#include <algorithm>
#include <cassert>

namespace lab::tasks {

ReplVocabulary::ReplVocabulary(int variables)
    : m_variables(variables), m_texts{">>>", ",", "=", "\n", "print('", "',", ")"} {
    assert(variables >= 1 && variables <= 26);
    for (int i = 0; i < variables; ++i) {
        m_texts.emplace_back(1, static_cast<char>('a' + i));
    }
    for (int value = 1; value <= variables; ++value) {
        m_texts.push_back(std::to_string(value));
    }
}

std::string_view ReplVocabulary::text(int id) const {
    return m_texts.at(static_cast<std::size_t>(id));
}

std::optional<int> ReplVocabulary::idOf(std::string_view lexeme) const {
    const auto found = std::find(m_texts.begin(), m_texts.end(), lexeme);
    if (found == m_texts.end()) {
        return std::nullopt;
    }
    return static_cast<int>(found - m_texts.begin());
}

TokenKind ReplVocabulary::kindOf(int id) const noexcept {
    if (isName(id)) {
        return TokenKind::kName;
    }
    if (isValue(id)) {
        return TokenKind::kValue;
    }
    return id == kPrompt || id == kNewline ? TokenKind::kPrompt : TokenKind::kOperator;
}

std::vector<int> ReplVocabulary::query(int variable) const {
    const int name = nameId(variable);
    return {kPrompt, kPrint, name, kQuote, name, kClose, kNewline, name};
}

}  // namespace lab::tasks
