// A build without LibTorch judges files and trains nothing.
#include "app/headless/command.h"

namespace lab::headless {

void addCoreCommands(Program& program) {
    program.app.description(program.app.get_description() +
                            ".\nThis build has no LibTorch: train, eval, runs, bench, doctor and "
                            "trace sampling are missing");
}

void prepareCore() noexcept {}

void addTraceSampling(Program&, CLI::App& trace) {
    trace.require_subcommand(1);
}

}  // namespace lab::headless
