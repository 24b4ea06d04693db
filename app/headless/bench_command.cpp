// bench: the measured promises of the lab.
#include <fmt/format.h>

#include "app/headless/command.h"
#include "app/headless/stop_signal.h"
#include "app/headless/text_io.h"
#include "core/bench.h"

namespace lab::headless {
namespace {

struct BenchCommand {
    std::string name;
    BenchOptions options;
    OpRequest op;
    std::vector<int> shape{32, 64, 4, 32};
    bool quiet = false;
    bool json = false;
};

std::string listOfBenches() {
    std::string list = "\nBenchmarks:\n";
    for (const BenchInfo& bench : benches()) {
        list += fmt::format("  {:<20} {}\n", bench.name, bench.summary);
    }
    return list + fmt::format("  {:<20} {}\n", kBeliefStudy, kBeliefStudySummary);
}

/// `bench op`: one line, for programs that compare.
ExitCode measureOp(const BenchCommand& command) {
    OpRequest request = command.op;
    request.batch = command.shape.at(0);
    request.steps = command.shape.at(1);
    request.heads = command.shape.at(2);
    request.dim = command.shape.at(3);
    request.samples = command.options.samples;
    const OpTiming timing = failingWith(ExitCode::kUsage, [&] { return timeOp(request); });
    printText(command.json
                  ? toJson(timing) + "\n"
                  : fmt::format("{} {}  {:.4g} ms  error {:.1e}  {}\n", request.op, request.pass,
                                timing.medianMs, timing.relativeError, timing.variant));
    return ExitCode::kDone;
}

ExitCode measure(const BenchCommand& command) {
    if (command.name == "op") {
        return measureOp(command);
    }
    if (command.name == kBeliefStudy) {
        heedStopSignals();
        return measureBeliefStudy(command.json, command.quiet, [] { return stopRequested(); });
    }
    BenchOptions options = command.options;
    options.threads = command.op.threads;
    options.stop = [] { return stopRequested(); };
    if (!command.quiet) {
        options.progress = [](const std::string& line) { say(line); };
    }
    heedStopSignals();
    const BenchReport report =
        failingWith(ExitCode::kUsage, [&] { return runBench(command.name, options); });
    printText(command.json ? toJson(report) : toTable(report));
    return report.pass ? ExitCode::kDone : ExitCode::kRefused;
}

}  // namespace

void addBench(Program& program) {
    CLI::App& app = addCommand(program.app, "bench", "Run a benchmark and judge its goals",
                               "  thimblerig-cli bench first-minute --seeds 10 --json\n"
                               "  thimblerig-cli bench step\n" +
                                   listOfBenches());
    auto command = std::make_shared<BenchCommand>();
    BenchOptions& options = command->options;
    app.add_option("name", command->name, "The benchmark")->type_name("NAME")->required();
    app.add_option("--seeds", options.seeds, "Trainings: the seeds 1 to K")
        ->type_name("K")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    app.add_option("--samples", options.samples, "Timings of each implementation")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    app.add_option("--parallel", options.parallel, "Trainings at once")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    app.add_option("--steps", options.steps, "Trainings: steps instead of the preset's")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}));
    app.add_option("--model", options.model, "Trainings: only models whose name contains this")
        ->type_name("TEXT");
    app.add_option("--ops", options.ops, "roofline: only these operations")
        ->type_name("NAME,..")
        ->delimiter(',');
    app.add_option("--op", command->op.op, "op: the operation")
        ->type_name("NAME")
        ->capture_default_str();
    app.add_option("--shape", command->shape, "op: batch, tokens, heads, width of a head")
        ->type_name("B,T,H,D")
        ->delimiter(',')
        ->expected(4)
        ->capture_default_str();
    app.add_option("--pass", command->op.pass, "op: fwd, fwd_bwd, or step")->capture_default_str();
    app.add_option("--threads", command->op.threads, "op, roofline: threads")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    app.add_flag("--quiet", command->quiet, "No progress");
    app.add_flag("--json", command->json, "Print JSON");
    app.callback([&program, command] { program.action = [command] { return measure(*command); }; });
}

}  // namespace lab::headless
