// Scripts with a name: the cases that show how a tracker of beliefs goes wrong, and how it does
// not.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "tasks/automaton.h"
#include "tasks/belief_script.h"

namespace lab::tasks {

struct PatternInfo {
    std::string_view key;    ///< stable
    std::string_view title;  ///< shown to people
    std::string_view shows;  ///< what there is to see, in a sentence
};

constexpr std::array<PatternInfo, 9> kPatterns{{
    {"adversary", "The starved pair",
     "Positions 2 and 3 are mixed and 2 is always seen to hold element 2: what a linear tracker "
     "knows about element 3 shrinks by 1-p a cycle."},
    {"find-element", "Print where element 2 is",
     "The same decay for every outcome, under a policy that somebody could follow."},
    {"random-outcome", "Print position 2",
     "What is seen there is drawn: the starved element changes, and no decay lasts."},
    {"uniform-shuffle", "Shuffle everything, see element 1",
     "The joint norm falls by 1/n a cycle, every other column by (n-1)/n."},
    {"slow-sinkhorn", "Half a rotation",
     "Sinkhorn's rounds leave 1/(2m+1) after m of them, where the truth is 0."},
    {"correlated", "A rotation by thirds",
     "Marginals drop correlations: the tracker says 1/2 where the belief is certain."},
    {"partial-round", "Two of three seen",
     "One unrevealed entry keeps the mixing of its cycle although the belief is certain."},
    {"contradiction", "What cannot be seen",
     "A reveal of probability zero: an error, a zero vector, or a plausible but false matrix."},
    {"typical", "Random pairs, random looks",
     "The ordinary case: the joint norm loses one bit for each bit that is seen."},
}};

struct PatternOptions {
    int cups = 3;  ///< those with three cups in their idea keep three
    Fraction probability = Fraction(1, 2);
    int cycles = 100;
    bool operator==(const PatternOptions&) const = default;
};

/// Nothing when there is no such pattern. Requires 2 <= cups <= kMostScriptCups, a probability from
/// 0 to 1, and cycles in [1, kLongestRepeat].
[[nodiscard]] std::optional<BeliefScript> patternNamed(std::string_view key,
                                                       const PatternOptions& options);

/// The absorbing chain: states 2 and 3 fall into 1 with probability 1/2; symbol 0 is that move,
/// symbol 1 the reveal {2, 3}. Source: arXiv 2602.14814, figure 9.
[[nodiscard]] Automaton<Fraction> absorbingChain();

}  // namespace lab::tasks
