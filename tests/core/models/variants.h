// The architectures and their main options, small, for the tests that hold for every model.
#pragma once

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <string>
#include <vector>

#include "core/models/sequence_model.h"
#include "core/ops/cross_entropy.h"
#include "tests/core/models/tensors.h"

namespace lab::testing {

struct Variant {
    std::string name;
    values::ModelSpec spec;
};

inline constexpr int kTokens = 11;  ///< read
inline constexpr int kClasses = 7;  ///< predicted
inline constexpr int kWidth = 24;

inline values::ModelSpec smallSpec(const std::string& architecture) {
    values::ModelSpec spec;
    spec.architecture = architecture;
    spec.width = kWidth;
    spec.heads = 3;
    return spec;
}

inline std::vector<Variant> everyVariant() {
    std::vector<Variant> all;
    const auto add = [&](const std::string& name, const std::string& architecture, auto change) {
        all.push_back({name, smallSpec(architecture)});
        change(all.back().spec);
    };
    using Spec = values::ModelSpec;
    add("delta_net", "delta_net", [](Spec&) {});
    add("delta_net_positive_without_conv", "delta_net", [](Spec& spec) {
        spec.negativeEigenvalues = false;
        spec.convWidth = 0;
    });
    add("delta_net_two_layers_silu_mlp", "delta_net", [](Spec& spec) {
        spec.layers = 2;
        spec.mlp = true;
        spec.keyActivation = values::KeyActivation::kSilu;
        spec.convWidth = 2;
    });
    add("delta_product_2", "delta_net", [](Spec& spec) { spec.householders = 2; });
    add("gated_delta_product_3", "delta_net", [](Spec& spec) {
        spec.householders = 3;
        spec.gate = true;
        spec.betaSlope = 1;
    });
    add("transformer_rotary", "transformer", [](Spec& spec) {
        spec.layers = 2;
        spec.mlp = true;
    });
    add("transformer_learned", "transformer", [](Spec& spec) {
        spec.position = values::PositionCode::kLearned;
        spec.maxSteps = 2048;
    });
    add("transformer_without_positions", "transformer",
        [](Spec& spec) { spec.position = values::PositionCode::kNone; });
    add("gla_two_layers_mlp", "gla", [](Spec& spec) {
        spec.layers = 2;
        spec.mlp = true;
    });
    add("mamba", "mamba", [](Spec&) {});
    add("mamba_two_layers_without_conv", "mamba", [](Spec& spec) {
        spec.layers = 2;
        spec.convWidth = 0;
        spec.stateSize = 5;
    });
    add("mamba2", "mamba2", [](Spec&) {});
    add("mamba2_without_conv", "mamba2", [](Spec& spec) {
        spec.convWidth = 0;
        spec.stateSize = 7;
    });
    add("slstm", "slstm", [](Spec&) {});
    add("lstm", "lstm", [](Spec&) {});
    add("lstm_two_layers_mlp", "lstm", [](Spec& spec) {
        spec.layers = 2;
        spec.mlp = true;
    });
    add("gru", "gru", [](Spec&) {});
    add("tanh_rnn", "tanh_rnn", [](Spec&) {});
    return all;
}

inline models::ModelConfig configOf(const values::ModelSpec& spec, bool doublePrecision = false) {
    return {.spec = spec,
            .inputs = kTokens,
            .outputs = kClasses,
            .seed = 5,
            .doublePrecision = doublePrecision};
}

/// Uniform tokens [batch, steps].
inline at::Tensor someTokens(std::int64_t batch, std::int64_t steps, std::uint64_t name = 0) {
    tasks::Rng rng(2026, 98, name);
    const at::Tensor tokens = at::empty({batch, steps}, at::kLong);
    for (std::int64_t i = 0; i < tokens.numel(); ++i) {
        tokens.mutable_data_ptr<std::int64_t>()[i] = rng.below(kTokens);
    }
    return tokens;
}

inline std::vector<at::Tensor> valuesOf(const models::SequenceModel& model) {
    std::vector<at::Tensor> values;
    for (const models::Parameter& parameter : model.parameters()) {
        values.push_back(parameter.value);
    }
    return values;
}

/// Mean cross-entropy of predicting the sum of the last two tokens, and its gradients.
struct LossAndGradients {
    double loss = 0;
    std::vector<at::Tensor> gradients;
};
inline LossAndGradients lossOf(models::SequenceModel& model, const at::Tensor& tokens) {
    const at::Tensor logits = model.forward(tokens).flatten(0, 1);
    const at::Tensor before = at::cat(
        {at::zeros_like(tokens.narrow(1, 0, 1)), tokens.narrow(1, 0, tokens.size(1) - 1)}, 1);
    const at::Tensor targets = (tokens + before).remainder(kClasses).flatten();
    const auto out = ops::weightedCrossEntropy(
        logits, targets, at::ones({targets.size(0)}, logits.options()), model.execution());
    return {out.loss.item<double>(), torch::autograd::grad({out.loss}, valuesOf(model))};
}

/// Some steps of Adam; returns the last loss.
inline double train(models::SequenceModel& model, int steps) {
    std::vector<at::Tensor> first;
    std::vector<at::Tensor> second;
    for (const at::Tensor& value : valuesOf(model)) {
        first.push_back(at::zeros_like(value.detach()));
        second.push_back(at::zeros_like(value.detach()));
    }
    double loss = 0;
    for (int step = 1; step <= steps; ++step) {
        const auto now = lossOf(model, someTokens(8, 24, static_cast<std::uint64_t>(step)));
        loss = now.loss;
        const c10::NoGradGuard noGrad;
        for (std::size_t i = 0; i < first.size(); ++i) {
            const at::Tensor& g = now.gradients[i];
            first[i].mul_(0.9).add_(g, 0.1);
            second[i].mul_(0.99).addcmul_(g, g, 0.01);
            at::Tensor value = model.parameters()[i].value;
            value.addcdiv_(first[i] / (1 - std::pow(0.9, step)),
                           (second[i] / (1 - std::pow(0.99, step))).sqrt().add_(1e-8), -5e-3);
        }
    }
    return loss;
}

}  // namespace lab::testing
