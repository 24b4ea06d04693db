#include "tasks/belief_study.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tasks/belief_patterns.h"
#include "tasks/joint_tracker.h"
#include "tasks/marginal_tracker.h"

namespace lab::tasks {
namespace {

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double bitsOf(double probability) {
    return probability > 0 ? -probability * std::log2(probability) : 0;
}

/// Of a look at a position that is drawn uniformly, which one is told: the mean over the rows.
double lookEntropy(const std::vector<double>& marginals, int cups) {
    double bits = 0;
    for (const double probability : marginals) {
        bits += bitsOf(probability);
    }
    return bits / cups;
}

CupSteps typicalSteps(const DecayRequest& request, int cycles, std::uint64_t run) {
    Rng rng(request.seed, Stream::kDemonstration, run);
    const PatternOptions options{request.cups, request.probability, cycles};
    return unrolled(patternNamed("typical", options).value_or(BeliefScript{}), rng);
}

/// Over cycles.
struct Sums {
    double norm = 0, entropy = 0, variation = 0;
    std::vector<double> worst;  // by run
    int cycles = 0;
};

void addRun(const CupSteps& all, Sums& sums) {
    auto exact = filterFor<double>(all);
    TrackerSettings settings;
    settings.readOut.rounds = kStudyRounds;
    MarginalTracker<double> marginal(all, settings);
    JointTracker<double> joint(all, {});
    double worst = 0;
    for (const CupStep& step : all.steps) {
        if (step.kind == CupStep::Kind::kReveal) {
            sums.entropy += lookEntropy(exact.marginals(), all.cups);
            ++sums.cycles;
        }
        static_cast<void>(take(exact, all, step));
        joint.take(step);
        marginal.take(step);
        if (step.kind != CupStep::Kind::kReveal) {
            continue;
        }
        const auto distances =
            totalVariations(marginal.read().marginals, exact.marginals(), all.cups);
        const double mean = std::accumulate(distances.begin(), distances.end(), 0.0) / all.cups;
        sums.variation += mean;
        worst = std::max(worst, mean);
    }
    sums.worst.push_back(worst);
    sums.norm += joint.read().log2Norm1;
}

/// Cycles until the joint tracker in fp32 is all zero, or as many as there are.
double cyclesInFp32(const CupSteps& all) {
    TrackerSettings settings;
    settings.format = NumberFormat::kFp32;
    JointTracker<double> tracker(all, settings);
    int taken = 0;
    for (const CupStep& step : all.steps) {
        tracker.take(step);
        ++taken;
        if (tracker.norm1() == 0) {
            break;
        }
    }
    const int cycles = (taken + 1) / 2;
    return cycles;
}

/// A maximum grows with the number of runs: of every eight, and of these the median.
double worstOfEight(const std::vector<double>& worst) {
    constexpr std::size_t kGroup = 8;
    std::vector<double> groups;
    for (std::size_t run = 0; run < worst.size(); ++run) {
        if (run % kGroup == 0) {
            groups.push_back(worst[run]);
        }
        groups.back() = std::max(groups.back(), worst[run]);
    }
    return median(groups);
}

int cyclesUntilLost(const CupSteps& cycle, const TrackerSettings& settings) {
    constexpr int kMostCycles = 5000;
    MarginalTracker<double> tracker(cycle, settings);
    for (int cycles = 1; cycles < kMostCycles; ++cycles) {
        for (const CupStep& step : cycle.steps) {
            tracker.take(step);
        }
        const std::vector<double> h = tracker.state();
        const double column = std::fabs(h[2]) + std::fabs(h[5]) + std::fabs(h[8]);
        if (!(h[8] > 0) || h[8] < 0.9 * column) {
            return cycles;
        }
    }
    return kMostCycles;
}

}  // namespace

DecayMeasurement measureDecay(const DecayRequest& request, const std::function<bool()>& stop) {
    constexpr int kFp32Cycles = 2000;
    Sums sums;
    std::vector<double> deaths;
    for (int run = 0; run < request.runs && !(stop && stop()); ++run) {
        const auto number = static_cast<std::uint64_t>(run);
        addRun(typicalSteps(request, request.cycles, number), sums);
        deaths.push_back(cyclesInFp32(typicalSteps(request, kFp32Cycles, number)));
    }
    if (sums.cycles == 0) {
        return {};
    }
    return {sums.norm / sums.cycles, sums.entropy / sums.cycles, median(deaths),
            sums.variation / sums.cycles, worstOfEight(sums.worst)};
}

Horizon measureHorizon(const HorizonRequest& request) {
    Rng unused(0);
    PatternOptions once;
    once.cycles = 1;
    const CupSteps cycle =
        unrolled(patternNamed("adversary", once).value_or(BeliefScript{}), unused);
    const bool rotated = request.rotation.keys || request.rotation.values;
    std::vector<int> cycles;
    for (int basis = 0; basis < (rotated ? request.bases : 1); ++basis) {
        const std::uint64_t seed = request.seed * 1'000'000 + static_cast<std::uint64_t>(basis);
        TrackerSettings settings;
        settings.format = request.format;
        settings.subnormals = request.subnormals;
        if (request.rotation.keys) {
            settings.keyBasis = seed;
        }
        if (request.rotation.values) {
            settings.valueBasis = seed;
        }
        cycles.push_back(cyclesUntilLost(cycle, settings));
    }
    std::sort(cycles.begin(), cycles.end());
    return {cycles[cycles.size() / 2], cycles.front(), cycles.back(),
            static_cast<int>(cycles.size())};
}

}  // namespace lab::tasks
