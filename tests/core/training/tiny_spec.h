// An experiment that trains in a fraction of a second, for the tests of training and of the door.
#pragma once

#include "core/values/experiment_spec.h"

namespace lab::testing {

/// Swaps of three cups, a DeltaNet with two heads of width 8; forty steps in two stages.
inline values::ExperimentSpec tinySpec() {
    values::ExperimentSpec spec;
    spec.name = "tiny";
    spec.seed = 7;
    spec.models.front().width = 16;
    spec.models.front().heads = 2;
    spec.training.steps = 40;
    spec.training.tokensPerBatch = 200;
    spec.training.warmupSteps = 5;
    spec.training.stages = {{2, 1}, {4, 2}};
    spec.training.adaptiveStages = false;
    spec.training.evaluateEvery = 10;
    spec.training.checkpointEvery = 15;
    spec.evaluation.lengths = {{2, 1}, {4, 2}};
    spec.evaluation.traces = 8;
    return spec;
}

}  // namespace lab::testing
