// The fields of an experiment and their keys, once: the reader and the writer both walk them.
//
// `visit(spec, visitor)` calls visitor(key, field) for every plain field in the order of the
// struct.
#pragma once

#include "core/values/experiment_spec.h"

namespace lab::storage {

template <class Visitor>
void visitHead(values::ExperimentSpec& spec, Visitor& visitor) {
    visitor("name", spec.name);
    visitor("note", spec.note);
    visitor("seed", spec.seed);
}

template <class Visitor>
void visit(values::TaskSpec& task, Visitor& visitor) {
    visitor("kind", task.kind);
    visitor("variables", task.variables);
    visitor("commands", task.commands);
    visitor("reveal", task.reveal);
    visitor("fixed_variable", task.fixedVariable);
    visitor("first_print", task.firstPrint);
    visitor("distinct_values", task.distinctValues);
    visitor("group", task.group);
}

template <class Visitor>
void visit(values::ModelSpec& model, Visitor& visitor) {
    visitor("name", model.name);
    visitor("architecture", model.architecture);
    visitor("width", model.width);
    visitor("layers", model.layers);
    visitor("heads", model.heads);
    visitor("mlp", model.mlp);
    visitor("negative_eigenvalues", model.negativeEigenvalues);
    visitor("householders", model.householders);
    visitor("beta_slope", model.betaSlope);
    visitor("key_activation", model.keyActivation);
    visitor("conv_width", model.convWidth);
    visitor("gate", model.gate);
    visitor("norm_epsilon", model.normEpsilon);
    visitor("state_size", model.stateSize);
    visitor("position", model.position);
    visitor("max_steps", model.maxSteps);
    visitor("steps", model.steps);
}

template <class Visitor>
void visit(values::TrainingSpec& training, Visitor& visitor) {
    visitor("steps", training.steps);
    visitor("tokens_per_batch", training.tokensPerBatch);
    visitor("learning_rate", training.learningRate);
    visitor("warmup_steps", training.warmupSteps);
    visitor("decay_from", training.decayFrom);
    visitor("final_rate", training.finalRate);
    visitor("beta1", training.beta1);
    visitor("beta2", training.beta2);
    visitor("weight_decay", training.weightDecay);
    visitor("clip_norm", training.clipNorm);
    visitor("value_weight", training.valueWeight);
    visitor("other_weight", training.otherWeight);
    visitor("stages", training.stages);
    visitor("adaptive_stages", training.adaptiveStages);
    visitor("stage_accuracy", training.stageAccuracy);
    visitor("stage_min_steps", training.stageMinSteps);
    visitor("evaluate_every", training.evaluateEvery);
    visitor("checkpoint_every", training.checkpointEvery);
    visitor("stop_accuracy", training.stopAccuracy);
    visitor("threads", training.threads);
    visitor("device", training.device);
}

template <class Visitor>
void visit(values::EvaluationSpec& evaluation, Visitor& visitor) {
    visitor("lengths", evaluation.lengths);
    visitor("traces", evaluation.traces);
    visitor("seed", evaluation.seed);
}

}  // namespace lab::storage
