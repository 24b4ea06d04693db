#include "tasks/repl_trace.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <initializer_list>
#include <numeric>
#include <utility>

namespace lab::tasks {
namespace {

using Vocabulary = ReplVocabulary;

/// Names that one command has on its left-hand side.
int namesInCommand(const ReplSettings& settings) {
    switch (settings.commands) {
        case Generators::kSwaps:
        case Generators::kAdjacentSwaps: return 2;
        case Generators::kThreePoints: return std::min(3, settings.variables);
        case Generators::kPermutations: break;
    }
    return settings.variables;
}

/// Numbers of variables, or values from 0; a fixed array, since one is made for every command.
using Slots = std::array<int, kMaxPoints>;

void shuffle(std::span<int> items, Rng& rng) {  // Fisher and Yates
    for (std::size_t i = items.size(); i > 1; --i) {
        std::swap(items[i - 1], items[static_cast<std::size_t>(rng.below(static_cast<int>(i)))]);
    }
}

/// One command: left[i] takes the value of right[i], for i below count.
struct Move {
    Slots left{0, 1, 2, 3, 4, 5, 6, 7};
    Slots right{};
    std::size_t count = 0;
};

Move drawMove(const ReplSettings& settings, Rng& rng) {
    Move move;
    move.count = static_cast<std::size_t>(namesInCommand(settings));
    if (settings.commands == Generators::kAdjacentSwaps) {
        const int first = rng.below(settings.variables - 1);
        const int reversed = rng.below(2);
        move.left = {first + reversed, first + 1 - reversed};
    } else if (settings.commands != Generators::kPermutations) {
        // The first steps of a shuffle: an ordered choice of `count` variables.
        for (std::size_t i = 0; i < move.count; ++i) {
            const int rest = settings.variables - static_cast<int>(i);
            std::swap(move.left[i], move.left[i + static_cast<std::size_t>(rng.below(rest))]);
        }
    }
    move.right = move.left;
    if (settings.commands == Generators::kSwaps ||
        settings.commands == Generators::kAdjacentSwaps) {
        std::swap(move.right[0], move.right[1]);
    } else {
        shuffle(std::span(move.right).first(move.count), rng);
    }
    return move;
}

/// Writes one session token by token while it keeps the values.
class Session {
public:
    Session(const ReplSettings& settings, const Vocabulary& vocabulary, Rng& rng)
        : m_settings(settings), m_vocabulary(vocabulary), m_rng(rng) {}

    void reserve(int tokens) { m_tokens.reserve(static_cast<std::size_t>(tokens)); }

    void assignAll() {
        const auto values =
            std::span(m_values).first(static_cast<std::size_t>(m_settings.variables));
        if (m_settings.distinctValues) {
            std::iota(values.begin(), values.end(), 0);
            shuffle(values, m_rng);
        } else {
            for (int& value : values) {
                value = m_rng.below(m_settings.variables);
            }
        }
        for (int i = 0; i < m_settings.variables; ++i) {
            add({Vocabulary::kPrompt, m_vocabulary.nameId(i), Vocabulary::kEquals, valueToken(i),
                 Vocabulary::kNewline});
        }
    }

    void command() {
        const Move move = drawMove(m_settings, m_rng);
        add({Vocabulary::kPrompt});
        addNames(move.left, move.count);
        add({Vocabulary::kEquals});
        addNames(move.right, move.count);
        add({Vocabulary::kNewline});
        const Slots old = m_values;
        for (std::size_t i = 0; i < move.count; ++i) {
            m_values[static_cast<std::size_t>(move.left[i])] =
                old[static_cast<std::size_t>(move.right[i])];
        }
    }

    void print() {
        const int variable = drawReveal();
        const int name = m_vocabulary.nameId(variable);
        add({Vocabulary::kPrompt, Vocabulary::kPrint, name, Vocabulary::kQuote, name,
             Vocabulary::kClose, Vocabulary::kNewline});
        add({name, valueToken(variable), Vocabulary::kNewline});
        ++m_prints;
    }

    std::vector<int> takeTokens() { return std::move(m_tokens); }

private:
    void add(std::initializer_list<int> tokens) {
        m_tokens.insert(m_tokens.end(), tokens.begin(), tokens.end());
    }

