// weights, belief, trace check: judge a file without a model.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/headless/command.h"
#include "app/headless/text_io.h"
#include "core/files.h"

namespace lab::headless {
namespace {

struct FileOptions {
    std::string file;
    bool json = false;
    BeliefOptions belief;
    std::string caseName;
};

std::shared_ptr<FileOptions> addFileOptions(CLI::App& command, const std::string& what) {
    auto options = std::make_shared<FileOptions>();
    command.add_option("file", options->file, what + "; - reads standard input")
        ->type_name("FILE")
        ->required();
    command.add_flag("--json", options->json, "Print JSON");
    return options;
}

TensorListing listingOf(const std::string& file) {
    if (file == "-") {
        return tensorsIn(readInput(file), nameOfInput(file));
    }
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown)) {
        throw Failure(ExitCode::kFailed, file + ": there is no such file");
    }
    return tensorsIn(std::filesystem::path(file));
}

ExitCode printWeights(const FileOptions& options, const TensorListing& listing) {
    Json json{
        {"ok", true}, {"message", ""}, {"tensors", Json::array()}, {"metadata", listing.metadata}};
    std::vector<std::vector<std::string>> rows;
    for (const TensorRow& tensor : listing.tensors) {
        json["tensors"].push_back({{"name", tensor.name},
                                   {"dtype", tensor.dtype},
                                   {"shape", tensor.shape},
                                   {"bytes", tensor.bytes}});
        rows.push_back({tensor.name, tensor.dtype,
                        fmt::format("[{}]", fmt::join(tensor.shape, ", ")),
                        std::to_string(tensor.bytes)});
    }
    if (options.json) {
        printJson(json);
    } else {
        printTable({"name", "dtype", "shape", "bytes"}, rows, 3);
    }
    return ExitCode::kDone;
}

ExitCode weights(const FileOptions& options) {
    try {
        return printWeights(options, listingOf(options.file));
    } catch (const values::LabError& refusal) {
        if (options.json) {
            printJson({{"ok", false},
                       {"message", refusal.what()},
                       {"tensors", Json::array()},
                       {"metadata", Json::object()}});
        }
        throw Failure(ExitCode::kRefused, refusal.what());
    }
}

Json jsonOf(const TranscriptVerdict& verdict) {
    Json steps = Json::array();
    for (const TranscriptStep& step : verdict.steps) {
        Json variables = Json::object();
        for (const auto& [name, value] : step.variables) {
            variables[name] = value;
        }
        steps.push_back({{"line", step.line}, {"variables", variables}});
    }
    return {{"ok", verdict.ok},
            {"line", verdict.ok ? Json() : Json(verdict.line)},
            {"column", verdict.ok ? Json() : Json(verdict.column)},
            {"message", verdict.message},
            {"steps", steps}};
}

ExitCode checkTrace(const FileOptions& options) {
    const TranscriptVerdict verdict = checkTranscript(readInput(options.file));
    const std::string name = nameOfInput(options.file);
    if (options.json) {
        printJson(jsonOf(verdict));
    } else if (verdict.ok) {
        printLine(fmt::format("{}: a valid transcript of {} commands", name, verdict.steps.size()));
    }
    if (!verdict.ok) {
        throw Failure(ExitCode::kRefused, fmt::format("{}:{}:{}: {}", name, verdict.line,
                                                      verdict.column, verdict.message));
    }
    return ExitCode::kDone;
}

/// "p/q" as text, or the number.
Json probability(const std::string& fraction, double number) {
    return fraction.empty() ? Json(number) : Json(fraction);
}

Json jsonOf(const BeliefRow& row, const std::string& caseName) {
    Json json = Json::object();
    if (!caseName.empty()) {
        json["case"] = caseName;
    }
    json["event"] = row.event;
    json["step_probability"] = probability(row.stepFraction, row.stepProbability);
    json["belief"] = row.stepProbability > 0 ? Json::object() : Json();
    for (const StateBelief& state : row.belief) {
        json["belief"][state.state] = probability(state.fraction, state.probability);
    }
    return json;
}

std::string textOf(const std::string& fraction, double number) {
    return fraction.empty() ? fmt::format("{:.6g}", number) : fraction;
}

