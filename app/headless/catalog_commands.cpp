// trace, doctor, and the list of everything that needs core's models.
#include <fmt/format.h>

#include "app/headless/command.h"
#include "app/headless/json_of.h"
#include "app/headless/spec_options.h"
#include "core/catalog.h"
#include "core/session.h"

namespace lab::headless {
namespace {

struct TraceOptions {
    std::shared_ptr<SpecOptions> spec;
    int count = 1;
    std::string length;
    bool json = false;
};

/// Trace number i has the seed of the experiment plus i.
ExitCode sample(const TraceOptions& options) {
    const values::ExperimentSpec spec = specFrom(*options.spec);
    const values::TraceLength length =
        options.length.empty() ? spec.training.stages.back() : lengthFrom(options.length);
    for (int i = 0; i < options.count; ++i) {
        const std::uint64_t seed = spec.seed + static_cast<std::uint64_t>(i);
        const std::string text = sampleText(spec.task, length, seed);
        if (options.json) {
            printJson({{"index", i}, {"seed", seed}, {"length", jsonOf(length)}, {"text", text}});
        } else {
            printText((i == 0 ? "" : "\n") + text);
        }
    }
    return ExitCode::kDone;
}

ExitCode examine(bool asJson) {
    Json checks = Json::array();
    for (const DoctorLine& line : doctor()) {
        checks.push_back({{"key", line.key}, {"value", line.value}, {"good", line.good}});
        if (!asJson) {
            printLine(fmt::format("{} {:<16} {}", line.good ? "ok     " : "missing", line.key,
                                  line.value));
        }
    }
    if (asJson) {
        printJson({{"version", version()}, {"checks", checks}});
    }
    return ExitCode::kDone;
}

}  // namespace

void addTraceSampling(Program& program, CLI::App& trace) {
    auto options = std::make_shared<TraceOptions>();
    options->spec = addSpecOptions(trace);
    trace.add_option("--count", options->count, "How many traces")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    trace
        .add_option("--length", options->length,
                    "Commands and commands a print; else the last training stage")
        ->type_name("COMMANDS,SPACING");
    trace.add_flag("--json", options->json, "Print JSON, one line a trace");
    trace.callback([&program, &trace, options] {
        if (trace.get_subcommands().empty()) {
            program.action = [options] { return sample(*options); };
        }
    });
}

void addDoctor(Program& program) {
    CLI::App& command =
        addCommand(program.app, "doctor", "Say what this machine and this build have",
                   "  thimblerig-cli doctor --json\n");
    auto json = std::make_shared<bool>(false);
    command.add_flag("--json", *json, "Print JSON");
    command.callback([&program, json] { program.action = [json] { return examine(*json); }; });
}

void prepareCore() noexcept {
    tuneAllocator();
}

void addCoreCommands(Program& program) {
    addTrain(program);
    addEval(program);
    addRuns(program);
    addBench(program);
    addDoctor(program);
}

}  // namespace lab::headless
