#include "core/catalog.h"

#include <algorithm>
#include <string>

#include "core/data/task_factory.h"
#include "core/models/registry.h"
#include "core/models/sequence_model.h"
#include "core/preset_texts.h"
#include "core/storage/spec_toml.h"
#include "core/values/lab_error.h"
#include "tasks/group.h"
#include "tasks/permutation.h"
#include "tasks/rng.h"
#include "tasks/shortcut_ceiling.h"

namespace lab {
namespace {

using values::LabError;

/// FLOPs and state of a Transformer grow with the trace; the designers show them at this length.
constexpr std::int64_t kTypicalSteps = 256;
constexpr int kMostCeilings = 16;

void requireSound(const values::ExperimentSpec& spec, std::string_view prefix) {
    for (const auto& problem : values::problemsIn(spec)) {
        if (problem.field.starts_with(prefix)) {
            throw LabError(LabError::Kind::kInvalidInput, problem.field + " " + problem.text);
        }
    }
}

double statesOf(const values::TaskSpec& task) {
    double states = 1;
    for (int i = 1; i <= task.variables; ++i) {
        states *= task.distinctValues ? i : task.variables;
    }
    return states;
}

/// A(n,R) from R = 0 until remembering more would no longer show.
std::vector<double> ceilingsOf(int variables) {
    std::vector<double> ceilings;
    do {
        ceilings.push_back(tasks::shortcutCeiling(variables, static_cast<int>(ceilings.size())));
    } while (ceilings.back() < 0.9995 && ceilings.size() <= kMostCeilings);
    return ceilings;
}

}  // namespace

std::vector<values::ArchitectureRow> architectures() {
    std::vector<values::ArchitectureRow> rows;
    for (const auto& architecture : models::architectureTable()) {
        rows.push_back({std::string(architecture.key), std::string(architecture.title),
                        std::string(architecture.summary)});
    }
    return rows;
}

std::vector<values::PresetRow> presets() {
    std::vector<values::PresetRow> rows;
    for (const auto& [key, text] : presetTexts()) {
        const auto spec = preset(key);
        rows.push_back({std::string(key), spec.name, spec.note});
    }
    return rows;
}

values::ExperimentSpec preset(std::string_view key) {
    std::string known;
    for (const auto& candidate : presetTexts()) {
        if (candidate.key == key) {
            return storage::fromToml(candidate.text, "preset " + std::string(key));
        }
        known += (known.empty() ? "" : ", ") + std::string(candidate.key);
    }
    throw LabError(LabError::Kind::kInvalidInput,
                   "there is no preset \"" + std::string(key) + "\"; there are " + known);
}

values::TaskFacts factsOf(const values::ExperimentSpec& spec) {
    requireSound(spec, "task");
    const auto task = data::makeTask(spec.task);
    values::TaskFacts facts;
    facts.inputTokens = task->inputCount();
    facts.outputTokens = task->outputCount();
    facts.chance = task->chance();
    if (spec.task.kind == values::TaskKind::kReplTrace) {
        facts.states = statesOf(spec.task);
        facts.commutative = spec.task.variables <= 2;  // every command set generates all of S_n
        facts.solvable = spec.task.variables <= 4;
        facts.ceilings = ceilingsOf(spec.task.variables);
    } else {
        const auto group = tasks::Group::named(spec.task.group).value();
        facts.states = group.order();
        facts.commutative = group.isCommutative();
        facts.solvable = group.isSolvable();
    }
    auto lengths = spec.training.stages;
    lengths.insert(lengths.end(), spec.evaluation.lengths.begin(), spec.evaluation.lengths.end());
    for (const auto length : lengths) {
        facts.lengths.push_back({length, task->tokensIn(data::lengthOf(length)),
                                 task->revealsIn(data::lengthOf(length))});
    }
    return facts;
}

values::ModelFacts factsOf(const values::ModelSpec& model, const values::TaskSpec& task) {
    values::ExperimentSpec spec;
    spec.task = task;
    spec.models = {model};
    requireSound(spec, "task");
    requireSound(spec, "models");
    const auto made = data::makeTask(task);
    models::ModelConfig config;
    config.spec = model;
    config.inputs = made->inputCount();
    config.outputs = made->outputCount();
    config.shapesOnly = true;
    const auto network = models::makeModel(config);
    return {network->parameterCount(), network->flopsPerToken(kTypicalSteps),
            network->stateNumbers(kTypicalSteps), network->kernelName()};
}

std::string sampleText(const values::TaskSpec& task, values::TraceLength length,
                       std::uint64_t seed) {
    const auto made = data::makeTask(task);
    tasks::Rng rng(seed, tasks::Stream::kDemonstration);
    return made->text(made->sample(rng, data::lengthOf(length)));
}

std::string toToml(const values::ExperimentSpec& spec, std::string_view keepFrom) {
    return storage::toToml(spec, keepFrom);
}

values::ExperimentSpec fromToml(std::string_view text, std::string_view source) {
    return storage::fromToml(text, source);
}

std::string_view version() {
    return LAB_VERSION;
}

}  // namespace lab
