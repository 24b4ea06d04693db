// What every task is: a source of traces with their exact truth.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tasks/rng.h"

namespace lab::tasks {

enum class TokenKind : std::uint8_t {
    kPrompt,    ///< ">>>" and line ends
    kName,      ///< a variable's name
    kOperator,  ///< "," "=" "print('" "'," ")"
    kValue,     ///< the value in an assignment; in a word problem, every element
    kOutput,    ///< the value that a print shows
};

/// REPL: `commands` state changes, a print after every `spacing`-th. Word problem: `commands`
/// tokens.
struct Length {
    int commands = 8;
    int spacing = 1;
    bool operator==(const Length&) const = default;
};

/// One sequence and its truth. All vectors have the same length.
struct Trace {
    std::vector<int> tokens;  ///< in [0, inputCount)
    std::vector<int>
        targets;  ///< what is to be predicted at this place, in [0, outputCount); -1: nothing
    std::vector<TokenKind> targetKinds;  ///< kind of the target; kPrompt where there is none
    std::vector<int> reveals;  ///< where the target is a printed value: its number from 0; else -1
};

class Task {
public:
    virtual ~Task() = default;
    [[nodiscard]] virtual int inputCount() const = 0;
    [[nodiscard]] virtual int outputCount() const = 0;
    [[nodiscard]] virtual std::string_view tokenText(int token) const = 0;
    [[nodiscard]] virtual int tokensIn(
        Length length) const = 0;  ///< every trace of a length has as many
    [[nodiscard]] virtual int revealsIn(Length length) const = 0;
    /// Thread-safe: a task is immutable.
    [[nodiscard]] virtual Trace sample(Rng& rng, Length length) const = 0;
    /// As text: a REPL transcript, or element names in a row.
    [[nodiscard]] virtual std::string text(const Trace& trace) const = 0;
    [[nodiscard]] virtual double chance()
        const = 0;  ///< accuracy of a blind guess at a kOutput target
};

}  // namespace lab::tasks
