#include "tasks/belief_filter.h"

#include <algorithm>
#include <cassert>

namespace lab::tasks {
namespace {

std::shared_ptr<const std::vector<Permutation>> allArrangements(int points) {
    std::vector<Permutation> result;
    result.reserve(static_cast<std::size_t>(factorial(points)));
    for (int rank = 0; rank < factorial(points); ++rank) {
        result.push_back(Permutation::unrank(points, rank));
    }
    return std::make_shared<const std::vector<Permutation>>(std::move(result));
}

template <class Number>
std::vector<Number> certainOf(const Permutation& arrangement) {
    std::vector<Number> belief(static_cast<std::size_t>(factorial(arrangement.points())),
                               Number(0));
    belief[static_cast<std::size_t>(arrangement.rank())] = 1;
    return belief;
}

}  // namespace

template <class Number>
CupEvent<Number> CupEvent<Number>::certain(const Permutation& move) {
    return {std::nullopt, {{Number(1), move}}};
}

template <class Number>
CupEvent<Number> CupEvent<Number>::hiddenSwap(int points, int first, int second,
                                              Number probability) {
    const Number otherwise = 1 - probability;
    return {std::nullopt,
            {{probability, Permutation::exchange(points, first, second)},
             {otherwise, Permutation(points)}}};
}

template <class Number>
CupEvent<Number> CupEvent<Number>::shown(int position, std::vector<int> elements) {
    return {Reveal{position, std::move(elements)}, {}};
}

template <class Number>
std::string problemWith(const CupEvent<Number>& event, int points) {
    const auto isPoint = [points](int point) { return point >= 0 && point < points; };
    if (event.reveal) {
        const auto& elements = event.reveal->elements;
        if (!isPoint(event.reveal->position) ||
            !std::all_of(elements.begin(), elements.end(), isPoint)) {
            return "the reveal names a position or an element that is not among the " +
                   std::to_string(points);
        }
        if (elements.empty()) {
            return "the reveal names no element";
        }
    }
    Number sum(0);
    for (const auto& branch : event.mixture) {
        if (branch.move.points() != points) {
            return "a move has " + std::to_string(branch.move.points()) + " points, not " +
                   std::to_string(points);
        }
        if (!(branch.probability >= 0)) {
            return "a move has a weight that is no probability";
        }
        sum += branch.probability;
    }
    if (!event.mixture.empty() && !isOne(sum)) {
        return "the probabilities of the moves sum to " + std::to_string(toDouble(sum)) +
               ", not to 1";
    }
    return {};
}

template <class Number>
BeliefFilter<Number>::BeliefFilter(const Permutation& start, Convention convention)
    : BeliefFilter(start.points(), certainOf<Number>(start), convention) {}

template <class Number>
BeliefFilter<Number>::BeliefFilter(int points, std::vector<Number> start, Convention convention)
    : m_points(points),
      m_convention(convention),
      m_arrangements(allArrangements(points)),
      m_posterior(std::move(start)) {
    assert(m_posterior.belief().size() == m_arrangements->size());
}

template <class Number>
BeliefFilter<Number> BeliefFilter<Number>::uniform(int points, Convention convention) {
    const int order = factorial(points);
    std::vector<Number> start(static_cast<std::size_t>(order), Number(1) / order);
    return BeliefFilter(points, std::move(start), convention);
}

template <class Number>
StepResult<Number> BeliefFilter<Number>::apply(const CupEvent<Number>& event) {
    assert(problemWith(event, m_points).empty());
    const auto arrangement = [this](int rank) -> const Permutation& {
        return (*m_arrangements)[static_cast<std::size_t>(rank)];
    };
    const auto shows = [&](int rank) {
        const auto& elements = event.reveal->elements;
        const int element = arrangement(rank)[event.reveal->position];
        return std::find(elements.begin(), elements.end(), element) != elements.end();
    };
    StepResult<Number> result =
        event.reveal ? m_posterior.condition(shows) : m_posterior.seeNothing();
    if (!m_posterior.contradicted() && !event.mixture.empty()) {
        m_posterior.move([&](int rank, const Number& mass, std::vector<Number>& next) {
            for (const auto& branch : event.mixture) {
                const Permutation to = act(m_convention, arrangement(rank), branch.move);
                next[static_cast<std::size_t>(to.rank())] += mass * branch.probability;
            }
        });
    }
    return result;
}

template <class Number>
std::vector<Number> BeliefFilter<Number>::marginals() const {
    const std::vector<Number>& belief = m_posterior.belief();
    if (belief.empty()) {
        return {};
    }
    const auto n = static_cast<std::size_t>(m_points);
    std::vector<Number> result(n * n, Number(0));
    for (std::size_t rank = 0; rank < belief.size(); ++rank) {
        if (belief[rank] == 0) {
            continue;
        }
        for (int position = 0; position < m_points; ++position) {
            const int element = (*m_arrangements)[rank][position];
            result[static_cast<std::size_t>(position) * n + static_cast<std::size_t>(element)] +=
                belief[rank];
        }
    }
    return result;
}

template struct CupEvent<double>;
template struct CupEvent<Fraction>;
template std::string problemWith(const CupEvent<double>&, int);
template std::string problemWith(const CupEvent<Fraction>&, int);
template class BeliefFilter<double>;
template class BeliefFilter<Fraction>;

}  // namespace lab::tasks
