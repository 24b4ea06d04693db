// Scripts of what happens to cups, for those who track them: hidden mixing, reveals, waiting.
//
// As text, one block a line; positions and elements count from 1, "#" begins a comment:
//
//     cups 3                         first, from 2 to 7
//     start 231                      or "start uniform"; else 123 is known
//     convention elements            moves rename elements; else they move positions
//     mix 2 3 with 1/2               a hidden coin exchanges 2 and 3
//     mix 1/2 132, 1/2 213           a hidden draw among moves, one-line form
//     mix uniform                    a draw among all moves
//     mix random pair with 1/2       a pair is drawn and seen, the coin is hidden
//     reveal 2 = 3                   position 2 is seen to hold element 3
//     reveal all = 231               everything is seen
//     look 2, look random, look all  as reveal; what is seen is drawn from what is possible
//     find 2                         it is seen where element 2 is
//     wait 5                         five steps of nothing
//     repeat 10 ... end              the blocks between, ten times
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tasks/fraction.h"
#include "tasks/permutation.h"
#include "tasks/transcript.h"

namespace lab::tasks {

constexpr int kMostScriptCups = 7;
constexpr int kDeepestRepeat = 16;
constexpr int kLongestRepeat = 10'000'000;
constexpr std::int64_t kMostScriptSteps = 10'000'000;

/// With this probability it is this move.
struct MixTerm {
    Fraction probability = 1;
    Permutation move;
    bool operator==(const MixTerm&) const = default;
};

struct MixPair {
    int first = 0;
    int second = 1;
    Fraction probability;
    bool operator==(const MixPair&) const = default;
};
struct MixMoves {
    std::vector<MixTerm> terms;  ///< probabilities sum to one
    bool operator==(const MixMoves&) const = default;
};
struct MixUniform {
    bool operator==(const MixUniform&) const = default;
};
struct MixRandomPair {
    Fraction probability;
    bool operator==(const MixRandomPair&) const = default;
};
struct RevealOne {
    int position = 0;
    int element = 0;
    bool operator==(const RevealOne&) const = default;
};
struct RevealAll {
    Permutation arrangement;
    bool operator==(const RevealAll&) const = default;
};
struct Look {
    std::optional<int> position;  ///< nothing: drawn uniformly
    bool operator==(const Look&) const = default;
};
struct LookAll {
    bool operator==(const LookAll&) const = default;
};
struct Find {
    int element = 0;
    bool operator==(const Find&) const = default;
};
struct Wait {
    int steps = 1;
    bool operator==(const Wait&) const = default;
};
struct Block;
struct Repeat {
    int times = 1;
    std::vector<Block> body;
    bool operator==(const Repeat& other) const;
};
struct Block {
    std::variant<Wait, MixPair, MixMoves, MixUniform, MixRandomPair, RevealOne, RevealAll, Look,
                 LookAll, Find, Repeat>
        what;
    bool operator==(const Block&) const = default;
};

/// Positions and elements count from 0 here.
struct BeliefScript {
    int cups = 3;
    std::optional<Permutation> start = Permutation(3);  ///< nothing: every arrangement alike
    Convention convention = Convention::kPositions;
    std::vector<Block> blocks;
    bool operator==(const BeliefScript&) const = default;
};

/// The steps that it unrolls to, at most kMostScriptSteps + 1.
[[nodiscard]] std::int64_t stepsOf(const BeliefScript& script);

/// The inverse of parseScript; comments and spelling are not kept.
[[nodiscard]] std::string textOf(const BeliefScript& script);

/// The script, or the first problem: where, what was expected, what was found.
[[nodiscard]] std::variant<BeliefScript, ParseProblem> parseScript(std::string_view text);

}  // namespace lab::tasks
