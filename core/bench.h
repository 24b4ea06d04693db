// The measured promises: benchmarks that anybody can run again, each with its goals.
//
// They use presets and budgets in steps, so a slow machine does the same work. Seconds are CPU
// seconds of the training thread (values::Snapshot::cpuSeconds). Nothing is dropped: every seed
// that was asked for is a row.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lab {

struct BenchOptions {
    int seeds = 10;          ///< trainings: seeds 1..seeds
    int samples = 21;        ///< timings of each implementation, interleaved
    int parallel = 1;        ///< trainings at once, each on a thread whose own CPU is measured
    std::int64_t steps = 0;  ///< trainings: this budget instead of the preset's; 0: the preset's
    std::string model;       ///< trainings: only models whose name contains this; empty: all
    std::vector<std::string> ops;  ///< roofline: these operations; empty: all
    int threads = 1;               ///< roofline: of the kernels
    /// A line for a person who waits; called from the calling thread or a training thread, one at a
    /// time.
    std::function<void(const std::string& line)> progress;
    std::function<bool()> stop;  ///< asked once a step; true: LabError{kStopped}
};

using BenchValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<double>>;
using BenchRow = std::vector<std::pair<std::string, BenchValue>>;  ///< in the order to be shown

struct BenchGoal {
    std::string goal;      ///< in words, with its number
    std::string measured;  ///< in words
    bool met = false;
};

struct BenchReport {
    std::string bench;
    std::vector<BenchGoal> goals;
    std::vector<BenchRow> rows;
    bool pass = false;  ///< every goal is met
};

struct BenchInfo {
    std::string name, summary;
};
/// What runBench knows.
[[nodiscard]] std::vector<BenchInfo> benches();

/// LabError{kInvalidInput} for a name that is not in benches(); it lists them.
///   first-minute   rows {seed, range, steps, cpu_s, cpu_s_to_99_at_4x, acc_1x, acc_2x, acc_4x}
///   word-problems  rows {preset, seed, steps, cpu_s, cpu_s_to_99, acc_1x, acc_2x, acc_4x}
///   step           rows {impl, median_ms, samples_ms, loss}
///   roofline       rows {op, shape, pass, threads, isa, variant, ms, gflops, bound, share}, and
///   one
///                  "ceilings" an instruction set
///   NAME of a preset: as first-minute with {seed, model, ...}, without goals
[[nodiscard]] BenchReport runBench(std::string_view name, const BenchOptions& options);

/// One operation of the kernels at one shape, by wall clock.
struct OpRequest {
    std::string op;                                   ///< e.g. "delta"; see benchOps
    int batch = 32, steps = 64, heads = 4, dim = 32;  ///< the model's width is heads * dim
    std::string pass = "fwd_bwd";                     ///< or "fwd"; "step" of the whole steps
    int threads = 1, samples = 21;
};
struct OpTiming {
    OpRequest request;
    double medianMs = 0;
    std::vector<double> samplesMs;
    double relativeError = 0;  ///< largest of output and gradients against float64, short sequence
    double productsMs = 0;     ///< whole steps: the median of their matrix products alone
    std::string variant;       ///< of the kernel that ran
};
[[nodiscard]] std::vector<std::string> benchOps();
/// LabError{kInvalidInput} when the operation, the pass or the shape does not exist.
[[nodiscard]] OpTiming timeOp(const OpRequest& request);
/// One line {"op", "shape": {"B","T","H","D"}, "pass", "threads", "median_ms", "samples_ms",
/// "rel_err", "variant", "impl": "lab"}, and "products_ms" for a whole step.
[[nodiscard]] std::string toJson(const OpTiming& timing);

/// One object {"bench", "goals", "rows", "pass"}. A value that does not exist is null.
[[nodiscard]] std::string toJson(const BenchReport& report);
/// Plain text with aligned columns, then the goals.
[[nodiscard]] std::string toTable(const BenchReport& report);

}  // namespace lab
