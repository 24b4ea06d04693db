// What every architecture is: a map from tokens to logits that runs in two modes on one set of
// weights.
//
// Modes: `forward` reads whole sequences; `step` reads one token a sequence and carries a State.
// The two agree (a test holds them together over 2,000 tokens). Weights are drawn by our own
// generator, never LibTorch's. Thread safety: one thread at a time. Copies for other threads are
// made by `makeModel` + `copyWeights`.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/values/experiment_spec.h"

namespace lab::models {

/// What is carried from token to token; every tensor has the batch as its first axis.
using State = std::vector<at::Tensor>;

/// Collects what a forward pass lets one look at, by site name: "embed", "block.0.in",
/// "block.0.mixer.out", "block.0.mlp.out", "block.0.out", "final_norm", "logits", and inside mixers
/// "block.0.q", "block.0.k", "block.0.v", "block.0.beta", "block.0.decay", "block.0.state_norm",
/// "block.0.i" "f" "g" "o" "c" "h" (lstm), "r" "z" "n" "h" (gru), "h" (tanh_rnn), "block.0.pattern"
/// (transformer). A null Taps* costs nothing. Tensors are detached.
class Taps {
public:
    /// Collects only sites for which `wanted` is true.
    explicit Taps(std::function<bool(const std::string&)> wanted = [](const std::string&) {
        return true;
    });
    [[nodiscard]] bool wants(const std::string& site) const { return m_wanted(site); }
    void put(const std::string& site, const at::Tensor& value);
    [[nodiscard]] const std::map<std::string, at::Tensor>& values() const { return m_values; }

private:
    std::function<bool(const std::string&)> m_wanted;
    std::map<std::string, at::Tensor> m_values;
};

struct Parameter {
    std::string name;     ///< stable: written in checkpoints, e.g. "block.0.mixer.conv.weight"
    at::Tensor value;     ///< a leaf that requires a gradient
    bool decays = false;  ///< weight decay applies: matrices only
};

class SequenceModel {
public:
    virtual ~SequenceModel() = default;

    /// tokens int64 [batch, steps] -> logits [batch, steps, outputs].
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& tokens, Taps* taps = nullptr) = 0;
    [[nodiscard]] virtual State initialState(std::int64_t batch) const = 0;
    /// tokens int64 [batch] -> logits [batch, outputs]; `state` moves on by one token. No gradient.
    [[nodiscard]] virtual at::Tensor step(const at::Tensor& tokens, State& state) = 0;
    /// Forward only, multiply and add counted apart, at sequence length `steps`.
    [[nodiscard]] virtual double flopsPerToken(std::int64_t steps) const = 0;
    [[nodiscard]] virtual std::string kernelName() const { return {}; }

    [[nodiscard]] const std::vector<Parameter>& parameters() const { return m_parameters; }

protected:
    std::vector<Parameter> m_parameters;
};

struct ModelConfig {
    values::ModelSpec spec;
    int inputs = 0;   ///< tokens that can be read
    int outputs = 0;  ///< classes that are predicted
    std::uint64_t seed = 1;
    bool doublePrecision = false;
    int threads = 1;  ///< for our own kernels
    bool cuda = false;
};

/// By spec.architecture; LabError{kInvalidInput} when unknown. Weights drawn from (seed,
/// Stream::kWeights, parameter).
[[nodiscard]] std::unique_ptr<SequenceModel> makeModel(const ModelConfig& config);
/// Copies values by name; both must come from equal specs.
void copyWeights(const SequenceModel& from, SequenceModel& to);

}  // namespace lab::models
