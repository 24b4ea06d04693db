#include "tasks/log_tracker.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace lab::tasks {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

std::vector<double> startMasses(const CupSteps& steps) {
    const auto order = static_cast<std::size_t>(factorial(steps.cups));
    if (!steps.start) {
        std::vector<double> even(order, 1.0 / static_cast<double>(order));
        return even;
    }
    std::vector<double> start(order, 0.0);
    start[static_cast<std::size_t>(steps.start->rank())] = 1;
    return start;
}

}  // namespace

LogBelief::LogBelief(std::span<const double> start, Rounding rounding) : m_rounding(rounding) {
    for (const double mass : start) {
        m_logs.push_back(m_rounding(std::log(mass)));
    }
}

void LogBelief::permute(std::span<const int> from) {
    std::vector<double> next;
    next.reserve(m_logs.size());
    for (const int state : from) {
        next.push_back(m_logs[static_cast<std::size_t>(state)]);
    }
    m_logs = std::move(next);
}

void LogBelief::weigh(std::span<const double> likelihoods) {
    for (std::size_t i = 0; i < m_logs.size(); ++i) {
        m_logs[i] = m_rounding(m_logs[i] + m_rounding(std::log(likelihoods[i])));
    }
}

void LogBelief::mix(std::span<const int> from, std::span<const double> weights) {
    const std::size_t terms = from.size() / m_logs.size();
    std::vector<double> next;
    next.reserve(m_logs.size());
    for (std::size_t i = 0; i < from.size(); i += terms) {
        double largest = kNever;
        for (std::size_t k = i; k < i + terms; ++k) {
            if (weights[k] > 0) {
                largest = std::max(largest, m_logs[static_cast<std::size_t>(from[k])]);
            }
        }
        double sum = 0;
        for (std::size_t k = i; k < i + terms && largest > kNever; ++k) {
            const double log = m_logs[static_cast<std::size_t>(from[k])];
            sum = m_rounding(sum + m_rounding(weights[k] * m_rounding(std::exp(log - largest))));
        }
        next.push_back(largest > kNever ? m_rounding(largest + m_rounding(std::log(sum))) : kNever);
    }
    m_logs = std::move(next);
}

void LogBelief::spread() {
    const double even = logMass() - std::log(static_cast<double>(m_logs.size()));
    std::fill(m_logs.begin(), m_logs.end(), m_rounding(even));
}

void LogBelief::set(int state) {
    std::fill(m_logs.begin(), m_logs.end(), kNever);
    m_logs[static_cast<std::size_t>(state)] = 0;
}

std::vector<double> LogBelief::posterior() const {
    const double largest = *std::max_element(m_logs.begin(), m_logs.end());
    std::vector<double> masses(m_logs.size(), 0.0);
    if (!(largest > kNever)) {
        return masses;
    }
    double sum = 0;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        masses[i] = std::exp(m_logs[i] - largest);
        sum += masses[i];
    }
    for (double& mass : masses) {
        mass /= sum;
    }
    return masses;
}

double LogBelief::logMass() const {
    const double largest = *std::max_element(m_logs.begin(), m_logs.end());
    if (!(largest > kNever)) {
        return kNever;
    }
    double sum = 0;
    for (const double log : m_logs) {
        sum += std::exp(log - largest);
    }
    return largest + std::log(sum);
}

struct LogTracker::Maps {
    struct Mixing {
        std::vector<int> from;        // [to * terms + term]
        std::vector<double> weights;  // the same
    };
    int cups = 3;
    std::vector<Permutation> arrangements;  // by rank
    std::vector<Mixing> mixing;             // by mixture; empty: every move alike

    Maps(const CupSteps& steps, const Rounding& rounding) : cups(steps.cups) {
        for (int rank = 0; rank < factorial(cups); ++rank) {
            arrangements.push_back(Permutation::unrank(cups, rank));
        }
        for (const Mixture& mixture : steps.mixtures) {
            Mixing mix;
            for (const Permutation& to : arrangements) {
                for (const MixTerm& term : mixture.terms) {
                    mix.from.push_back(act(steps.convention, to, term.move.inverse()).rank());
                    mix.weights.push_back(rounding(toDouble(term.probability)));
                }
            }
            mixing.push_back(std::move(mix));
        }
    }
};

LogTracker::LogTracker(const CupSteps& steps, const TrackerSettings& settings)
    : m_settings(settings),
      m_rounding(settings.format, settings.subnormals),
      m_belief(startMasses(steps), m_rounding) {
    assert(problemsIn(TrackerKind::kLog, settings, steps.cups).empty());
    m_maps = std::make_shared<const Maps>(steps, m_rounding);
}

void LogTracker::take(const CupStep& step) {
    const auto order = m_maps->arrangements.size();
    if (step.kind == CupStep::Kind::kMix) {
        const auto& mix = m_maps->mixing[static_cast<std::size_t>(step.index)];
        if (mix.from.size() == order) {
            m_belief.permute(mix.from);
        } else if (!mix.from.empty()) {
            m_belief.mix(mix.from, mix.weights);
        } else {
            m_belief.spread();
        }
    } else if (step.kind == CupStep::Kind::kReveal) {
        std::vector<double> likelihoods(order, 0.0);
        for (std::size_t rank = 0; rank < order; ++rank) {
            likelihoods[rank] =
                m_maps->arrangements[rank][step.position] == step.element ? 1.0 : 0.0;
        }
        m_belief.weigh(likelihoods);
    } else if (step.kind == CupStep::Kind::kRevealAll) {
        if (m_settings.inject) {
            m_belief.set(step.index);
        } else {
            std::vector<double> likelihoods(order, 0.0);
            likelihoods[static_cast<std::size_t>(step.index)] = 1;
            m_belief.weigh(likelihoods);
        }
    }
    ++m_steps;
    if (m_settings.normaliseEvery > 0 && m_steps % m_settings.normaliseEvery == 0) {
        normalise();
    }
}

void LogTracker::normalise() {
    const std::vector<double> posterior = m_belief.posterior();
    if (std::any_of(posterior.begin(), posterior.end(), [](double mass) { return mass > 0; })) {
        m_belief = LogBelief(posterior, m_rounding);
    }
}

double LogTracker::starvedMass() const {
    return std::exp(m_belief.logMass());
}

TrackerReading LogTracker::read() const {
    TrackerReading reading;
    const auto cups = static_cast<std::size_t>(m_maps->cups);
    const std::vector<double> posterior = m_belief.posterior();
    reading.marginals.assign(cups * cups, 0.0);
    double squares = 0;
    for (std::size_t rank = 0; rank < posterior.size(); ++rank) {
        squares += posterior[rank] * posterior[rank];
        for (std::size_t position = 0; position < cups; ++position) {
            const int element = m_maps->arrangements[rank][static_cast<int>(position)];
            reading.marginals[position * cups + static_cast<std::size_t>(element)] +=
                posterior[rank];
        }
    }
    reading.log2Norm1 = m_belief.logMass() / std::log(2.0);
    reading.log2Norm2 = reading.log2Norm1 + 0.5 * std::log2(squares);
    reading.starvedMass = starvedMass();
    reading.lost = !(squares > 0) || !std::isfinite(reading.log2Norm1);
    return reading;
}

}  // namespace lab::tasks
