#include "core/bench/step_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "core/bench/op_case.h"
#include "core/catalog.h"
#include "core/training/trainer.h"
#include "core/values/lab_error.h"

namespace lab::bench {
namespace {

using models::DeltaImplementation;

constexpr int kUncounted = 2;
constexpr double kLoopGoal = 10, kBestGoal = 2.5, kLossTolerance = 1e-4;

struct Implementation {
    std::string_view name;
    DeltaImplementation kind;
};
constexpr std::array kImplementations{
    Implementation{"kernel", DeltaImplementation::kKernel},
    Implementation{"loop-matmul", DeltaImplementation::kLoopMatmul},
    Implementation{"loop-sum", DeltaImplementation::kLoopSum},
    Implementation{"chunk-16", DeltaImplementation::kChunk16},
    Implementation{"chunk-32", DeltaImplementation::kChunk32},
    Implementation{"chunk-64", DeltaImplementation::kChunk64},
};

struct Contestant {
    std::unique_ptr<training::Trainer> trainer;
    std::vector<double> ms, losses;

    [[nodiscard]] double median() const { return medianOf(ms); }
};

values::ExperimentSpec stepSpec() {
    auto spec = values::onlyModel(preset("first-minute"), 0);
    spec.training.stages = {spec.training.stages.back()};
    return spec;
}

void oneRound(std::vector<Contestant>& contestants, bool counted) {
    const auto start = contestants.front().trainer->checkpoint();
    for (auto& contestant : contestants) {
        contestant.trainer->restore(start);
        const auto report = contestant.trainer->step();
        if (counted) {
            contestant.ms.push_back(1e3 * report.cpuSeconds);
            contestant.losses.push_back(report.loss);
        }
    }
}

/// Largest relative difference of a loss from ours, over all rounds.
double lossError(const std::vector<Contestant>& contestants) {
    double worst = 0;
    const auto& ours = contestants.front().losses;
    for (const auto& contestant : contestants) {
        for (std::size_t i = 0; i < ours.size(); ++i) {
            worst = std::max(worst, std::abs(contestant.losses[i] / ours[i] - 1));
        }
    }
    return worst;
}

BenchReport reportOf(const std::vector<Contestant>& contestants) {
    BenchReport report;
    report.bench = "step";
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        report.rows.push_back({{"impl", std::string(kImplementations[i].name)},
                               {"median_ms", contestants[i].median()},
                               {"samples_ms", contestants[i].ms},
                               {"loss", contestants[i].losses.back()}});
    }
    const double ours = contestants[0].median();
    const double loop = std::min(contestants[1].median(), contestants[2].median()) / ours;
    const double chunk =
        std::min({contestants[3].median(), contestants[4].median(), contestants[5].median()}) /
        ours;
    const double best = std::min(loop, chunk);
    const double error = lossError(contestants);
    report.goals = {
        {fmt::format("at least {} times as fast as the faster token loop", kLoopGoal),
         fmt::format("{:.2f} times", loop), loop >= kLoopGoal},
        {fmt::format("at least {} times as fast as the best of loop and chunks", kBestGoal),
         fmt::format("{:.2f} times", best), best >= kBestGoal},
        {fmt::format("the same loss to {}", kLossTolerance),
         fmt::format("largest relative difference {:.1e}", error), error <= kLossTolerance},
    };
    report.pass = std::ranges::all_of(report.goals, &BenchGoal::met);
    return report;
}

}  // namespace

BenchReport stepBench(const BenchOptions& options) {
    std::vector<Contestant> contestants;
    for (const auto& implementation : kImplementations) {
        contestants.push_back(
            {std::make_unique<training::Trainer>(stepSpec(), implementation.kind), {}, {}});
    }
    for (int round = 0; round < kUncounted + options.samples; ++round) {
        if (options.stop && options.stop()) {
            throw values::LabError(values::LabError::Kind::kStopped, "stopped");
        }
        oneRound(contestants, round >= kUncounted);
        if (options.progress) {
            options.progress(
                fmt::format("round {} of {}", round + 1, kUncounted + options.samples));
        }
    }
    return reportOf(contestants);
}

}  // namespace lab::bench
