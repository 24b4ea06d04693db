// What every command of thimblerig-cli shares: exit codes, failures, and how a command is run.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/values/lab_error.h"

namespace lab::headless {

/// What the shell sees. Stable; documented in docs/cli.md.
enum class ExitCode {
    kDone = 0,
    kFailed = 1,
    kUsage = 2,     ///< the command line itself is wrong
    kDiverged = 3,  ///< training produced a number that is not finite
    kNoDevice = 4,
    kStopped = 5,  ///< by the user
    kRefused = 6,  ///< a check failed, or a file is not what it should be
};

/// Ends the program with a code and a message for standard error.
class Failure : public std::runtime_error {
public:
    Failure(ExitCode code, const std::string& message)
        : std::runtime_error(message), m_code(code) {}
    [[nodiscard]] ExitCode code() const noexcept { return m_code; }

private:
    ExitCode m_code;
};

/// The command line: parsing chooses the action, main runs it.
struct Program {
    CLI::App app{"Thimblerig, a lab for state tracking in sequence models", "thimblerig-cli"};
    std::function<ExitCode()> action;
};

/// Runs `work`; a LabError{kInvalidInput} in it becomes a Failure with `code`.
template <class Work>
auto failingWith(ExitCode code, Work&& work) {
    try {
        return std::forward<Work>(work)();
    } catch (const values::LabError& error) {
        if (error.kind() == values::LabError::Kind::kInvalidInput) {
            throw Failure(code, error.what());
        }
        throw;
    }
}

/// A subcommand whose help starts with `examples`, one a line.
CLI::App& addCommand(CLI::App& parent, const std::string& name, const std::string& summary,
                     const std::string& examples);

// One function a group of commands. Each adds its subcommands and their options.
void addTrain(Program& program);
void addEval(Program& program);
void addRuns(Program& program);
void addBench(Program& program);
void addDoctor(Program& program);
/// Adds `trace` with `check`, and returns `trace`.
CLI::App& addTrace(Program& program);
void addBelief(Program& program);
void addWeights(Program& program);

/// `bench belief-study`, which needs no models; kRefused when a figure is missed.
ExitCode measureBeliefStudy(bool json, bool quiet, std::function<bool()> stop = {});
constexpr const char* kBeliefStudy = "belief-study";
constexpr const char* kBeliefStudySummary =
    "what linear trackers of a belief lose, in every number format";

// What needs core's models; a build without LibTorch has stand-ins.
void addCoreCommands(Program& program);
/// Once, before a command runs: how memory is kept for tensors.
void prepareCore() noexcept;
void addTraceSampling(Program& program, CLI::App& trace);

}  // namespace lab::headless
