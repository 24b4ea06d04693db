// The exact belief about cups: which element stands at which position, after moves that were seen,
// moves by a hidden coin, and looks under a cup.
//
// The joint belief over all n! arrangements, so correlations are kept. Fractions: up to five cups.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tasks/permutation.h"
#include "tasks/posterior.h"

namespace lab::tasks {

/// What one event does: first the reveal, then the move. Positions and elements count from 0.
template <class Number>
struct CupEvent {
    /// "Position `position` holds one of `elements`."
    struct Reveal {
        int position = 0;
        std::vector<int> elements;
    };
    /// With this probability it is this move; nobody says which.
    struct Branch {
        Number probability = 1;
        Permutation move;
    };

    std::optional<Reveal> reveal;
    std::vector<Branch> mixture;  ///< probabilities sum to one; empty: nothing moves

    [[nodiscard]] static CupEvent certain(const Permutation& move);
    /// The points are exchanged with this probability, else nothing moves.
    [[nodiscard]] static CupEvent hiddenSwap(int points, int first, int second, Number probability);
    [[nodiscard]] static CupEvent shown(int position, std::vector<int> elements);
};

/// Why the event does not fit so many cups, in words; empty when it does.
template <class Number>
[[nodiscard]] std::string problemWith(const CupEvent<Number>& event, int points);

template <class Number>
class BeliefFilter {
public:
    /// Certain of one arrangement.
    explicit BeliefFilter(const Permutation& start, Convention convention = Convention::kPositions);
    /// Every arrangement alike.
    [[nodiscard]] static BeliefFilter uniform(int points,
                                              Convention convention = Convention::kPositions);
    /// `start` by rank, points! numbers that sum to one.
    BeliefFilter(int points, std::vector<Number> start, Convention convention);

    /// Requires problemWith(event, points()) to be empty. A contradiction stays: every later event
    /// gives it again.
    [[nodiscard]] StepResult<Number> apply(const CupEvent<Number>& event);

    [[nodiscard]] int points() const noexcept { return m_points; }
    /// States are arrangements by rank.
    [[nodiscard]] const Posterior<Number>& posterior() const noexcept { return m_posterior; }
    /// [position * points + element]: probability that it stands there. Empty after a
    /// contradiction.
    [[nodiscard]] std::vector<Number> marginals() const;

private:
    int m_points;
    Convention m_convention;
    std::shared_ptr<const std::vector<Permutation>> m_arrangements;  // by rank
    Posterior<Number> m_posterior;
};

}  // namespace lab::tasks
