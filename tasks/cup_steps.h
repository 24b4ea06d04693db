// A script unrolled: one small record a step, with what was seen.
//
// Where a script only looks, what is seen is drawn from what is possible given all that was seen
// before (the exact filter). For a script without fixed reveals that is the same as playing the
// game with one hidden arrangement; with them it stays consistent with them as far as it goes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tasks/belief_filter.h"
#include "tasks/belief_script.h"
#include "tasks/rng.h"

namespace lab::tasks {

/// Which arrangement a hidden draw makes of another.
struct Mixture {
    std::vector<MixTerm> terms;  ///< empty: every move alike
    bool operator==(const Mixture&) const = default;
};

struct CupStep {
    enum class Kind : std::uint8_t { kWait, kMix, kReveal, kRevealAll };
    Kind kind = Kind::kWait;
    std::int8_t position = 0;  ///< kReveal
    std::int8_t element = 0;   ///< kReveal
    std::int32_t index = 0;    ///< kMix: of its mixture; kRevealAll: rank of the arrangement
    bool operator==(const CupStep&) const = default;
};

struct CupSteps {
    int cups = 3;
    std::optional<Permutation> start = Permutation(3);  ///< nothing: every arrangement alike
    Convention convention = Convention::kPositions;
    std::vector<Mixture> mixtures;  ///< those that occur, each once
    std::vector<CupStep> steps;

    [[nodiscard]] int size() const noexcept { return static_cast<int>(steps.size()); }
};

struct UnrollOptions {
    int revealAllEvery = 0;  ///< a remedy: after so many steps of the script, look all; 0: never
};

/// LookAll and the like are drawn from `rng`. Requires stepsOf(script) <= kMostScriptSteps. After a
/// contradiction nothing can be drawn: the steps end there, with the contradictory reveal.
[[nodiscard]] CupSteps unrolled(const BeliefScript& script, Rng& rng, UnrollOptions options = {});

/// The exact filter before the first step.
template <class Number>
[[nodiscard]] BeliefFilter<Number> filterFor(const CupSteps& steps);

/// Takes one step of `steps`; a full reveal is a look at every position. The probability of what
/// was seen given all before, or the contradiction.
template <class Number>
[[nodiscard]] StepResult<Number> take(BeliefFilter<Number>& filter, const CupSteps& steps,
                                      const CupStep& step);

}  // namespace lab::tasks
