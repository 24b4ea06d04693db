#include "core/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/bench/roofline.h"
#include "core/bench/step_bench.h"
#include "core/bench/trainings.h"
#include "core/catalog.h"
#include "core/values/lab_error.h"

namespace lab {
namespace {

using bench::Training;

/// The accuracy at the evaluation length of that number; null when there are fewer.
BenchValue accuracyAt(const Training& training, std::size_t length) {
    return length < training.final.size() ? BenchValue(training.final[length].value) : BenchValue();
}

void appendAccuracies(BenchRow& row, const Training& training) {
    row.emplace_back("acc_1x", accuracyAt(training, 0));
    row.emplace_back("acc_2x", accuracyAt(training, 1));
    row.emplace_back("acc_4x", accuracyAt(training, 2));
}

/// "n of m seeds", met when at least nine of ten are good.
BenchGoal nineOfTen(std::string goal, const std::vector<Training>& trainings,
                    bool (*good)(const Training&), std::vector<double> measured) {
    const auto count = std::ranges::count_if(trainings, good);
    const auto all = static_cast<std::ptrdiff_t>(trainings.size());
    return {std::move(goal),
            fmt::format("{} of {} seeds ({})", count, all, bench::spread(std::move(measured))),
            all > 0 && 10 * count >= 9 * all};
}

BenchReport finished(BenchReport report) {
    report.pass = std::ranges::all_of(report.goals, &BenchGoal::met);
    return report;
}

/// ---- first-minute

constexpr double kFirstMinuteSeconds = 15;

std::vector<BenchGoal> firstMinuteGoals(const std::vector<Training>& trainings) {
    std::vector<Training> wide, narrow;
    std::vector<double> seconds, at4x, at1x;
    for (const auto& training : trainings) {
        (training.negativeEigenvalues ? wide : narrow).push_back(training);
        if (training.negativeEigenvalues) {
            seconds.push_back(training.cpuSecondsTo99.back());
        } else {
            at1x.push_back(training.final.front().value);
            at4x.push_back(training.final.back().value);
        }
    }
    std::vector<BenchGoal> goals;
    if (!wide.empty()) {
        goals.push_back(nineOfTen(
            "[-1,1] reaches 99 % at 4x length and spacing within 15 CPU seconds", wide,
            [](const Training& one) { return one.cpuSecondsTo99.back() <= kFirstMinuteSeconds; },
            seconds));
    }
    if (!narrow.empty()) {
        const auto high = [](const Training& one) { return one.final.front().value >= 0.9; };
        const auto low = [](const Training& one) { return one.final.back().value <= 0.5; };
        goals.push_back(
            nineOfTen("[0,1] has at least 90 % at the trained length", narrow, high, at1x));
        goals.push_back(nineOfTen("[0,1] has at most 50 % at 4x", narrow, low, at4x));
    }
    return goals;
}

BenchReport firstMinute(const BenchOptions& options) {
    BenchReport report;
    report.bench = "first-minute";
    const auto trainings = bench::trainAll("first-minute", options);
    for (const auto& training : trainings) {
        BenchRow row{{"seed", static_cast<std::int64_t>(training.seed)},
                     {"range", std::string(training.negativeEigenvalues ? "[-1,1]" : "[0,1]")},
                     {"steps", training.steps},
                     {"cpu_s", training.cpuSeconds},
                     {"cpu_s_to_99_at_4x", training.cpuSecondsTo99.back()}};
        appendAccuracies(row, training);
        report.rows.push_back(std::move(row));
    }
    report.goals = firstMinuteGoals(trainings);
    return finished(std::move(report));
}

/// ---- word-problems and every preset by its name

BenchRow presetRow(const Training& training) {
    BenchRow row{{"preset", training.preset},
                 {"model", training.model},
                 {"seed", static_cast<std::int64_t>(training.seed)},
                 {"steps", training.steps},
                 {"cpu_s", training.cpuSeconds},
                 {"cpu_s_to_99", training.cpuSecondsTo99.front()},
                 {"cpu_s_to_99_at_4x", training.cpuSecondsTo99.back()}};
    appendAccuracies(row, training);
    return row;
}

template <int kSeconds>
BenchGoal wordGoal(const std::string& name, const std::vector<Training>& trainings) {
    std::vector<double> seconds;
    for (const auto& training : trainings) {
        seconds.push_back(training.cpuSecondsTo99.front());
    }
    return nineOfTen(
        fmt::format("{} reaches 99 % at the trained length within {} CPU seconds", name, kSeconds),
        trainings, [](const Training& one) { return one.cpuSecondsTo99.front() <= kSeconds; },
        seconds);
}

BenchReport wordProblems(const BenchOptions& options) {
    BenchReport report;
    report.bench = "word-problems";
    const auto small = bench::trainAll("word-swaps-s3", options);
    const auto large = bench::trainAll("word-swaps-s5", options);
    for (const auto* trainings : {&small, &large}) {
        std::ranges::transform(*trainings, std::back_inserter(report.rows), presetRow);
    }
    report.goals = {wordGoal<3>("S3", small), wordGoal<6>("S5", large)};
    return finished(std::move(report));
}

BenchReport trainPreset(std::string_view preset, const BenchOptions& options) {
    BenchReport report;
    report.bench = preset;
    const auto trainings = bench::trainAll(preset, options);
    std::ranges::transform(trainings, std::back_inserter(report.rows), presetRow);
    return finished(std::move(report));
}

struct Bench {
    BenchInfo info;
    BenchReport (*run)(const BenchOptions&);
};

const std::vector<Bench>& table() {
    static const std::vector<Bench> all{
        {{"first-minute", "both eigenvalue ranges of the preset first-minute over seeds"},
         &firstMinute},
        {{"word-problems", "the presets word-swaps-s3 and word-swaps-s5 over seeds"},
         &wordProblems},
        {{"step", "one training step: our kernels against LibTorch's plain operators"},
         &bench::stepBench},
        {{"roofline", "every operation of the kernels against what this machine can do at most"},
         &bench::roofline},
    };
    return all;
}

}  // namespace

std::vector<BenchInfo> benches() {
    std::vector<BenchInfo> infos;
    std::ranges::transform(table(), std::back_inserter(infos), &Bench::info);
    for (const auto& row : presets()) {
        if (row.key != "first-minute") {
            infos.push_back({row.key, "the preset over seeds, without goals"});
        }
    }
    return infos;
}

BenchReport runBench(std::string_view name, const BenchOptions& options) {
    for (const auto& bench : table()) {
        if (bench.info.name == name) {
            return bench.run(options);
        }
    }
    std::string known;
    for (const auto& info : benches()) {
        if (info.name == name) {
            return trainPreset(name, options);
        }
        known += (known.empty() ? "" : ", ") + info.name;
    }
    throw values::LabError(values::LabError::Kind::kInvalidInput,
                           "there is no bench \"" + std::string(name) + "\"; there are " + known);
}

}  // namespace lab
