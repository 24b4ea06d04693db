#include "app/headless/json_of.h"

#include <fmt/format.h>

#include <cmath>

#include "app/headless/spec_options.h"

namespace lab::headless {

std::string_view nameOf(values::RunState state) {
    switch (state) {
        case values::RunState::kWaiting: return "waiting";
        case values::RunState::kRunning: return "running";
        case values::RunState::kPaused: return "paused";
        case values::RunState::kFinished: return "finished";
        case values::RunState::kStopped: return "stopped";
        case values::RunState::kDiverged: return "diverged";
        case values::RunState::kFailed: break;
    }
    return "failed";
}

Json jsonOf(values::TraceLength length) {
    return {{"commands", length.commands}, {"spacing", length.spacing}};
}

Json jsonOf(const values::LengthAccuracy& accuracy) {
    return {{"length", jsonOf(accuracy.length)},
            {"value_accuracy", accuracy.value},
            {"whole_trace_accuracy", accuracy.wholeTrace},
            {"loss", accuracy.loss},
            {"value_accuracy_by_reveal", accuracy.byReveal}};
}

Json jsonOf(const values::RunRecord& run) {
    return {{"run", run.id},
            {"name", run.name},
            {"model", run.model},
            {"status", run.status},
            {"created", run.created},
            {"updated", run.updated},
            {"seed", run.seed},
            {"step", run.step},
            {"steps", run.steps},
            {"cpu_s", run.cpuSeconds},
            {"loss", run.loss},
            {"value_accuracy", run.accuracy < 0 ? Json() : Json(run.accuracy)},
            {"folder", run.folder},
            {"message", run.message}};
}

Json byKind(const std::array<double, values::kTokenKindCount>& numbers) {
    Json json = Json::object();
    for (std::size_t kind = 0; kind < numbers.size(); ++kind) {
        json[std::string(values::kTokenKindNames[kind])] = numbers[kind];
    }
    return json;
}

std::string percent(double fraction) {
    return std::isnan(fraction) || fraction < 0 ? "-" : fmt::format("{:.2f} %", 100 * fraction);
}

void printAccuracies(const std::vector<values::LengthAccuracy>& accuracies) {
    std::vector<std::vector<std::string>> rows;
    for (const values::LengthAccuracy& accuracy : accuracies) {
        rows.push_back({nameOf(accuracy.length), percent(accuracy.value),
                        percent(accuracy.wholeTrace), fmt::format("{:.4f}", accuracy.loss)});
    }
    printTable({"commands,spacing", "values", "whole traces", "loss (nats)"}, rows);
}

}  // namespace lab::headless
