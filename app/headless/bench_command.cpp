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
    bool quiet = false;
    bool json = false;
};

std::string listOfBenches() {
    std::string list = "\nBenchmarks:\n";
    for (const BenchInfo& bench : benches()) {
        list += fmt::format("  {:<20} {}\n", bench.name, bench.summary);
    }
    return list;
}

ExitCode measure(const BenchCommand& command) {
    BenchOptions options = command.options;
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
    app.add_flag("--quiet", command->quiet, "No progress");
    app.add_flag("--json", command->json, "Print JSON");
    app.callback([&program, command] { program.action = [command] { return measure(*command); }; });
}

}  // namespace lab::headless
