// thimblerig-cli: the lab without a screen. Commands and field names are documented in docs/cli.md.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <memory>

#include "app/headless/command.h"
#include "app/headless/text_io.h"
#include "core/values/lab_error.h"

namespace lab::headless {
namespace {

/// Help that starts with examples, which the footer holds.
class ExamplesFirst : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        return app->get_footer() + CLI::Formatter::make_help(app, std::move(name), mode);
    }
    std::string make_footer(const CLI::App*) const override { return ""; }
};

ExitCode exitCodeOf(values::LabError::Kind kind) {
    switch (kind) {
        case values::LabError::Kind::kDevice: return ExitCode::kNoDevice;
        case values::LabError::Kind::kDiverged: return ExitCode::kDiverged;
        case values::LabError::Kind::kStopped: return ExitCode::kStopped;
        case values::LabError::Kind::kInvalidInput: break;
    }
    return ExitCode::kFailed;
}

ExitCode complain(ExitCode code, const std::string& message) {
    say("thimblerig-cli: " + message);
    return code;
}

void describe(Program& program) {
    CLI::App& app = program.app;
    app.formatter(std::make_shared<ExamplesFirst>());
    app.footer(
        "Examples:\n"
        "  thimblerig-cli train --preset first-minute\n"
        "  thimblerig-cli trace --preset first-minute --count 3 --seed 1\n"
        "  thimblerig-cli runs list --json\n"
        "  thimblerig-cli weights model.safetensors\n\n");
    app.set_version_flag("--version", "thimblerig-cli " LAB_VERSION);
    app.require_subcommand(1);
    addCoreCommands(program);
    addTraceSampling(program, addTrace(program));
    addBelief(program);
    addWeights(program);
}

ExitCode run(int argc, char** argv) {
    Program program;
    describe(program);
    try {
        program.app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = program.app.exit(error);  // prints help, version or what is wrong
        return code == 0 ? ExitCode::kDone : ExitCode::kUsage;
    }
    prepareCore();
    try {
        return program.action();
    } catch (const Failure& failure) {
        return complain(failure.code(), failure.what());
    } catch (const values::LabError& error) {
        return complain(exitCodeOf(error.kind()), error.what());
    } catch (const std::exception& error) {
        return complain(ExitCode::kFailed, error.what());
    }
}

}  // namespace

CLI::App& addCommand(CLI::App& parent, const std::string& name, const std::string& summary,
                     const std::string& examples) {
    CLI::App& command = *parent.add_subcommand(name, summary);
    command.footer("Examples:\n" + examples + "\n");
    return command;
}

}  // namespace lab::headless

int main(int argc, char** argv) {
    using lab::headless::ExitCode;
    ExitCode code = ExitCode::kFailed;
    try {
        code = lab::headless::run(argc, argv);
    } catch (const std::exception& error) {  // a faulty definition of the command line
        std::fputs(error.what(), stderr);
    }
    if (std::fflush(stdout) != 0 && code == ExitCode::kDone) {
        lab::headless::say("thimblerig-cli: standard output cannot be written");
        code = ExitCode::kFailed;
    }
    return static_cast<int>(code);
}
