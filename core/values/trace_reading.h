// One trace as every view shows it: its text, its events, the cups, what the exact filter knows and
// what a model believes. The trace cursor is an index into `events`; cursor -1 is the time before
// the first event.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/values/token_kind.h"

namespace lab::values {

/// Row-major: belief.at(cup, value) is the probability that cup holds value; a row sums to one.
struct Belief {
    int cups = 0, values = 0;
    std::vector<double> probability;
    [[nodiscard]] double at(int cup, int value) const {
        return probability[static_cast<std::size_t>(cup * values + value)];
    }
    [[nodiscard]] bool empty() const { return probability.empty(); }
};

struct Candidate {
    std::string text;
    double probability = 0;
};

struct TokenReading {
    std::string text;  ///< the lexeme, e.g. ">>>", "a", "="; "\n" for a line end
    TokenKind kind = TokenKind::kPrompt;
    int line = 0;    ///< from 1
    int column = 0;  ///< from 1, where the lexeme begins
    int event = -1;  ///< index into events; -1: part of none
    double probability =
        -1;  ///< the model's for this token given all before; -1: no model, or first token
    bool mistake = false;  ///< a printed value that is not the model's first choice
    std::vector<Candidate>
        top;  ///< the model's best next tokens at this place, best first; empty: no model
};

struct EventReading {
    enum class Kind { kAssign, kPermute, kReveal };
    Kind kind = Kind::kAssign;
    int line = 0;      ///< of the command, from 1
    std::string text;  ///< the command without its prompt
    std::vector<int>
        moved;       ///< kPermute: cup i takes the content of cup moved[i]; identity elsewhere
    int cup = -1;    ///< kAssign, kReveal
    int value = -1;  ///< index into TraceReading::valueNames
    std::vector<int> contents;  ///< after the event: value index in each cup, -1 while unassigned
    Belief knowing;             ///< exact, for one who reads everything
    Belief watching;  ///< exact, for one who sees commands and prints but not the first values; may
                      ///< be empty
    Belief model;     ///< the model's answer if each cup were printed now; empty: no model
    double surprise = 0;  ///< kReveal: bits that the print told the watcher
};

struct TraceReading {
    std::string transcript;
    std::vector<std::string> cupNames;    ///< "a", "b", ...
    std::vector<std::string> valueNames;  ///< as printed
    std::vector<TokenReading> tokens;
    std::vector<EventReading> events;
    std::string modelName;       ///< empty: no model
    std::int64_t modelStep = 0;  ///< training step of the weights
    std::string
        modelProblem;  ///< why the model cannot read this trace, e.g. a name outside its vocabulary
};

/// Why a text is not a transcript. `line` and `column` count from 1.
struct TranscriptProblem {
    int line = 0, column = 0;
    std::string message;  ///< what was found and what was expected
};

}  // namespace lab::values
