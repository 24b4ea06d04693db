#include "core/values/experiment_spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <utility>

namespace lab::values {
namespace {

template <class E>
struct Names;
template <>
struct Names<TaskKind> {
    static constexpr std::array<std::string_view, 2> kAll{"repl", "word_problem"};
};
template <>
struct Names<CommandSet> {
    static constexpr std::array<std::string_view, 4> kAll{"swaps", "adjacent_swaps", "three_points",
                                                          "permutations"};
};
template <>
struct Names<RevealPolicy> {
    static constexpr std::array<std::string_view, 3> kAll{"uniform", "round_robin", "fixed"};
};
template <>
struct Names<KeyActivation> {
    static constexpr std::array<std::string_view, 2> kAll{"none", "silu"};
};
template <>
struct Names<PositionCode> {
    static constexpr std::array<std::string_view, 3> kAll{"rotary", "learned", "none"};
};
template <>
struct Names<Device> {
    static constexpr std::array<std::string_view, 2> kAll{"cpu", "cuda"};
};

/// The architectures of core/models/registry.cpp; a test holds the two lists equal.
constexpr std::array<std::string_view, 9> kArchitectures{
    "delta_net", "transformer", "gla", "mamba", "mamba2", "lstm", "gru", "tanh_rnn", "slstm"};

/// Names of runs, where the settings do not make one.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTitles{
    {{"transformer", "Transformer"},
     {"gla", "GLA"},
     {"mamba", "Mamba"},
     {"mamba2", "Mamba-2"},
     {"lstm", "LSTM"},
     {"gru", "GRU"},
     {"tanh_rnn", "tanh RNN"},
     {"slstm", "sLSTM"}}};

std::string architectureNames() {
    std::string names;
    for (const std::string_view name : kArchitectures) {
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    return names;
}

class Checker {
public:
    void require(bool good, std::string field, std::string text) {
        if (!good) {
            problems.push_back({std::move(field), std::move(text)});
        }
    }
    template <class T>
    void range(T value, T low, T high, const std::string& field) {
        require(
            value >= low && value <= high, field,
            "is " + number(value) + ", must be between " + number(low) + " and " + number(high));
    }
    void positive(double value, const std::string& field) {
        require(std::isfinite(value) && value > 0, field,
                "is " + number(value) + ", must be a finite number above 0");
    }
    std::vector<Problem> problems;

private:
    template <class T>
    static std::string number(T value) {
        std::string text = std::to_string(value);
        if constexpr (std::is_floating_point_v<T>) {
            while (text.size() > 1 && text.back() == '0') {
                text.pop_back();
            }
            if (text.back() == '.') {
                text.pop_back();
            }
        }
        return text;
    }
};

void checkTask(const TaskSpec& task, Checker& check) {
    if (task.kind == TaskKind::kReplTrace) {
        check.range(task.variables, 2, 8, "task.variables");
        check.require(task.commands != CommandSet::kThreePoints || task.variables >= 3,
                      "task.commands", "is three_points, which needs at least 3 variables");
        if (task.reveal == RevealPolicy::kFixed) {
            check.range(task.fixedVariable, 0, task.variables - 1, "task.fixed_variable");
        }
        return;
    }
    static const std::regex factor("S[2-8]|A5|Z([2-9]|[1-9][0-9]|1[01][0-9]|120)");
    std::string rest = task.group;
    bool good = !rest.empty();
    while (good && !rest.empty()) {
        const auto at = rest.find('x');
        good = std::regex_match(rest.substr(0, at), factor) && at != rest.size() - 1;
        rest = at == std::string::npos ? "" : rest.substr(at + 1);
    }
    check.require(
        good, "task.group",
        "is \"" + task.group + "\", must be S2 to S8, A5, Z2 to Z120, or a product such as A5xZ2");
}

void checkModel(const ModelSpec& model, const std::string& at, Checker& check) {
    check.require(std::ranges::find(kArchitectures, model.architecture) != kArchitectures.end(),
                  at + ".architecture",
                  "is \"" + model.architecture + "\", must be one of " + architectureNames());
    check.range(model.width, 4, 2048, at + ".width");
    check.range(model.layers, 1, 32, at + ".layers");
    if (hasHeads(model.architecture)) {
        check.range(model.heads, 1, 64, at + ".heads");
        check.require(model.heads < 1 || model.width % model.heads == 0, at + ".heads",
                      "is " + std::to_string(model.heads) + ", must divide the width " +
                          std::to_string(model.width));
    }
    check.positive(model.normEpsilon, at + ".norm_epsilon");
    check.range<std::int64_t>(model.steps, 0, 100'000'000, at + ".steps");
    const bool stateSpace = model.architecture == "mamba" || model.architecture == "mamba2";
    if (stateSpace) {
        check.range(model.stateSize, 1, 256, at + ".state_size");
    }
    if (stateSpace || model.architecture == "delta_net") {
        check.range(model.convWidth, 0, 16, at + ".conv_width");
        check.require(model.convWidth != 1, at + ".conv_width",
                      "is 1, must be 0 (none) or at least 2");
    }
    if (model.architecture == "delta_net") {
        check.range(model.householders, 1, 4, at + ".householders");
        check.positive(model.betaSlope, at + ".beta_slope");
    }
    if (model.architecture == "transformer") {
        check.require(model.position != PositionCode::kRotary || model.heads < 1 ||
                          (model.width / model.heads) % 2 == 0,
                      at + ".position", "is rotary, which needs an even head width");
        check.range(model.maxSteps, 1, 1 << 20, at + ".max_steps");
    }
}

void checkLengths(const std::vector<TraceLength>& lengths, const std::string& at, Checker& check) {
    check.require(!lengths.empty(), at, "is empty, must have at least one [commands, spacing]");
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const std::string field = at + "[" + std::to_string(i) + "]";
        check.range(lengths[i].commands, 1, 100'000, field + ".commands");
        check.range(lengths[i].spacing, 1, std::max(1, lengths[i].commands), field + ".spacing");
    }
}

void checkTraining(const TrainingSpec& training, Checker& check) {
    check.range<std::int64_t>(training.steps, 1, 100'000'000, "training.steps");
    check.range(training.tokensPerBatch, 1, 10'000'000, "training.tokens_per_batch");
    check.positive(training.learningRate, "training.learning_rate");
    check.range(training.warmupSteps, 0, 1'000'000, "training.warmup_steps");
    check.range(training.decayFrom, 0.0, 1.0, "training.decay_from");
    check.range(training.finalRate, 0.0, 1.0, "training.final_rate");
    check.range(training.beta1, 0.0, 0.999999, "training.beta1");
    check.range(training.beta2, 0.0, 0.999999, "training.beta2");
    check.range(training.weightDecay, 0.0, 1.0, "training.weight_decay");
    check.range(training.clipNorm, 0.0, 1e6, "training.clip_norm");
    check.range(training.valueWeight, 0.0, 1e3, "training.value_weight");
    check.range(training.otherWeight, 0.0, 1e3, "training.other_weight");
    check.require(training.valueWeight + training.otherWeight > 0, "training.value_weight",
                  "is 0 and so is training.other_weight: nothing would be learnt");
    checkLengths(training.stages, "training.stages", check);
    check.range(training.stageAccuracy, 0.0, 1.0, "training.stage_accuracy");
    check.range(training.stageMinSteps, 0, 1'000'000, "training.stage_min_steps");
    check.range<std::int64_t>(training.evaluateEvery, 1, 100'000'000, "training.evaluate_every");
    check.range<std::int64_t>(training.checkpointEvery, 1, 100'000'000,
                              "training.checkpoint_every");
    check.range(training.stopAccuracy, 0.0, 1.0, "training.stop_accuracy");
    check.range(training.threads, 1, 256, "training.threads");
}

}  // namespace

std::vector<Problem> problemsIn(const ExperimentSpec& spec) {
    Checker check;
    check.require(!spec.name.empty(), "name", "is empty");
    checkTask(spec.task, check);
    check.require(!spec.models.empty(), "models", "is empty, must have at least one model");
    for (std::size_t i = 0; i < spec.models.size(); ++i) {
        checkModel(spec.models[i], "models[" + std::to_string(i) + "]", check);
    }
    checkTraining(spec.training, check);
    checkLengths(spec.evaluation.lengths, "evaluation.lengths", check);
    check.range(spec.evaluation.traces, 1, 100'000, "evaluation.traces");
    return std::move(check.problems);
}

ExperimentSpec onlyModel(const ExperimentSpec& spec, int index) {
    ExperimentSpec one = spec;
    one.models = {spec.models.at(static_cast<std::size_t>(index))};
    if (const auto own = std::exchange(one.models.front().steps, 0); own > 0) {
        one.training.steps = own;
    }
    return one;
}

std::string displayName(const ModelSpec& model) {
    if (!model.name.empty()) {
        return model.name;
    }
    std::string name;
    if (model.architecture == "delta_net") {
        name = model.negativeEigenvalues ? "DeltaNet [-1,1]" : "DeltaNet [0,1]";
        if (model.gate) {
            name = "Gated " + name;
        }
        if (model.householders > 1) {
            name += " n_h " + std::to_string(model.householders);
        }
    } else {
        const auto* const title = std::ranges::find(
            kTitles, model.architecture, &std::pair<std::string_view, std::string_view>::first);
        name = title == kTitles.end() ? model.architecture : std::string(title->second);
    }
    if (model.layers > 1) {
        name += ", " + std::to_string(model.layers) + " layers";
    }
    return name;
}

bool hasHeads(std::string_view architecture) {
    return architecture == "delta_net" || architecture == "transformer" || architecture == "gla" ||
           architecture == "mamba2";
}

template <class E>
std::string_view nameOf(E value) {
    return Names<E>::kAll.at(static_cast<std::size_t>(value));
}

template <class E>
std::span<const std::string_view> namesOf() {
    return Names<E>::kAll;
}

template <class E>
std::optional<E> fromName(std::string_view name) {
    const auto& all = Names<E>::kAll;
    const auto at = std::ranges::find(all, name);
    return at == all.end() ? std::nullopt : std::optional(static_cast<E>(at - all.begin()));
}

#define LAB_NAMED(E)                                         \
    template std::string_view nameOf<E>(E);                  \
    template std::span<const std::string_view> namesOf<E>(); \
    template std::optional<E> fromName<E>(std::string_view name)
LAB_NAMED(TaskKind);
LAB_NAMED(CommandSet);
LAB_NAMED(RevealPolicy);
LAB_NAMED(KeyActivation);
LAB_NAMED(PositionCode);
LAB_NAMED(Device);
#undef LAB_NAMED

}  // namespace lab::values
