#include "tasks/cup_steps.h"

#include <algorithm>
#include <cassert>

#include "tasks/cell.h"

namespace lab::tasks {
namespace {

using Kind = CupStep::Kind;

template <class Number>
Number numberOf(const Fraction& value) {
    if constexpr (std::is_same_v<Number, double>) {
        return toDouble(value);
    } else {
        return value;
    }
}

template <class Number>
CupEvent<Number> eventOf(const Mixture& mixture, int cups) {
    CupEvent<Number> event;
    if (mixture.terms.empty()) {
        for (int rank = 0; rank < factorial(cups); ++rank) {
            event.mixture.push_back({Number(1) / factorial(cups), Permutation::unrank(cups, rank)});
        }
    }
    for (const MixTerm& term : mixture.terms) {
        event.mixture.push_back({numberOf<Number>(term.probability), term.move});
    }
    return event;
}

/// Draws an index with the given weights, which sum to about one.
int drawn(const std::vector<double>& weights, Rng& rng) {
    double left = rng.uniform();
    int last = 0;
    for (int i = 0; i < static_cast<int>(weights.size()); ++i) {
        const double weight = weights[static_cast<std::size_t>(i)];
        if (weight <= 0) {
            continue;
        }
        last = i;
        if (left < weight) {
            break;
        }
        left -= weight;
    }
    return last;
}

/// Needs the exact filter only where something is drawn.
bool draws(const std::vector<Block>& blocks) {
    return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
        if (const auto* repeat = std::get_if<Repeat>(&block.what)) {
            return draws(repeat->body);
        }
        return std::holds_alternative<Look>(block.what) ||
               std::holds_alternative<LookAll>(block.what) ||
               std::holds_alternative<Find>(block.what);
    });
}

class Unroller {
public:
    Unroller(const BeliefScript& script, Rng& rng, UnrollOptions options)
        : m_script(script),
          m_rng(rng),
          m_options(options),
          m_steps{script.cups, script.start, script.convention, {}, {}},
          m_filter(filterFor<double>(m_steps)),
          m_draws(options.revealAllEvery > 0 || draws(script.blocks)) {}

    CupSteps unroll() {
        m_steps.steps.reserve(static_cast<std::size_t>(stepsOf(m_script)));
        unroll(m_script.blocks);
        return std::move(m_steps);
    }

private:
    void unroll(const std::vector<Block>& blocks) {
        for (const Block& block : blocks) {
            if (m_contradicted) {
                return;
            }
            std::visit([this](const auto& what) { add(what); }, block.what);
        }
    }

    void add(const Repeat& repeat) {
        for (int i = 0; i < repeat.times && !m_contradicted; ++i) {
            unroll(repeat.body);
        }
    }
    void add(const Wait& wait) {
        for (int i = 0; i < wait.steps; ++i) {
            push({});
        }
    }
    void add(const MixPair& mix) { pushMix(pairOf(mix.first, mix.second, mix.probability)); }
    void add(const MixMoves& mix) { pushMix({mix.terms}); }
    void add(const MixUniform&) { pushMix({}); }
    void add(const MixRandomPair& mix) {
        const int first = m_rng.below(m_script.cups);
        const int other = m_rng.below(m_script.cups - 1);
        pushMix(pairOf(first, other + (other >= first ? 1 : 0), mix.probability));
    }
    void add(const RevealOne& reveal) { pushReveal(reveal.position, reveal.element); }
    void add(const RevealAll& reveal) { push({Kind::kRevealAll, 0, 0, reveal.arrangement.rank()}); }
    void add(const Look& look) {
        const int position = look.position ? *look.position : m_rng.below(m_script.cups);
        const std::vector<double> marginals = m_filter.marginals();
        const double* const row = &marginals[cellOf(position, m_script.cups, 0)];
        pushReveal(position, drawn({row, row + m_script.cups}, m_rng));
    }
    void add(const Find& find) {
        const std::vector<double> marginals = m_filter.marginals();
        std::vector<double> column;
        column.reserve(static_cast<std::size_t>(m_script.cups));
        for (int position = 0; position < m_script.cups; ++position) {
            column.push_back(marginals[cellOf(position, m_script.cups, find.element)]);
        }
        pushReveal(drawn(column, m_rng), find.element);
    }
    void add(const LookAll&) { pushTruth(); }

