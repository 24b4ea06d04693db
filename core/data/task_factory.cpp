#include "core/data/task_factory.h"

#include "core/values/lab_error.h"
#include "tasks/repl_trace.h"
#include "tasks/word_problem.h"

namespace lab::data {
namespace {

tasks::Generators generatorsOf(values::CommandSet commands) {
    switch (commands) {
        case values::CommandSet::kSwaps: return tasks::Generators::kSwaps;
        case values::CommandSet::kAdjacentSwaps: return tasks::Generators::kAdjacentSwaps;
        case values::CommandSet::kThreePoints: return tasks::Generators::kThreePoints;
        case values::CommandSet::kPermutations: break;
    }
    return tasks::Generators::kPermutations;
}

tasks::RevealPolicy policyOf(values::RevealPolicy policy) {
    switch (policy) {
        case values::RevealPolicy::kUniform: return tasks::RevealPolicy::kUniform;
        case values::RevealPolicy::kRoundRobin: return tasks::RevealPolicy::kRoundRobin;
        case values::RevealPolicy::kFixed: break;
    }
    return tasks::RevealPolicy::kFixed;
}

[[noreturn]] void refuse(const std::string& message) {
    throw values::LabError(values::LabError::Kind::kInvalidInput, message);
}

/// Refuses what the designer would refuse.
void check(const values::TaskSpec& task) {
    values::ExperimentSpec spec;
    spec.task = task;
    for (const values::Problem& problem : values::problemsIn(spec)) {
        refuse(problem.field + " " + problem.text);
    }
}

tasks::ReplSettings replSettingsOf(const values::TaskSpec& spec) {
    tasks::ReplSettings settings;
    settings.variables = spec.variables;
    settings.commands = generatorsOf(spec.commands);
    settings.reveal = policyOf(spec.reveal);
    settings.fixedVariable = spec.fixedVariable;
    settings.firstPrint = spec.firstPrint;
    settings.distinctValues = spec.distinctValues;
    return settings;
}

std::unique_ptr<tasks::Task> makeWordProblem(const values::TaskSpec& spec) {
    const std::string problem = tasks::Group::problemWith(spec.group);
    if (!problem.empty()) {  // such as a product with too many elements
        refuse("task.group is \"" + spec.group + "\": " + problem);
    }
    return std::make_unique<tasks::WordProblem>(
        tasks::WordProblemSettings{spec.group, generatorsOf(spec.commands)});
}

}  // namespace

std::unique_ptr<tasks::Task> makeTask(const values::TaskSpec& spec) {
    check(spec);
    if (spec.kind == values::TaskKind::kWordProblem) {
        return makeWordProblem(spec);
    }
    return std::make_unique<tasks::ReplTask>(replSettingsOf(spec));
}

tasks::Length lengthOf(values::TraceLength length) noexcept {
    return {length.commands, length.spacing};
}

}  // namespace lab::data
