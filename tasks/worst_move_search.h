// Looks for the moves that harm a tracker most: exhaustively, to a depth.
//
// What is searched is abstract: anything with moves and a score that the adversary wants small,
// such as the mass that a linear tracker has left, or minus the divergence of a trained model from
// the exact belief.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "tasks/cup_tracker.h"

namespace lab::tasks {

class SearchState {
public:
    virtual ~SearchState() = default;
    [[nodiscard]] virtual int moves() const = 0;
    /// After that move, in [0, moves()); null when it is impossible.
    [[nodiscard]] virtual std::unique_ptr<SearchState> after(int move) const = 0;
    /// The adversary wants it small.
    [[nodiscard]] virtual double score() const = 0;

protected:
    SearchState() = default;
    SearchState(const SearchState&) = default;
    SearchState& operator=(const SearchState&) = default;
};

struct SearchOptions {
    int depth = 4;               ///< moves at most
    std::function<bool()> stop;  ///< asked at every state; true ends the search
};

struct SearchResult {
    /// The shortest line to the smallest score, and of these the first in the order of moves. Empty
    /// when no move makes it smaller.
    std::vector<int> line;
    double score = 0;        ///< at the end of the line
    std::int64_t nodes = 0;  ///< states that were looked at, the start excepted
    bool finished = false;   ///< else stopped: the best so far
};

[[nodiscard]] SearchResult worstLine(const SearchState& start, const SearchOptions& options);

/// Every pair mixed with `probability`, then every reveal: steps to choose from.
[[nodiscard]] CupSteps candidateMoves(int cups, const Fraction& probability);

/// A tracker whose starvedMass is the score; moves of probability zero, given the exact belief, are
/// impossible. `tracker` must have been made from `moves`; the exact belief starts where they do.
[[nodiscard]] std::unique_ptr<SearchState> starving(std::shared_ptr<const CupSteps> moves,
                                                    std::unique_ptr<CupTracker> tracker);

}  // namespace lab::tasks