    void addNames(const Slots& variables, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0) {
                m_tokens.push_back(Vocabulary::kComma);
            }
            m_tokens.push_back(m_vocabulary.nameId(variables[i]));
        }
    }

    int valueToken(int variable) const {
        return m_vocabulary.valueId(m_values[static_cast<std::size_t>(variable)] + 1);
    }

    int drawReveal() {
        switch (m_settings.reveal) {
            case RevealPolicy::kUniform: return m_rng.below(m_settings.variables);
            case RevealPolicy::kRoundRobin: return m_prints % m_settings.variables;
            case RevealPolicy::kFixed: break;
        }
        return m_settings.fixedVariable;
    }

    const ReplSettings& m_settings;
    const Vocabulary& m_vocabulary;
    Rng& m_rng;
    Slots m_values{};  // from 0
    std::vector<int> m_tokens;
    int m_prints = 0;
};

bool spaceBetween(const Vocabulary& vocabulary, int left, int right) {
    switch (left) {
        case Vocabulary::kPrompt:
        case Vocabulary::kComma:
        case Vocabulary::kEquals:
        case Vocabulary::kQuote: return right != Vocabulary::kNewline;
        case Vocabulary::kNewline: return false;
        default: break;
    }
    const bool output = vocabulary.isName(left) && vocabulary.isValue(right);
    return output || right == Vocabulary::kEquals;
}

}  // namespace

std::string replText(const ReplVocabulary& vocabulary, std::span<const int> tokens) {
    std::string text;
    int previous = Vocabulary::kNewline;
    for (const int token : tokens) {
        if (spaceBetween(vocabulary, previous, token)) {
            text += ' ';
        }
        text += vocabulary.text(token);
        previous = token;
    }
    return text;
}

Trace traceOf(const ReplVocabulary& vocabulary, std::vector<int> tokens) {
    Trace trace;
    const std::size_t count = tokens.size();
    trace.targets.assign(count, -1);
    trace.targetKinds.assign(count, TokenKind::kPrompt);
    trace.reveals.assign(count, -1);
    int reveal = 0;
    for (std::size_t t = 0; t + 1 < count; ++t) {
        const int next = tokens[t + 1];
        trace.targets[t] = next;
        trace.targetKinds[t] = vocabulary.kindOf(next);
        const bool output = t > 0 && tokens[t - 1] == Vocabulary::kNewline &&
                            vocabulary.isName(tokens[t]) && vocabulary.isValue(next);
        if (output) {
            trace.targetKinds[t] = TokenKind::kOutput;
            trace.reveals[t] = reveal++;
        }
    }
    trace.tokens = std::move(tokens);
    return trace;
}

ReplTask::ReplTask(ReplSettings settings) : m_settings(settings), m_vocabulary(settings.variables) {
    assert(settings.variables >= 2 && settings.variables <= kMaxPoints);
    assert(settings.fixedVariable >= 0 && settings.fixedVariable < settings.variables);
}

std::string_view ReplTask::tokenText(int token) const {
    return m_vocabulary.text(token);
}

int ReplTask::revealsIn(Length length) const {
    return length.commands / length.spacing + (m_settings.firstPrint ? 1 : 0);
}

int ReplTask::tokensIn(Length length) const {
    const int command = 4 * namesInCommand(m_settings) + 1;
    return 5 * m_settings.variables + command * length.commands + 10 * revealsIn(length);
}

Trace ReplTask::sample(Rng& rng, Length length) const {
    assert(length.commands >= 0 && length.spacing >= 1);
    Session session(m_settings, m_vocabulary, rng);
    session.reserve(tokensIn(length));
    session.assignAll();
    if (m_settings.firstPrint) {
        session.print();
    }
    for (int done = 1; done <= length.commands; ++done) {
        session.command();
        if (done % length.spacing == 0) {
            session.print();
        }
    }
    return traceOf(m_vocabulary, session.takeTokens());
}

std::string ReplTask::text(const Trace& trace) const {
    return replText(m_vocabulary, trace.tokens);
}

double ReplTask::chance() const {
    return 1.0 / m_settings.variables;
}

}  // namespace lab::tasks
