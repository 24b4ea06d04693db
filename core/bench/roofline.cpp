#include "core/bench/roofline.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>

#include "core/bench/op_case.h"
#include "core/values/lab_error.h"
#include "kernels/peaks.h"
#include "kernels/thread_pool.h"

namespace lab::bench {
namespace {

using kernels::Isa;
using values::LabError;

constexpr double kLeastShare = 0.30;
constexpr std::int64_t kMostTokens = 1 << 13;
constexpr std::int64_t kProbeRounds = 20'000;

struct Goal {
    Isa isa;
    double share;  ///< geometric mean
};
constexpr std::array kGoals{Goal{Isa::kAvx512, 0.55}, Goal{Isa::kAvx2, 0.50}};

std::vector<LabShape> grid() {
    std::vector<LabShape> shapes;
    for (const int batch : {32, 128, 512}) {
        for (const int steps : {16, 64, 256}) {
            for (const auto& [heads, dim] : {std::pair{8, 16}, {4, 32}, {2, 64}}) {
                if (std::int64_t{batch} * steps <= kMostTokens) {
                    shapes.push_back({batch, steps, heads, dim});
                }
            }
        }
    }
    return shapes;
}

std::vector<OpEntry> chosenOps(const std::vector<std::string>& names) {
    std::vector<OpEntry> all = everyOp(), chosen;
    for (const std::string& name : names) {
        const auto found = std::ranges::find(all, name, &OpEntry::name);
        if (found == all.end()) {
            throw LabError(LabError::Kind::kInvalidInput,
                           fmt::format("there is no operation '{}' in the roofline", name));
        }
        chosen.push_back(*found);
    }
    return names.empty() ? all : chosen;
}

/// Least seconds of a benchmark's repetitions, by its name.
class Collector : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type == Run::RT_Iteration && run.iterations > 0) {
                const double seconds =
                    run.real_accumulated_time / static_cast<double>(run.iterations);
                auto& least =
                    m_seconds.try_emplace(run.run_name.function_name, seconds).first->second;
                least = std::min(least, seconds);
            }
        }
    }
    [[nodiscard]] double seconds(const std::string& name) const { return m_seconds.at(name); }

private:
    std::map<std::string, double> m_seconds;
};

void registerRun(const std::string& name, int repetitions, const std::function<void()>& run) {
    benchmark::RegisterBenchmark(name.c_str(),
                                 [run](benchmark::State& state) {
                                     for (auto _ : state) {
                                         run();
                                     }
                                 })
        ->UseRealTime()
        ->MinTime(0.004)
        ->Repetitions(repetitions);
}

