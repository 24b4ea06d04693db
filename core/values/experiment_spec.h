// Everything a person designs: task, models, training, evaluation. Two equal specs give the same
// weights.
//
// Written to and read from TOML by core/storage/spec_toml.h. Enumerations are written by the names
// in experiment_spec.cpp; `namesOf` lists them for forms and messages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lab::values {

enum class TaskKind { kReplTrace, kWordProblem };
/// What one command of a REPL trace may do, and the generating set of a word problem over S_n.
enum class CommandSet { kSwaps, kAdjacentSwaps, kThreePoints, kPermutations };
/// Which variable a print reveals.
enum class RevealPolicy { kUniform, kRoundRobin, kFixed };

struct TaskSpec {
    TaskKind kind = TaskKind::kReplTrace;
    int variables = 3;  ///< REPL trace: names and cups, 2..8
    CommandSet commands = CommandSet::kSwaps;
    RevealPolicy reveal = RevealPolicy::kUniform;
    int fixedVariable = 0;       ///< the variable that kFixed reveals, counted from 0
    bool firstPrint = false;     ///< REPL trace: one print before the first command
    bool distinctValues = true;  ///< false: each value drawn alone, so values may repeat
    std::string group = "S3";  ///< word problem: S2..S8, A5, Z2..Z120, or a product such as "A5xZ2"
    bool operator==(const TaskSpec&) const = default;
};

/// How long a trace is. REPL: `commands` state changes, a print after every `spacing`-th of them.
/// Word problem: `commands` tokens; spacing is ignored.
struct TraceLength {
    int commands = 8;
    int spacing = 1;
    bool operator==(const TraceLength&) const = default;
};

enum class KeyActivation { kNone, kSilu };
enum class PositionCode { kRotary, kLearned, kNone };

struct ModelSpec {
    std::string name;                        ///< shown beside curves; empty: made from the settings
    std::string architecture = "delta_net";  ///< key in core/models/registry.cpp
    int width = 64;
    int layers = 1;
    int heads = 4;     ///< of delta_net, transformer, gla: width / heads wide; mamba2: twice that
    bool mlp = false;  ///< a gated MLP (SwiGLU) of hidden width 8/3 * width after each mixer
    // delta_net
    bool negativeEigenvalues =
        true;                ///< true: beta in [0,2], eigenvalues in [-1,1]; false: [0,1] both
    int householders = 1;    ///< n_h, steps per token, 1..4
    double betaSlope = 4.0;  ///< beta = range * sigmoid(slope * (x + bias))
    KeyActivation keyActivation = KeyActivation::kNone;
    int convWidth = 4;  ///< short causal convolution (mamba, mamba2 too); 0: none
    bool gate = false;  ///< one decay in (0,1) per head and token
    double normEpsilon = 1e-5;
    int stateSize = 16;  ///< mamba: states a channel; mamba2: rows of a head's matrix
    // transformer
    PositionCode position = PositionCode::kRotary;
    int maxSteps = 4096;  ///< kLearned: rows of the position table
    std::int64_t steps =
        0;  ///< a budget of optimiser steps for this model alone; 0: training.steps
    bool operator==(const ModelSpec&) const = default;
};

enum class Device { kCpu, kCuda };

struct TrainingSpec {
    std::int64_t steps = 3000;  ///< optimiser steps
    int tokensPerBatch = 2000;  ///< a batch has max(4, tokensPerBatch / tokens in a trace) traces
    double learningRate = 1e-2;
    int warmupSteps = 50;
    double decayFrom =
        0.5;  ///< fraction of the budget at which the cosine begins; 1: constant rate
    double finalRate = 0.02;  ///< rate at the end, as a fraction of learningRate
    double beta1 = 0.9, beta2 = 0.99;
    double weightDecay = 0.01;  ///< on matrices only
    double clipNorm = 1.0;      ///< global gradient norm; 0: off
    double valueWeight =
        1.0;  ///< loss weight of the values that a print shows (or of every product)
    double otherWeight = 0.1;  ///< loss weight of every other next token
    std::vector<TraceLength> stages{{4, 1}, {8, 1}, {16, 2}, {32, 4}};  ///< curriculum, in order
    bool adaptiveStages = true;  ///< go on at stageAccuracy; else every stage gets an equal share
    double stageAccuracy =
        0.95;  ///< running mean (0.9 old + 0.1 new) of the batch's value accuracy
    int stageMinSteps = 20;
    std::int64_t evaluateEvery = 100;    ///< steps
    std::int64_t checkpointEvery = 500;  ///< steps
    double stopAccuracy =
        0.0;  ///< stop after two evaluations in a row at the last length; 0: never
    int threads = 1;
    Device device = Device::kCpu;
    bool operator==(const TrainingSpec&) const = default;
};

struct EvaluationSpec {
    std::vector<TraceLength> lengths{{32, 4}, {64, 8}, {128, 16}};
    int traces = 64;                 ///< per length, the same at every evaluation
    std::uint64_t seed = 1'000'003;  ///< apart from the training seed
    bool operator==(const EvaluationSpec&) const = default;
};

struct ExperimentSpec {
    std::string name = "untitled";
    std::string note;  ///< what it takes and what it reaches, in words
    std::uint64_t seed = 1;
    TaskSpec task;
    std::vector<ModelSpec> models{ModelSpec{}};  ///< each is a run of its own on the same recipe
    TrainingSpec training;
    EvaluationSpec evaluation;
    bool operator==(const ExperimentSpec&) const = default;
};

/// Something a person has to change. `field` is a path such as "models[1].heads" or
/// "training.stages[2].spacing".
struct Problem {
    std::string field;
    std::string text;
    bool operator==(const Problem&) const = default;
};

/// Every problem, in field order; empty when every model can be trained.
[[nodiscard]] std::vector<Problem> problemsIn(const ExperimentSpec& spec);

/// The same experiment with its model number `index` alone: what one run trains. A budget of the
/// model's own becomes training.steps.
[[nodiscard]] ExperimentSpec onlyModel(const ExperimentSpec& spec, int index);

/// "DeltaNet [-1,1]", "DeltaNet [0,1] n_h 2", "Transformer 2 layers", or the name a person gave.
[[nodiscard]] std::string displayName(const ModelSpec& model);
/// Whether ModelSpec::heads means something to it.
[[nodiscard]] bool hasHeads(std::string_view architecture);

/// The text form of an enumerator, as TOML and the command line write it.
template <class E>
[[nodiscard]] std::string_view nameOf(E value);
/// Every text form in enumerator order.
template <class E>
[[nodiscard]] std::span<const std::string_view> namesOf();
/// The enumerator written `name`, or nothing.
template <class E>
[[nodiscard]] std::optional<E> fromName(std::string_view name);

}  // namespace lab::values
