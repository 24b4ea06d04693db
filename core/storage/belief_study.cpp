// runBeliefStudy of core/belief_study.h.
#include "core/belief_study.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/values/lab_error.h"
#include "tasks/belief_study.h"

namespace lab {
namespace {

/// Known figures: a second implementation in double, eight runs of 200 cycles.
struct KnownDecay {
    int cups;
    int percent;  ///< of being mixed
    double log2Norm, entropy, fp32Steps, meanVariation, worstVariation;
};
constexpr std::array<KnownDecay, 4> kDecay{{
    {3, 50, -0.85, 0.86, 175, 0.0004, 0.003},
    {4, 50, -0.85, 0.86, 175, 0.0033, 0.225},
    {5, 50, -0.85, 0.85, 175, 0.0094, 0.189},
    {5, 10, -0.42, 0.43, 355, 0.0038, 0.125},
}};

/// Likewise, medians of 31 bases. In the plain basis: the exponent of the smallest number.
struct KnownHorizon {
    tasks::NumberFormat format;
    int plain, keys, values, both, flushed;
};
constexpr std::array<KnownHorizon, 4> kHorizons{{
    {tasks::NumberFormat::kFp16, 25, 9, 9, 8, 15},
    {tasks::NumberFormat::kBf16, 134, 7, 7, 5, 127},
    {tasks::NumberFormat::kFp32, 150, 23, 22, 19, 127},
    {tasks::NumberFormat::kFp64, 1075, 49, 45, 45, 1023},
}};

StudiedNumber within(double distance, double measured, double expected) {
    return {measured, expected, std::fabs(measured - expected) <= distance};
}

StudiedNumber withinFactorTwo(double measured, double expected) {
    return {measured, expected, measured >= expected / 2 && measured <= expected * 2};
}

void goOn(const BeliefStudyOptions& options, const std::string& line) {
    if (options.stop && options.stop()) {
        throw values::LabError(values::LabError::Kind::kStopped, "the belief study was stopped");
    }
    if (options.progress) {
        options.progress(line);
    }
}

DecayRow decayRow(const KnownDecay& known, const BeliefStudyOptions& options) {
    tasks::DecayRequest request;
    request.cups = known.cups;
    request.probability = tasks::Fraction(known.percent, 100);
    request.runs = options.runs;
    request.seed = options.seed;
    const tasks::DecayMeasurement measured = tasks::measureDecay(request, options.stop);
    goOn(options, std::to_string(known.cups) + " cups mixed with " + std::to_string(known.percent) +
                      " %: measured");
    return {known.cups,
            known.percent / 100.0,
            within(0.03, measured.log2NormPerCycle, known.log2Norm),
            within(0.03, measured.revealEntropyBits, known.entropy),
            within(known.fp32Steps / 17.5, measured.fp32Cycles, known.fp32Steps),
            withinFactorTwo(measured.meanTotalVariation, known.meanVariation),
            withinFactorTwo(measured.worstTotalVariation, known.worstVariation)};
}

void addHorizons(const KnownHorizon& known, const BeliefStudyOptions& options,
                 std::vector<HorizonRow>& rows) {
    struct Column {
        const char* basis;
        tasks::Rotation rotation;
        tasks::Subnormals subnormals;
        int expected;
    };
    const std::string format(tasks::infoOf(known.format).key);
    for (const Column& column :
         {Column{"plain", {}, tasks::Subnormals::kKept, known.plain},
          Column{"keys", {true, false}, tasks::Subnormals::kKept, known.keys},
          Column{"values", {false, true}, tasks::Subnormals::kKept, known.values},
          Column{"both", {true, true}, tasks::Subnormals::kKept, known.both},
          Column{"plain, flushed", {}, tasks::Subnormals::kFlushed, known.flushed}}) {
        const tasks::Horizon horizon = tasks::measureHorizon(
            {known.format, column.subnormals, column.rotation, options.bases, options.seed});
        rows.push_back({format, column.basis, horizon.bases, horizon.least, horizon.most,
                        within(1, horizon.median, column.expected)});
    }
    goOn(options, format + ": measured");
}

}  // namespace

bool BeliefStudy::pass() const {
    const auto good = [](const DecayRow& row) {
        return row.log2NormPerStep.met && row.revealEntropyBits.met && row.fp32Steps.met &&
               row.meanTotalVariation.met && row.worstTotalVariation.met;
    };
    return std::all_of(decay.begin(), decay.end(), good) &&
           std::all_of(horizons.begin(), horizons.end(),
                       [](const HorizonRow& row) { return row.median.met; });
}

BeliefStudy runBeliefStudy(const BeliefStudyOptions& options) {
    BeliefStudy study{options, {}, {}};
    for (const KnownDecay& known : kDecay) {
        study.decay.push_back(decayRow(known, options));
    }
    for (const KnownHorizon& known : kHorizons) {
        addHorizons(known, options, study.horizons);
    }
    return study;
}

}  // namespace lab