template <class Work>
double secondsOf(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The ceilings of one instruction set on some threads; they only rise during a run.
class Ceilings {
public:
    Ceilings(Isa isa, const kernels::Exec& exec) : m_isa(isa), m_exec(exec) {
        for (int repeat = 0; repeat < 5; ++repeat) {
            probeExponentials();
            for (std::size_t bytes = kLeastBytes; bytes <= kMostBytes; bytes *= 4) {
                probeCopy(bytes);
            }
        }
    }
    void sawFlops(double perSecond) { m_flops = std::max(m_flops, perSecond); }
    [[nodiscard]] double flops() const { return m_flops; }
    [[nodiscard]] double exponentials() const { return m_exps; }
    /// Rate of a copy with at least this traffic, or of the largest.
    [[nodiscard]] double bytes(double traffic) const {
        const auto found = m_copies.lower_bound(static_cast<std::size_t>(traffic));
        return found == m_copies.end() ? m_copies.rbegin()->second : found->second;
    }
    struct Bound {
        double seconds;
        const char* by;
    };
    [[nodiscard]] Bound boundOf(const kernels::Cost& cost) const {
        const Bound bounds[] = {{cost.flops / m_flops, "multiply-add"},
                                {cost.bytes / bytes(cost.bytes), "bytes"},
                                {cost.exps / m_exps, "exponential"}};
        return *std::ranges::max_element(bounds, {}, &Bound::seconds);
    }

private:
    static constexpr std::size_t kLeastBytes = std::size_t{1} << 14U;
    static constexpr std::size_t kMostBytes = std::size_t{1} << 28U;

    void probeExponentials() {
        double done = 0;
        const double seconds =
            secondsOf([&] { done = kernels::spinExponentials(200, m_isa, m_exec); });
        m_exps = std::max(m_exps, done / seconds);
    }
    void probeCopy(std::size_t traffic) {
        const std::size_t count = traffic / (2 * sizeof(float));
        std::vector<float> from(count, 1.0F), to(count);
        const auto copy = [&] {
            return kernels::streamCopy(from.data(), to.data(), static_cast<std::int64_t>(count),
                                       m_isa, m_exec);
        };
        double done = copy();
        const int rounds = static_cast<int>(std::max<std::size_t>(1, (1U << 22U) / traffic));
        done = 0;
        const double seconds = secondsOf([&] {
            for (int i = 0; i < rounds; ++i) {
                done += copy();
            }
        });
        double& best = m_copies[traffic];
        best = std::max(best, done / seconds);
    }

    Isa m_isa;
    kernels::Exec m_exec;
    double m_flops = 0, m_exps = 0;
    std::map<std::size_t, double> m_copies;
};

struct Cell {
    std::string op, variant;
    LabShape shape;
    bool backward = false;
    kernels::Cost cost;
    double seconds = 0;
};

double geometricMean(const std::vector<double>& shares) {
    double logs = 0;
    for (const double share : shares) {
        logs += std::log(share);
    }
    return shares.empty() ? 0 : std::exp(logs / static_cast<double>(shares.size()));
}

/// One operation at one shape, forward and backward, interleaved with the probe.
void measure(const OpEntry& entry, const LabShape& shape, Isa isa, const kernels::Exec& exec,
             int repetitions, Ceilings& ceilings, std::vector<Cell>& cells) {
    const auto op = entry.make(shape, isa);
    op->forward(exec, true);
    op->backward(exec);
    benchmark::ClearRegisteredBenchmarks();
    registerRun("fwd", repetitions, [&] { op->forward(exec, true); });
    const bool hasBackward = op->cost(true).flops > 0;
    if (hasBackward) {
        registerRun("bwd", repetitions, [&] { op->backward(exec); });
    }
    double probed = 0;
    registerRun("probe", repetitions,
                [&] { probed = kernels::spinMultiplyAdds(kProbeRounds, isa, exec); });
    Collector collector;
    (void)benchmark::RunSpecifiedBenchmarks(&collector);
    ceilings.sawFlops(probed / collector.seconds("probe"));
    for (const bool backward : {false, true}) {
        if (backward && !hasBackward) {
            continue;
        }
        const double seconds = collector.seconds(backward ? "bwd" : "fwd");
        cells.push_back({entry.name, op->variant(), shape, backward, op->cost(backward), seconds});
        if (entry.name == "gemm") {
            ceilings.sawFlops(op->cost(backward).flops / seconds);
        }
    }
}

std::vector<BenchGoal> goalsOf(const Goal& goal,
                               const std::map<std::string, std::vector<double>>& shares) {
    const char* const isa = kernels::nameOf(goal.isa);
    std::vector<double> all;
    std::pair<std::string, double> least{"", HUGE_VAL};
    for (const auto& [op, own] : shares) {
        all.insert(all.end(), own.begin(), own.end());
        if (const double mean = geometricMean(own); mean < least.second) {
            least = {op, mean};
        }
    }
    const double mean = geometricMean(all);
    return {{fmt::format("{}: at least {:.0f} % of the roofline, geometric mean", isa,
                         100 * goal.share),
             fmt::format("{:.1f} %", 100 * mean), mean >= goal.share},
            {fmt::format("{}: no operation below {:.0f} %", isa, 100 * kLeastShare),
             fmt::format("least {:.1f} % ({})", 100 * least.second, least.first),
             least.second >= kLeastShare}};
}

void runIsa(const Goal& goal, const BenchOptions& options, BenchReport& report) {
    kernels::ThreadPool pool(options.threads);
    const kernels::Exec exec = pool.exec();
    if (kernels::spinMultiplyAdds(1, goal.isa, exec) == 0.0) {
        report.goals.push_back({fmt::format("{}: at least {:.0f} % of the roofline",
                                            kernels::nameOf(goal.isa), 100 * goal.share),
                                "not run: this machine or build has no such instructions", false});
        return;
    }
    Ceilings ceilings(goal.isa, exec);
    std::vector<Cell> cells;
    for (const OpEntry& entry : chosenOps(options.ops)) {
        if (options.progress) {
            options.progress(fmt::format("{} {}", kernels::nameOf(goal.isa), entry.name));
        }
        for (const LabShape& shape : grid()) {
            if (options.stop && options.stop()) {
                throw LabError(LabError::Kind::kStopped, "stopped");
            }
            measure(entry, shape, goal.isa, exec, options.samples, ceilings, cells);
        }
    }
    std::map<std::string, std::vector<double>> shares;
    for (const Cell& cell : cells) {
        const auto bound = ceilings.boundOf(cell.cost);
        const double share = bound.seconds / cell.seconds;
        shares[cell.op].push_back(share);
        report.rows.push_back(
            {{"op", cell.op},
             {"shape", fmt::format("{}:{}:{}:{}", cell.shape.batch, cell.shape.steps,
                                   cell.shape.heads, cell.shape.dim)},
             {"pass", std::string(cell.backward ? "bwd" : "fwd")},
             {"threads", std::int64_t{options.threads}},
             {"isa", std::string(kernels::nameOf(goal.isa))},
             {"variant", cell.variant},
             {"ms", 1e3 * cell.seconds},
             {"gflops", 1e-9 * cell.cost.flops / cell.seconds},
             {"bound", std::string(bound.by)},
             {"share", share}});
    }
    report.rows.push_back({{"op", std::string("ceilings")},
                           {"threads", std::int64_t{options.threads}},
                           {"isa", std::string(kernels::nameOf(goal.isa))},
                           {"gflops", 1e-9 * ceilings.flops()},
                           {"gexps", 1e-9 * ceilings.exponentials()},
                           {"gbytes_64k", 1e-9 * ceilings.bytes(1 << 16)},
                           {"gbytes_1m", 1e-9 * ceilings.bytes(1 << 20)},
                           {"gbytes_16m", 1e-9 * ceilings.bytes(1 << 24)},
                           {"gbytes_256m", 1e-9 * ceilings.bytes(1 << 28)}});
    std::ranges::move(goalsOf(goal, shares), std::back_inserter(report.goals));
}

}  // namespace

BenchReport roofline(const BenchOptions& options) {
    BenchReport report;
    report.bench = "roofline";
    std::array<std::string, 2> texts{"roofline", "--benchmark_enable_random_interleaving=true"};
    std::array<char*, 2> words{texts[0].data(), texts[1].data()};
    int count = static_cast<int>(words.size());
    benchmark::Initialize(&count, words.data());
    for (const Goal& goal : kGoals) {
        runIsa(goal, options, report);
    }
    benchmark::ClearRegisteredBenchmarks();
    report.pass = std::ranges::all_of(report.goals, &BenchGoal::met);
    return report;
}

}  // namespace lab::bench
