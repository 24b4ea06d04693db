#include "tasks/reveal_policy.h"

#include <algorithm>
#include <cassert>

#include "tasks/cell.h"

namespace lab::tasks {
namespace {

/// chooses(arrangement) gives the one position that is shown.
template <class Chooses>
RevealPolicy certain(std::string name, int cups, Chooses chooses) {
    RevealPolicy policy{std::move(name), cups, {}};
    for (int rank = 0; rank < factorial(cups); ++rank) {
        const int chosen = chooses(Permutation::unrank(cups, rank));
        for (int position = 0; position < cups; ++position) {
            policy.chance.emplace_back(position == chosen ? 1 : 0);
        }
    }
    return policy;
}

std::string number(int fromZero) {
    return std::to_string(fromZero + 1);
}

const Fraction& chanceOf(const RevealPolicy& policy, int rank, int position) {
    return policy.chance[cellOf(rank, policy.cups, position)];
}

}  // namespace

RevealPolicy showAnyPosition(int cups) {
    const auto cells = cellOf(factorial(cups), cups, 0);
    return {"any position", cups, std::vector<Fraction>(cells, Fraction(1, cups))};
}

RevealPolicy showPosition(int cups, int position) {
    return certain("position " + number(position), cups,
                   [position](const Permutation&) { return position; });
}

RevealPolicy showElement(int cups, int element) {
    return certain("where element " + number(element) + " is", cups,
                   [element](const Permutation& held) { return held.inverse()[element]; });
}

RevealPolicy showIfItHolds(int cups, int position, int element, int otherwise) {
    return certain("position " + number(position) + " if it holds " + number(element) +
                       ", else position " + number(otherwise),
                   cups, [=](const Permutation& held) {
                       return held[position] == element ? position : otherwise;
                   });
}

std::vector<std::string> problemsIn(const RevealPolicy& policy) {
    if (policy.cups < 2 || policy.cups > kMaxPoints - 1) {
        return {"cups is " + std::to_string(policy.cups) + ", must be from 2 to 7"};
    }
    const int order = factorial(policy.cups);
    if (policy.chance.size() != cellOf(order, policy.cups, 0)) {
        return {"the chances are not given by arrangement and position"};
    }
    std::vector<std::string> problems;
    for (int rank = 0; rank < order; ++rank) {
        Fraction sum = 0;
        bool negative = false;
        for (int position = 0; position < policy.cups; ++position) {
            sum += chanceOf(policy, rank, position);
            negative = negative || chanceOf(policy, rank, position) < 0;
        }
        const std::string where =
            "the chances for " + Permutation::unrank(policy.cups, rank).text() + " ";
        if (negative) {
            problems.push_back(where + "have one below 0");
        } else if (sum != 1) {
            problems.push_back(where + "sum to " + textOf(sum) + ", not to 1");
        }
    }
    return problems;
}

std::string PolicyFault::text() const {
    return "position " + number(position) + " with element " + number(element) +
           " is shown with probability " + textOf(firstChance) + " in " + first.text() +
           " and with " + textOf(secondChance) + " in " + second.text() +
           ": that it was shown tells them apart";
}

std::optional<PolicyFault> faultOf(const RevealPolicy& policy, const std::vector<bool>& possible) {
    assert(problemsIn(policy).empty());
    for (int position = 0; position < policy.cups; ++position) {
        std::vector<int> seen(static_cast<std::size_t>(policy.cups), -1);  // first rank, by element
        for (int rank = 0; rank < factorial(policy.cups); ++rank) {
            if (!possible.empty() && !possible[static_cast<std::size_t>(rank)]) {
                continue;
            }
            const Permutation held = Permutation::unrank(policy.cups, rank);
            int& first = seen[static_cast<std::size_t>(held[position])];
            if (first < 0) {
                first = rank;
            } else if (chanceOf(policy, first, position) != chanceOf(policy, rank, position)) {
                return PolicyFault{position,
                                   held[position],
                                   Permutation::unrank(policy.cups, first),
                                   held,
                                   chanceOf(policy, first, position),
                                   chanceOf(policy, rank, position)};
            }
        }
    }
    return std::nullopt;
}

template <class Number>
std::vector<Number> truePosterior(const std::vector<Number>& belief, const RevealPolicy& policy,
                                  int position, int element) {
    std::vector<Number> posterior(belief.size(), Number(0));
    Number sum(0);
    for (int rank = 0; rank < factorial(policy.cups); ++rank) {
        const auto at = static_cast<std::size_t>(rank);
        if (Permutation::unrank(policy.cups, rank)[position] != element) {
            continue;
        }
        const Fraction& chance = chanceOf(policy, rank, position);
        if constexpr (std::is_same_v<Number, double>) {
            posterior[at] = belief[at] * toDouble(chance);
        } else {
            posterior[at] = belief[at] * chance;
        }
        sum += posterior[at];
    }
    if (sum == 0) {
        return {};
    }
    for (Number& mass : posterior) {
        mass /= sum;
    }
    return posterior;
}

template std::vector<double> truePosterior(const std::vector<double>&, const RevealPolicy&, int,
                                           int);
template std::vector<Fraction> truePosterior(const std::vector<Fraction>&, const RevealPolicy&, int,
                                             int);

}  // namespace lab::tasks
