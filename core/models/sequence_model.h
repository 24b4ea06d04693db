// What every architecture is: a map from tokens to logits that runs in two modes on one set of
// weights.
//
// Skeleton, the same around every mixer:  x = embed(token);  for each block  x += mixer(norm(x)),
// and with an MLP  x += mlp(norm(x));  logits = readout(norm(x)).  Every norm is RMSNorm with a
// weight, nothing else has a bias unless an architecture says so, embedding and read-out are apart.
//
// Modes: `forward` reads whole sequences; `advance` and `step` go on from a State. They agree (a
// test holds them together over 2,000 tokens). Weights are drawn by our own generator, never
// LibTorch's. Thread safety: one thread at a time. Copies for other threads are made by `makeModel`
// + `copyWeights`.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/ops/execution.h"
#include "core/values/experiment_spec.h"
#include "core/values/telemetry_records.h"

namespace lab::models {

/// What is carried from token to token; every tensor has the batch as its first axis. A step puts
/// new tensors in and leaves the old ones as they were, so a copy of a State is a cheap fork.
using State = std::vector<at::Tensor>;

/// Collects what a forward pass lets one look at, by site name. Sites [batch, steps, width]:
/// "embed", "block.0.in", "block.0.mixer.out", "block.0.mlp.out", "block.0.out", "final_norm" and
/// "logits". Inside mixers, with n_h rows a token where the rule takes n_h steps:
///   delta_net    "block.0.q" "k" "v" [batch, steps (n_h), heads, head width] as the rule uses them
///                (unit length), "beta" [batch, steps n_h, heads], "decay" and "state_norm"
///                [batch, steps, heads]
///   transformer  "q" "k" "v" [batch, steps, heads, head width], "pattern" [batch, heads, steps,
///                steps]
///   gla          "q" "k" "v", "decay" [batch, steps, heads, head width], "state_norm"
///   mamba        "delta" [batch, steps, channels]
///   mamba2       "delta" and "decay" and "state_norm" [batch, steps, heads]
///   lstm         "i" "f" "g" "o" "c" "h"     gru "r" "z" "n" "h"     tanh_rnn "h"
///   slstm        "i" "f" "z" "o" "c" "h"
/// A null Taps* costs nothing, and taps never change the logits. Tensors are detached.
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
    /// As forward, but going on from `state`, which moves on by `steps` tokens. No gradient.
    [[nodiscard]] virtual at::Tensor advance(const at::Tensor& tokens, State& state,
                                             Taps* taps = nullptr) = 0;
    [[nodiscard]] virtual State initialState(std::int64_t batch) const = 0;
    /// tokens int64 [batch] -> logits [batch, outputs]; `state` moves on by one token. No gradient.
    [[nodiscard]] at::Tensor step(const at::Tensor& tokens, State& state);

    /// Forward only, multiply and add counted apart, at sequence length `steps`.
    [[nodiscard]] virtual double flopsPerToken(std::int64_t steps) const = 0;
    /// Numbers carried after `steps` tokens, per sequence.
    [[nodiscard]] virtual std::int64_t stateNumbers(std::int64_t steps) const = 0;
    /// Variant of the mixer's kernel, e.g. "delta.avx512.k16v16"; empty: LibTorch's operators.
    [[nodiscard]] virtual std::string kernelName() const { return {}; }
    [[nodiscard]] std::int64_t parameterCount() const;

    [[nodiscard]] const std::vector<Parameter>& parameters() const { return m_parameters; }

    /// How it computes; the loss goes the same way.
    [[nodiscard]] const ops::Execution& execution() const { return m_execution; }

    /// While on, each forward and advance fills headReadings(), while the states are at hand.
    void watchHeads(bool on) { m_watchesHeads = on; }
    /// Of the newest pass that was watched: layer by layer, head by head; empty where an
    /// architecture has no matrix-valued state.
    [[nodiscard]] const std::vector<values::HeadReading>& headReadings() const {
        return m_headReadings;
    }

protected:
    ops::Execution m_execution;
    std::vector<Parameter> m_parameters;
    std::vector<values::HeadReading> m_headReadings;
    bool m_watchesHeads = false;
};

/// How the delta rule is computed. All give the same model; every one but kKernel uses LibTorch's
/// plain operators throughout, as peers for the benchmarks.
enum class DeltaImplementation { kKernel, kLoopMatmul, kLoopSum, kChunk16, kChunk32, kChunk64 };

struct ModelConfig {
    values::ModelSpec spec;
    int inputs = 0;   ///< tokens that can be read
    int outputs = 0;  ///< classes that are predicted
    std::uint64_t seed = 1;
    bool doublePrecision = false;
    int threads = 1;  ///< for our own kernels
    bool cuda = false;
    bool shapesOnly = false;  ///< parameters without memory: to count, not to run
    DeltaImplementation deltaImplementation = DeltaImplementation::kKernel;
};

/// By spec.architecture; LabError{kInvalidInput} when unknown. Weights drawn from (seed,
/// Stream::kWeights, parameter).
[[nodiscard]] std::unique_ptr<SequenceModel> makeModel(const ModelConfig& config);
/// Copies values by name; both must come from equal specs.
void copyWeights(const SequenceModel& from, SequenceModel& to);

/// What to say after a loss that is not finite: the first site, in the order of the forward pass,
/// whose numbers are not, with layer, head and token ("block.0.state_norm, head 2, token 17 of
/// sequence 3: inf"), or a parameter. Nothing when all is finite. Runs a forward pass.
[[nodiscard]] std::optional<std::string> firstNonFinite(SequenceModel& model,
                                                        const at::Tensor& tokens);

}  // namespace lab::models