    void pushTruth() {
        record({Kind::kRevealAll, 0, 0, drawn(m_filter.posterior().belief(), m_rng)});
    }

    Mixture pairOf(int first, int second, const Fraction& probability) const {
        return {{{probability, Permutation::exchange(m_script.cups, std::min(first, second),
                                                     std::max(first, second))},
                 {1 - probability, Permutation(m_script.cups)}}};
    }

    void pushMix(const Mixture& mixture) {
        auto& all = m_steps.mixtures;
        const auto found = std::find(all.begin(), all.end(), mixture);
        const auto index = static_cast<std::int32_t>(found - all.begin());
        if (found == all.end()) {
            all.push_back(mixture);
        }
        push({Kind::kMix, 0, 0, index});
    }
    void pushReveal(int position, int element) {
        push({Kind::kReveal, static_cast<std::int8_t>(position), static_cast<std::int8_t>(element),
              0});
    }
    void push(const CupStep& step) {
        record(step);
        if (m_options.revealAllEvery > 0 && !m_contradicted &&
            ++m_sinceTruth == m_options.revealAllEvery) {
            m_sinceTruth = 0;
            pushTruth();
        }
    }
    void record(const CupStep& step) {
        m_steps.steps.push_back(step);
        m_contradicted =
            m_draws && std::holds_alternative<Contradiction>(take(m_filter, m_steps, step));
    }

    const BeliefScript& m_script;
    Rng& m_rng;
    UnrollOptions m_options;
    CupSteps m_steps;
    BeliefFilter<double> m_filter;
    bool m_draws;
    bool m_contradicted = false;
    int m_sinceTruth = 0;
};

}  // namespace

CupSteps unrolled(const BeliefScript& script, Rng& rng, UnrollOptions options) {
    assert(stepsOf(script) <= kMostScriptSteps);
    return Unroller(script, rng, options).unroll();
}

template <class Number>
BeliefFilter<Number> filterFor(const CupSteps& steps) {
    return steps.start ? BeliefFilter<Number>(*steps.start, steps.convention)
                       : BeliefFilter<Number>::uniform(steps.cups, steps.convention);
}

template <class Number>
StepResult<Number> take(BeliefFilter<Number>& filter, const CupSteps& steps, const CupStep& step) {
    switch (step.kind) {
        case Kind::kWait: break;
        case Kind::kMix:
            return filter.apply(
                eventOf<Number>(steps.mixtures[static_cast<std::size_t>(step.index)], steps.cups));
        case Kind::kReveal:
            return filter.apply(CupEvent<Number>::shown(step.position, {step.element}));
        case Kind::kRevealAll: {
            const Permutation arrangement = Permutation::unrank(steps.cups, step.index);
            Number all(1);
            for (int position = 0; position < steps.cups; ++position) {
                StepResult<Number> one =
                    filter.apply(CupEvent<Number>::shown(position, {arrangement[position]}));
                if (std::holds_alternative<Contradiction>(one)) {
                    return one;
                }
                all *= std::get<Number>(one);
            }
            return all;
        }
    }
    return filter.apply({});
}

template BeliefFilter<double> filterFor(const CupSteps&);
template BeliefFilter<Fraction> filterFor(const CupSteps&);
template StepResult<double> take(BeliefFilter<double>&, const CupSteps&, const CupStep&);
template StepResult<Fraction> take(BeliefFilter<Fraction>&, const CupSteps&, const CupStep&);

}  // namespace lab::tasks
