#include "app/pages/recipe_fields.h"

#include <QCoreApplication>

#include "app/pages/spec_form.h"
#include "app/pages/spec_text.h"

namespace lab::app {
namespace {

using values::ExperimentSpec;
using widgets::FieldText;

QString tr(const char* text) {
    return QCoreApplication::translate("RecipeFields", text);
}

FieldText text(const char* path, const QString& label, const QString& help = {},
               const QString& unit = {}) {
    return {.path = QString::fromLatin1(path), .label = label, .unit = unit, .help = help};
}

const ExperimentSpec& standard() {
    static const ExperimentSpec kStandard;
    return kStandard;
}

constexpr int kMany = 100'000'000;

}  // namespace

void addTaskFields(widgets::Form& form, SpecForm& binder) {
    form.addSection(tr("Experiment"));
    addText(
        form, binder, text("name", tr("Name")), tr("untitled"),
        [](ExperimentSpec & s) -> auto& { return s.name; });
    addInteger(
        form, binder,
        text("seed", tr("Seed"), tr("Names the run: weights and every batch follow from it")), 0,
        kMany, 1, [](ExperimentSpec & s) -> auto& { return s.seed; });
    form.addSection(tr("Task"));
    addChoice(
        form, binder, text("task.kind", tr("Family")),
        {tr("REPL trace of a shell game"), tr("word problem in a group")}, 0,
        [](ExperimentSpec & s) -> auto& { return s.task.kind; });
    addInteger(
        form, binder, text("task.variables", tr("Cups"), tr("Variables of the session")), 2, 8,
        standard().task.variables, [](ExperimentSpec & s) -> auto& { return s.task.variables; });
    addText(
        form, binder,
        text("task.group", tr("Group"), tr("S2 to S8, A5, Z2 to Z120, or a product such as A5xZ2")),
        QString::fromStdString(standard().task.group),
        [](ExperimentSpec & s) -> auto& { return s.task.group; });
    addChoice(
        form, binder,
        text("task.commands", tr("Commands"), tr("What one command may do to the cups")),
        {commandsText(values::CommandSet::kSwaps), commandsText(values::CommandSet::kAdjacentSwaps),
         commandsText(values::CommandSet::kThreePoints),
         commandsText(values::CommandSet::kPermutations)},
        0, [](ExperimentSpec & s) -> auto& { return s.task.commands; });
    addChoice(
        form, binder, text("task.reveal", tr("Prints show"), tr("Which variable a print reveals")),
        {tr("any variable, uniformly"), tr("one after the other"), tr("always the same")}, 0,
        [](ExperimentSpec & s) -> auto& { return s.task.reveal; });
    addInteger(
        form, binder, text("task.fixed_variable", tr("The same one"), tr("Counted from 0: 0 is a")),
        0, 7, 0, [](ExperimentSpec & s) -> auto& { return s.task.fixedVariable; });
    addCheck(
        form, binder,
        text("task.first_print", tr("Print first"), tr("One print before the first command")),
        standard().task.firstPrint, [](ExperimentSpec & s) -> auto& { return s.task.firstPrint; });
    addCheck(
        form, binder,
        text("task.distinct_values", tr("Distinct values"),
             tr("Off: each value is drawn alone, so values may repeat")),
        standard().task.distinctValues,
        [](ExperimentSpec & s) -> auto& { return s.task.distinctValues; });
}

void addCurriculumFields(widgets::Form& form, SpecForm& binder) {
    form.addSection(tr("Curriculum"),
                    tr("Without short traces first, nothing is learnt on most tasks."));
    addLengths(
        form, binder,
        text("training.stages", tr("Stages"),
             tr("Commands and spacing of the training traces, in order")),
        standard().training.stages, [](ExperimentSpec & s) -> auto& { return s.training.stages; });
    addCheck(
        form, binder,
        text("training.adaptive_stages", tr("Adaptive"),
             tr("On: the next stage begins when this one is learnt; off: equal shares")),
        true, [](ExperimentSpec & s) -> auto& { return s.training.adaptiveStages; });
    addNumber(
        form, binder,
        text("training.stage_accuracy", tr("Learnt at"),
             tr("Running mean of the value accuracy that ends a stage")),
        0, 1, standard().training.stageAccuracy,
        [](ExperimentSpec & s) -> auto& { return s.training.stageAccuracy; });
    addInteger(
        form, binder, text("training.stage_min_steps", tr("At least"), {}, tr("steps")), 0,
        1'000'000, standard().training.stageMinSteps,
        [](ExperimentSpec & s) -> auto& { return s.training.stageMinSteps; });
}

void addOptimiserFields(widgets::Form& form, SpecForm& binder) {
    form.addSection(tr("Training"));
    addInteger(
        form, binder, text("training.steps", tr("Budget"), {}, tr("steps")), 1, kMany,
        static_cast<int>(standard().training.steps),
        [](ExperimentSpec & s) -> auto& { return s.training.steps; });
    addInteger(
        form, binder,
        text("training.tokens_per_batch", tr("Batch"), tr("Never fewer than four traces"),
             tr("tokens")),
        1, 10'000'000, standard().training.tokensPerBatch,
        [](ExperimentSpec & s) -> auto& { return s.training.tokensPerBatch; });
    addNumber(
        form, binder, text("training.learning_rate", tr("Learning rate"), tr("The peak")), 1e-9, 10,
        standard().training.learningRate,
        [](ExperimentSpec & s) -> auto& { return s.training.learningRate; });
    addInteger(
        form, binder, text("training.warmup_steps", tr("Warm-up"), {}, tr("steps")), 0, 1'000'000,
        standard().training.warmupSteps,
        [](ExperimentSpec & s) -> auto& { return s.training.warmupSteps; });
    addNumber(
        form, binder,
        text("training.decay_from", tr("Decay from"),
             tr("Fraction of the budget at which the cosine begins; 1: never")),
        0, 1, standard().training.decayFrom,
        [](ExperimentSpec & s) -> auto& { return s.training.decayFrom; });
    addNumber(
        form, binder,
        text("training.final_rate", tr("Final rate"), tr("As a fraction of the peak")), 0, 1,
        standard().training.finalRate,
        [](ExperimentSpec & s) -> auto& { return s.training.finalRate; });
    addNumber(
        form, binder,
        text("training.value_weight", tr("Weight of values"),
             tr("Loss weight of the values that prints show")),
        0, 1000, standard().training.valueWeight,
        [](ExperimentSpec & s) -> auto& { return s.training.valueWeight; });
    addNumber(
        form, binder,
        text("training.other_weight", tr("Weight of the rest"),
             tr("Loss weight of every other next token")),
        0, 1000, standard().training.otherWeight,
        [](ExperimentSpec & s) -> auto& { return s.training.otherWeight; });
    addNumber(
        form, binder, text("training.weight_decay", tr("Weight decay"), tr("On matrices only")), 0,
        1, standard().training.weightDecay,
        [](ExperimentSpec & s) -> auto& { return s.training.weightDecay; });
    addNumber(
        form, binder,
        text("training.clip_norm", tr("Clip gradients at"), tr("Global norm; 0: off")), 0, 1e6,
        standard().training.clipNorm,
        [](ExperimentSpec & s) -> auto& { return s.training.clipNorm; });
    addChoice(
        form, binder, text("training.device", tr("Device")), {tr("CPU"), tr("CUDA")}, 0,
        [](ExperimentSpec & s) -> auto& { return s.training.device; });
}

void addEvaluationFields(widgets::Form& form, SpecForm& binder) {
    form.addSection(tr("Evaluation"), tr("Fixed traces, apart from the training seed."));
    addLengths(
        form, binder,
        text("evaluation.lengths", tr("Lengths"),
             tr("The first should be the trained one, the last the hardest")),
        standard().evaluation.lengths,
        [](ExperimentSpec & s) -> auto& { return s.evaluation.lengths; });
    addInteger(
        form, binder, text("evaluation.traces", tr("Traces"), tr("For each length")), 1, 100'000,
        standard().evaluation.traces,
        [](ExperimentSpec & s) -> auto& { return s.evaluation.traces; });
    addInteger(
        form, binder, text("training.evaluate_every", tr("Every"), {}, tr("steps")), 1, kMany,
        static_cast<int>(standard().training.evaluateEvery),
        [](ExperimentSpec & s) -> auto& { return s.training.evaluateEvery; });
    addNumber(
        form, binder,
        text("training.stop_accuracy", tr("Stop early at"),
             tr("Two evaluations in a row at the last length; 0: never")),
        0, 1, standard().training.stopAccuracy,
        [](ExperimentSpec & s) -> auto& { return s.training.stopAccuracy; });
}

}  // namespace lab::app
