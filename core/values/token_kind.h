// The kinds of token in a trace, as the screen and the curves know them. Same order as
// tasks::TokenKind.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lab::values {

enum class TokenKind : std::uint8_t {
    kPrompt,    ///< ">>>" and line ends
    kName,      ///< a variable's name
    kOperator,  ///< "," "=" "print('" "'," ")"
    kValue,     ///< the value in an assignment; in a word problem, every element
    kOutput,    ///< the value that a print shows: what tracking is judged by
};
inline constexpr int kTokenKindCount = 5;
/// As they stand in metric names and JSON.
inline constexpr std::array<std::string_view, kTokenKindCount> kTokenKindNames{
    "prompt", "name", "operator", "value", "output"};

}  // namespace lab::values
