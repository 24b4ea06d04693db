// train: one run for each model of an experiment.
#include <fmt/format.h>

#include <charconv>
#include <thread>

#include "app/headless/command.h"
#include "app/headless/json_of.h"
#include "app/headless/spec_options.h"
#include "app/headless/stop_signal.h"
#include "app/headless/train_progress.h"
#include "core/runs.h"
#include "core/session.h"

namespace lab::headless {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(20);

struct TrainOptions {
    std::shared_ptr<SpecOptions> spec;
    std::optional<std::int64_t> steps;
    std::string model = "all";
    std::string store;
    bool noStore = false;
    std::string resume;
    bool json = false;
    bool quiet = false;
};

struct Ended {
    values::Snapshot last;
    std::string runId;
};

Ended trainOne(const values::ExperimentSpec& spec, const Session::Options& where, bool quiet) {
    Session session(spec, where);
    TrainProgress progress(values::displayName(spec.models.front()), quiet);
    values::Snapshot last;
    const auto look = [&] {
        progress.show(session.events().takeAll());
        static_cast<void>(session.metrics().takeAll());  // recorded by the session; here unused
        if (const auto snapshot = session.snapshots().take()) {
            last = *snapshot;
            progress.show(last);
        }
    };
    session.start();
    bool asked = false;
    while (!values::hasEnded(last.state)) {
        if (stopRequested() && !asked) {
            asked = true;
            session.requestStop();
        }
        std::this_thread::sleep_for(kPoll);
        look();
    }
    session.wait();
    look();
    return {last, session.runId()};
}

Json resultOf(const values::ExperimentSpec& spec, const Ended& ended, const std::string& folder) {
    Json evaluations = Json::array();
    for (const values::LengthAccuracy& accuracy : ended.last.evaluations) {
        evaluations.push_back(jsonOf(accuracy));
    }
    const bool recorded = !ended.runId.empty();
    return {{"run", recorded ? Json(ended.runId) : Json()},
            {"name", spec.name},
            {"model", values::displayName(spec.models.front())},
            {"status", nameOf(ended.last.state)},
            {"seed", spec.seed},
            {"step", ended.last.step},
            {"steps", ended.last.steps},
            {"tokens", ended.last.tokens},
            {"cpu_s", ended.last.cpuSeconds},
            {"loss", ended.last.loss},
            {"loss_by_kind", byKind(ended.last.lossByKind)},
            {"accuracy_by_kind", byKind(ended.last.accuracyByKind)},
            {"evaluations", evaluations},
            {"folder", recorded ? Json(folder) : Json()},
            {"message", ended.last.message}};
}

ExitCode codeOf(values::RunState state) {
    switch (state) {
        case values::RunState::kFinished: return ExitCode::kDone;
        case values::RunState::kStopped: return ExitCode::kStopped;
        case values::RunState::kDiverged: return ExitCode::kDiverged;
        default: return ExitCode::kFailed;
    }
}

void report(const values::ExperimentSpec& spec, const Ended& ended, const TrainOptions& options,
            const Session::Options& where) {
    const std::string folder = ended.runId.empty() ? "" : findRun(where.store, ended.runId).folder;
    if (options.json) {
        return printJson(resultOf(spec, ended, folder));
    }
    printLine(fmt::format("{}: {} at step {} after {:.1f} s of training",
                          values::displayName(spec.models.front()), nameOf(ended.last.state),
                          ended.last.step, ended.last.cpuSeconds));
    printAccuracies(ended.last.evaluations);
    if (!folder.empty()) {
        printLine("run " + ended.runId + " in " + folder);
    }
}

/// Says why a run did not finish, and how to go on.
void explain(const Ended& ended) {
    if (ended.last.state == values::RunState::kFinished) {
        return;
    }
    if (!ended.last.message.empty()) {
        say("thimblerig-cli: " + ended.last.message);
    }
    if (ended.last.state == values::RunState::kStopped && !ended.runId.empty()) {
        say("thimblerig-cli: go on with: thimblerig-cli train --resume " + ended.runId);
    }
}

/// The models to train, by number.
std::vector<int> chosen(const TrainOptions& options, const values::ExperimentSpec& spec) {
    const int count = static_cast<int>(spec.models.size());
    std::vector<int> models;
    if (options.model == "all") {
        for (int i = 0; i < count; ++i) {
            models.push_back(i);
        }
        return models;
    }
    int index = -1;
    const char* const end = options.model.data() + options.model.size();
    const auto [stop, error] = std::from_chars(options.model.data(), end, index);
    if (error != std::errc() || stop != end || index < 0 || index >= count) {
        throw Failure(ExitCode::kUsage,
                      fmt::format("--model is {}, must be all or a number from 0 to {}",
                                  options.model, count - 1));
    }
    return {index};
}

values::ExperimentSpec experimentFor(const TrainOptions& options, const std::string& store) {
    const bool named = !options.spec->file.empty() || !options.spec->preset.empty();
    values::ExperimentSpec spec;
    if (options.resume.empty()) {
        spec = specFrom(*options.spec);
    } else if (named || options.noStore || options.spec->seed) {
        throw Failure(ExitCode::kUsage,
                      "--resume goes on with a recorded run: no experiment, --seed or --no-store");
    } else {
        spec = changed(specOf(findRun(store, options.resume)), *options.spec);
    }
    if (options.steps) {
        spec.training.steps = *options.steps;
        for (auto& model : spec.models) {
            model.steps = 0;
        }
    }
    for (const values::Problem& problem : values::problemsIn(spec)) {
        throw Failure(ExitCode::kUsage, problem.field + " " + problem.text);
    }
    return spec;
}

ExitCode train(const TrainOptions& options) {
    const std::string store = storeFrom(options.store);
    const values::ExperimentSpec spec = experimentFor(options, store);
    Session::Options where;
    where.store = options.noStore ? "" : store;
    where.resumeRunId = options.resume.empty() ? "" : findRun(store, options.resume).id;
    heedStopSignals();
    ExitCode worst = ExitCode::kDone;
    for (const int index : chosen(options, spec)) {
        const values::ExperimentSpec one = values::onlyModel(spec, index);
        const Ended ended = trainOne(one, where, options.quiet);
        report(one, ended, options, where);
        explain(ended);
        const ExitCode code = codeOf(ended.last.state);
        worst = worst == ExitCode::kDone ? code : worst;
        if (code == ExitCode::kStopped) {
            return code;  // the person does not want the next model either
        }
    }
    return worst;
}

}  // namespace

void addTrain(Program& program) {
    CLI::App& command =
        addCommand(program.app, "train", "Train the models of an experiment",
                   "  thimblerig-cli train --preset first-minute\n"
                   "  thimblerig-cli train my.toml --seed 7 --set training.steps=500 --json\n"
                   "  thimblerig-cli train --resume 20261201-15\n");
    auto options = std::make_shared<TrainOptions>();
    options->spec = addSpecOptions(command);
    command.add_option("--steps", options->steps, "Optimiser steps, instead of training.steps");
    command.add_option("--model", options->model, "Number of one model from 0, or all")
        ->type_name("INDEX|all")
        ->capture_default_str();
    addStoreOption(command, options->store);
    command.add_flag("--no-store", options->noStore, "Record nothing");
    command.add_option("--resume", options->resume, "Go on from a run's last checkpoint")
        ->type_name("RUN");
    command.add_flag("--quiet", options->quiet, "No progress");
    command.add_flag("--json", options->json, "Print JSON, one line a run");
    command.callback(
        [&program, options] { program.action = [options] { return train(*options); }; });
}

}  // namespace lab::headless