std::string lineOf(const BeliefRow& row) {
    if (row.stepProbability <= 0) {
        return fmt::format("{}  probability 0: contradicts what was seen before", row.event);
    }
    std::string line = fmt::format("{}  probability {} ", row.event,
                                   textOf(row.stepFraction, row.stepProbability));
    for (const StateBelief& state : row.belief) {
        line += fmt::format("  {}: {}", state.state, textOf(state.fraction, state.probability));
    }
    return line;
}

/// The numbers of the contradictory events, as a message; empty when there is none.
std::string printBelief(const BeliefCase& one, bool json, const std::string& caseName) {
    for (const BeliefRow& row : one.rows) {
        json ? printJson(jsonOf(row, caseName)) : printLine(lineOf(row));
    }
    const bool contradicts = !one.rows.empty() && one.rows.back().stepProbability <= 0;
    return contradicts ? fmt::format("{}event {} ({}) is impossible after those before it",
                                     caseName.empty() ? "" : caseName + ": ", one.rows.size(),
                                     one.rows.back().event)
                       : "";
}

ExitCode belief(const FileOptions& options) {
    const std::string name = nameOfInput(options.file);
    const std::string text = readInput(options.file);
    const auto cases =
        failingWith(ExitCode::kRefused, [&] { return posteriorOf(text, name, options.belief); });
    std::string contradictions;
    bool found = false;
    for (const BeliefCase& one : cases) {
        if (!options.caseName.empty() && one.name != options.caseName) {
            continue;
        }
        found = true;
        if (cases.size() > 1 && !options.json) {
            printLine("# " + one.name);
        }
        const std::string message =
            printBelief(one, options.json, cases.size() > 1 ? one.name : "");
        contradictions += message.empty() ? "" : (contradictions.empty() ? "" : "\n") + message;
    }
    if (!found) {
        throw Failure(ExitCode::kUsage, name + ": has no case called " + options.caseName);
    }
    if (!contradictions.empty()) {
        throw Failure(ExitCode::kRefused, name + ": " + contradictions);
    }
    return ExitCode::kDone;
}

}  // namespace

void addWeights(Program& program) {
    CLI::App& command = addCommand(program.app, "weights", "List the tensors of a safetensors file",
                                   "  thimblerig-cli weights model.safetensors\n"
                                   "  thimblerig-cli weights --json - < model.safetensors\n");
    const auto options = addFileOptions(command, "A safetensors file");
    command.callback(
        [&program, options] { program.action = [options] { return weights(*options); }; });
}

CLI::App& addTrace(Program& program) {
    CLI::App& trace = addCommand(program.app, "trace", "Print example traces, or check one",
                                 "  thimblerig-cli trace --preset first-minute --count 3 --seed 1\n"
                                 "  thimblerig-cli trace check session.txt\n");
    CLI::App& check = addCommand(trace, "check", "Check a Python REPL transcript",
                                 "  thimblerig-cli trace check session.txt\n"
                                 "  thimblerig-cli trace check --json - < session.txt\n");
    const auto options = addFileOptions(check, "A transcript");
    check.callback(
        [&program, options] { program.action = [options] { return checkTrace(*options); }; });
    return trace;
}

void addBelief(Program& program) {
    CLI::App& command =
        addCommand(program.app, "belief", "Print the exact posterior after each event",
                   "  thimblerig-cli belief automaton.json --fractions\n"
                   "  thimblerig-cli belief even.jff --events a,b,a\n"
                   "  thimblerig-cli belief --watching session.txt\n");
    const auto options = addFileOptions(command, "An automaton (JSON, TOML, .jff) or a transcript");
    command.add_flag("--fractions", options->belief.fractions,
                     "Exact fractions instead of numbers");
    command.add_flag("--watching", options->belief.watching,
                     "Transcript: for one who does not see the first values");
    command
        .add_option("--events", options->belief.events,
                    "Automaton: these symbols instead of the file's events")
        ->type_name("A,B,...")
        ->delimiter(',');
    command.add_option("--case", options->caseName, "Only this case of a file with several")
        ->type_name("NAME");
    command.callback(
        [&program, options] { program.action = [options] { return belief(*options); }; });
}

}  // namespace lab::headless
