// The tracker of logarithms: l = log h, up to a constant.
//
//   l <- P l + log L    for a permutation that was seen and evidence of likelihood L
// is linear, so where nothing is hidden soft evidence costs a linear recurrence nothing: small
// masses are large negative numbers, far from the smallest of a format. Mixing needs the logarithm
// of a sum of exponentials, which no linear map is. Source: arXiv 2605.31261.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tasks/cup_tracker.h"

namespace lab::tasks {

/// Over any states, in natural logarithms.
class LogBelief {
public:
    /// `start`: masses by state.
    explicit LogBelief(std::span<const double> start, Rounding rounding = {});

    /// State i takes what state from[i] had.
    void permute(std::span<const int> from);
    /// By state; zero rules a state out.
    void weigh(std::span<const double> likelihoods);
    /// Not linear. `from` and `weights` by state and then term, states * terms of each.
    void mix(std::span<const int> from, std::span<const double> weights);
    /// Not linear. Every state alike, with the mass that there is.
    void spread();
    /// Certain of one state, with mass one.
    void set(int state);

    /// By state, rounded to the format; minus infinity where ruled out.
    [[nodiscard]] const std::vector<double>& logs() const noexcept { return m_logs; }
    /// Sums to one; all zero when every state is ruled out.
    [[nodiscard]] std::vector<double> posterior() const;
    /// Natural logarithm of the mass of all states.
    [[nodiscard]] double logMass() const;

private:
    Rounding m_rounding;
    std::vector<double> m_logs;
};

/// Over the n! arrangements of cups, with reveals as evidence.
class LogTracker final : public CupTracker {
public:
    /// Requires problemsIn(kLog, settings, cups) to be empty.
    LogTracker(const CupSteps& steps, const TrackerSettings& settings);

    void take(const CupStep& step) override;
    [[nodiscard]] TrackerReading read() const override;
    [[nodiscard]] double starvedMass() const override;
    [[nodiscard]] std::unique_ptr<CupTracker> clone() const override {
        return std::make_unique<LogTracker>(*this);
    }
    [[nodiscard]] const LogBelief& belief() const noexcept { return m_belief; }

private:
    struct Maps;

    void normalise();

    std::shared_ptr<const Maps> m_maps;
    TrackerSettings m_settings;
    Rounding m_rounding;
    LogBelief m_belief;
    int m_steps = 0;
};

}  // namespace lab::tasks
