#include "tasks/cup_tracker.h"

#include <cmath>

#include "tasks/joint_tracker.h"
#include "tasks/log_tracker.h"
#include "tasks/marginal_tracker.h"

namespace lab::tasks {

std::vector<std::string> problemsIn(TrackerKind kind, const TrackerSettings& settings, int cups) {
    std::vector<std::string> problems;
    if (cups < 2 || cups > kMostScriptCups) {
        problems.push_back("cups is " + std::to_string(cups) + ", must be from 2 to " +
                           std::to_string(kMostScriptCups));
    }
    if (settings.normaliseEvery < 0) {
        problems.emplace_back("normalise_every is below 0; 0 means never");
    }
    if (settings.levels != 0 && (settings.levels < 2 || settings.levels > 1'000'000)) {
        problems.push_back("levels is " + std::to_string(settings.levels) +
                           ", must be 0 (as they are) or from 2 to 1000000");
    }
    if (settings.readOut.rounds < 0 || !(settings.readOut.tolerance >= 0)) {
        problems.emplace_back("the read-out's rounds and tolerance must not be below 0");
    }
    const bool rotated = settings.keyBasis || settings.valueBasis;
    if (kind == TrackerKind::kJoint && rotated && cups > kMostJointBasisCups) {
        problems.push_back("the joint tracker has another basis up to " +
                           std::to_string(kMostJointBasisCups) + " cups only: its maps are dense");
    }
    if (kind == TrackerKind::kLog && (rotated || settings.levels != 0)) {
        problems.emplace_back(
            "the tracker of logarithms has the plain basis and no levels: its entries are no "
            "masses");
    }
    return problems;
}

std::unique_ptr<CupTracker> makeTracker(TrackerKind kind, const CupSteps& steps,
                                        const TrackerSettings& settings) {
    switch (kind) {
        case TrackerKind::kJoint: return std::make_unique<JointTracker<double>>(steps, settings);
        case TrackerKind::kMarginal:
            return std::make_unique<MarginalTracker<double>>(steps, settings);
        case TrackerKind::kLog: break;
    }
    return std::make_unique<LogTracker>(steps, settings);
}

std::vector<double> totalVariations(const std::vector<double>& a, const std::vector<double>& b,
                                    int cups) {
    std::vector<double> distances(static_cast<std::size_t>(cups), 0.0);
    for (std::size_t i = 0; i < a.size(); ++i) {
        distances[i / static_cast<std::size_t>(cups)] += 0.5 * std::fabs(a[i] - b[i]);
    }
    return distances;
}

}  // namespace lab::tasks
