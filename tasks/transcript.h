// Reads the text of a REPL session back: a generated trace, or what a person typed or pasted.
//
// Every command is one of
//   x = N              x one letter a to z, N below 2^63 without sign or leading zeros
//   x, y, ... = ...    on the right the same distinct, defined names in another order
//   print('x', x)      of a defined name, followed by its output line "x N"
// after the prompt ">>> ". Output lines are checked against the values. Beyond what generated
// traces contain it accepts what a person or a clipboard makes of them: other spacing within a
// command, double quotes, carriage returns, a byte order mark, the interpreter's start-up lines, no
// line end after the last line, an empty prompt at the end.
// Everything else is refused, with the place, what was expected there and what was found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tasks/task.h"

namespace lab::tasks {

/// Lines and columns count from 1; columns count bytes.
struct ParseProblem {
    int line = 1;
    int column = 1;
    std::string message;
    bool operator==(const ParseProblem&) const = default;
};

/// "line 3, column 5: expected ..., found ..."
[[nodiscard]] std::string describe(const ParseProblem& problem);

/// One token of a trace. The text is that of the vocabulary, whatever the spelling was.
struct Lexeme {
    std::string text;
    TokenKind kind = TokenKind::kPrompt;
    int line = 1;
    int column = 1;
    int command = 0;  ///< index in Transcript::commands; a print owns its output line
    bool operator==(const Lexeme&) const = default;
};

struct Command {
    enum class Kind { kAssign, kPermute, kReveal };
    Kind kind = Kind::kAssign;
    int line = 1;
    std::string text;        ///< as written, without prompt
    int variable = 0;        ///< kAssign, kReveal: index in Transcript::names
    std::int64_t value = 0;  ///< kAssign: given; kReveal: shown
    /// kPermute: variable i takes the value of variable moved[i]; an entry for every name.
    std::vector<int> moved;
    /// For every name; nothing where it has no value yet.
    std::vector<std::optional<std::int64_t>> valuesAfter;
    bool operator==(const Command&) const = default;
};

struct Transcript {
    std::vector<std::string> names;  ///< in order of first assignment
    std::vector<Lexeme> lexemes;     ///< those of a generated trace are its tokens one by one
    std::vector<Command> commands;
};

/// An empty text is an empty session.
[[nodiscard]] std::variant<Transcript, ParseProblem> parseTranscript(std::string_view text);

}  // namespace lab::tasks
