// Who decides what is shown, and whether the filter may be trusted with it.
//
// A policy chooses the position that is shown, and may look at the hidden arrangement to do so. The
// filter that only conditions on "position i holds j" is the true posterior if and only if, for
// each such observation, the policy shows position i with the same probability in every arrangement
// that has j there. Otherwise that it was shown is news of its own, as the open door is in the
// Monty Hall problem: Selvin, "A problem in probability" (1975).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tasks/fraction.h"
#include "tasks/permutation.h"

namespace lab::tasks {

struct RevealPolicy {
    std::string name;
    int cups = 3;
    std::vector<Fraction> chance;  ///< [rank * cups + position]; sums to one for every arrangement
    bool operator==(const RevealPolicy&) const = default;
};

/// A position drawn uniformly.
[[nodiscard]] RevealPolicy showAnyPosition(int cups);
[[nodiscard]] RevealPolicy showPosition(int cups, int position);
/// Wherever the element is.
[[nodiscard]] RevealPolicy showElement(int cups, int element);
/// `position` if it holds `element`, else `otherwise`: looks at what it should not.
[[nodiscard]] RevealPolicy showIfItHolds(int cups, int position, int element, int otherwise);

/// Every reason why this is no policy; empty when it is one.
[[nodiscard]] std::vector<std::string> problemsIn(const RevealPolicy& policy);

/// Two arrangements that look alike to the filter, and not to the policy.
struct PolicyFault {
    int position = 0, element = 0;       ///< what is shown
    Permutation first, second;           ///< both have it
    Fraction firstChance, secondChance;  ///< that it is shown
    [[nodiscard]] std::string text() const;
};

/// Nothing when the filter is the true posterior under the policy, else the first fault. `possible`
/// by rank: only these arrangements count; empty: all do. Requires a valid policy.
[[nodiscard]] std::optional<PolicyFault> faultOf(const RevealPolicy& policy,
                                                 const std::vector<bool>& possible = {});

/// The belief after the policy showed `element` at `position`, by rank:
///   b'(s) = b(s) P(position | s) [s has the element there] / their sum
/// Empty when that cannot happen. Number is double or Fraction; `belief` by rank, sums to one.
template <class Number>
[[nodiscard]] std::vector<Number> truePosterior(const std::vector<Number>& belief,
                                                const RevealPolicy& policy, int position,
                                                int element);

}  // namespace lab::tasks
