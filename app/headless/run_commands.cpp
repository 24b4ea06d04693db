// eval, runs list, runs show: recorded runs.
#include <fmt/format.h>

#include "app/headless/command.h"
#include "app/headless/json_of.h"
#include "app/headless/spec_options.h"
#include "core/runs.h"

namespace lab::headless {
namespace {

struct RunOptions {
    std::string run, store;
    std::vector<std::string> lengths;
    bool metrics = false;
    bool json = false;
};

ExitCode evaluateRun(const RunOptions& options) {
    std::vector<values::TraceLength> lengths;
    for (const std::string& length : options.lengths) {
        lengths.push_back(lengthFrom(length));
    }
    const values::RunRecord run = findRun(storeFrom(options.store), options.run);
    const values::ExperimentSpec spec =
        failingWith(ExitCode::kRefused, [&] { return specOf(run); });
    const auto model = failingWith(ExitCode::kRefused, [&] { return loadModel(run); });
    const auto accuracies = evaluate(*model, spec, lengths);
    if (!options.json) {
        printAccuracies(accuracies);
        return ExitCode::kDone;
    }
    Json rows = Json::array();
    for (const values::LengthAccuracy& accuracy : accuracies) {
        rows.push_back(jsonOf(accuracy));
    }
    printJson({{"run", run.id}, {"model", run.model}, {"evaluations", rows}});
    return ExitCode::kDone;
}

ExitCode listAll(const RunOptions& options) {
    const auto runs = listRuns(storeFrom(options.store));
    Json array = Json::array();
    std::vector<std::vector<std::string>> rows;
    for (const values::RunRecord& run : runs) {
        array.push_back(jsonOf(run));
        rows.push_back({run.id, run.name, run.model, run.status,
                        fmt::format("{}/{}", run.step, run.steps), percent(run.accuracy)});
    }
    if (options.json) {
        printJson(array);
    } else if (rows.empty()) {
        say("no runs in " + storeFrom(options.store));
    } else {
        printTable({"run", "experiment", "model", "status", "step", "values"}, rows, 4);
    }
    return ExitCode::kDone;
}

Json metricsOfRun(const std::string& store, const values::RunRecord& run) {
    Json metrics = Json::array();
    for (const values::Metric& metric : metricsOf(store, run.id)) {
        metrics.push_back({{"series", metric.series},
                           {"step", metric.step},
                           {"cpu_s", metric.cpuSeconds},
                           {"value", metric.value}});
    }
    return metrics;
}

ExitCode show(const RunOptions& options) {
    const std::string store = storeFrom(options.store);
    const values::RunRecord run = findRun(store, options.run);
    Json json = jsonOf(run);
    if (options.metrics) {
        json["metrics"] = metricsOfRun(store, run);
    }
    if (options.json) {
        printJson(json);
        return ExitCode::kDone;
    }
    for (const auto& [key, value] : json.items()) {
        if (key != "metrics") {
            printLine(fmt::format("{:<15} {}", key,
                                  value.is_string() ? value.get<std::string>() : value.dump()));
        }
    }
    for (const Json& metric : json.value("metrics", Json::array())) {
        printLine(fmt::format("{} {} {}", metric.at("step").dump(),
                              metric.at("series").get<std::string>(), metric.at("value").dump()));
    }
    return ExitCode::kDone;
}

std::shared_ptr<RunOptions> addRunOptions(CLI::App& command, bool needsRun) {
    auto options = std::make_shared<RunOptions>();
    if (needsRun) {
        command.add_option("run", options->run, "A run, by its id or a unique beginning of it")
            ->type_name("RUN")
            ->required();
    }
    addStoreOption(command, options->store);
    command.add_flag("--json", options->json, "Print JSON");
    return options;
}

}  // namespace

void addEval(Program& program) {
    CLI::App& command = addCommand(program.app, "eval", "Measure the last checkpoint of a run",
                                   "  thimblerig-cli eval 20261201-15\n"
                                   "  thimblerig-cli eval 20261201-15 --length 256,32 --json\n");
    const auto options = addRunOptions(command, true);
    command
        .add_option("--length", options->lengths,
                    "Measure here instead of at the experiment's lengths; repeatable")
        ->type_name("COMMANDS,SPACING")
        ->allow_extra_args(false);
    command.callback(
        [&program, options] { program.action = [options] { return evaluateRun(*options); }; });
}

void addRuns(Program& program) {
    CLI::App& runs = addCommand(program.app, "runs", "List recorded runs, or show one",
                                "  thimblerig-cli runs list\n"
                                "  thimblerig-cli runs show 20261201-15 --json\n");
    runs.require_subcommand(1);
    CLI::App& list = addCommand(runs, "list", "List recorded runs, newest first",
                                "  thimblerig-cli runs list --json\n");
    const auto listOptions = addRunOptions(list, false);
    list.callback([&program, listOptions] {
        program.action = [listOptions] { return listAll(*listOptions); };
    });
    CLI::App& one = addCommand(runs, "show", "Show one run",
                               "  thimblerig-cli runs show 20261201-15 --metrics\n");
    const auto oneOptions = addRunOptions(one, true);
    one.add_flag("--metrics", oneOptions->metrics, "Every recorded point too");
    one.callback(
        [&program, oneOptions] { program.action = [oneOptions] { return show(*oneOptions); }; });
}

}  // namespace lab::headless
