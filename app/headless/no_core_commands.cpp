// A build without LibTorch judges files and trains nothing.
#include <memory>

#include "app/headless/command.h"

namespace lab::headless {
namespace {

struct BeliefBench {
    std::string name;
    bool json = false;
    bool quiet = false;
};

void addBeliefBench(Program& program) {
    CLI::App& app = addCommand(program.app, "bench", "Run a benchmark and judge its goals",
                               "  thimblerig-cli bench belief-study --json\n");
    auto options = std::make_shared<BeliefBench>();
    app.add_option("name", options->name, "The benchmark")
        ->type_name("NAME")
        ->required()
        ->check(CLI::IsMember({std::string(kBeliefStudy)}));
    app.add_flag("--quiet", options->quiet, "No progress");
    app.add_flag("--json", options->json, "Print JSON");
    app.callback([&program, options] {
        program.action = [options] { return measureBeliefStudy(options->json, options->quiet); };
    });
}

}  // namespace

void addCoreCommands(Program& program) {
    program.app.description(program.app.get_description() +
                            ".\nThis build has no LibTorch: train, eval, runs, doctor, trace "
                            "sampling and every bench but belief-study are missing");
    addBeliefBench(program);
}

void prepareCore() noexcept {}

void addTraceSampling(Program&, CLI::App& trace) {
    trace.require_subcommand(1);
}

}  // namespace lab::headless
