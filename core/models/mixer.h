// What stands inside a block: the one part in which the architectures differ.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/models/sequence_model.h"
#include "core/models/weights.h"
#include "core/ops/execution.h"

namespace lab::models {

/// One pass of one block: its extents, and who looks on.
struct Pass {
    std::int64_t batch = 0, steps = 0;
    int layer = 0;
    Taps* taps = nullptr;
    std::vector<values::HeadReading>* readings = nullptr;  ///< null: not watched

    [[nodiscard]] std::int64_t rows() const { return batch * steps; }
    [[nodiscard]] std::string site(const char* name) const {
        return "block." + std::to_string(layer) + "." + name;
    }
    [[nodiscard]] bool wants(const char* name) const {
        return taps != nullptr && taps->wants(site(name));
    }
    void put(const char* name, const at::Tensor& value) const {
        if (wants(name)) {
            taps->put(site(name), value);
        }
    }
    /// Rows [batch steps, width] as a site [batch, steps, width].
    void putRows(const char* name, const at::Tensor& rows) const {
        if (wants(name)) {
            taps->put(site(name), rows.view({batch, steps, -1}));
        }
    }
};

class Mixer {
public:
    virtual ~Mixer() = default;

    /// h, the normalised input, and residual: [batch steps, width] -> residual + mixer(h).
    /// `state` (null: from the start, and nothing is carried on) holds this mixer's tensors.
    [[nodiscard]] virtual at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                             const Pass& pass, State* state) const = 0;
    [[nodiscard]] virtual State initialState(std::int64_t batch) const = 0;
    [[nodiscard]] virtual double flopsPerToken(std::int64_t steps) const = 0;
    [[nodiscard]] virtual std::int64_t stateNumbers(std::int64_t steps) const = 0;
    [[nodiscard]] virtual std::string kernelName() const { return {}; }
};

/// What a mixer is made from.
struct MixerPlan {
    const ModelConfig& config;
    const ops::Execution& execution;
    Weights& weights;
    std::string at;  ///< the beginning of the parameters' names, e.g. "block.0.mixer."
};
using MakeMixer = std::unique_ptr<Mixer> (*)(const MixerPlan&);

[[nodiscard]] std::unique_ptr<Mixer> makeDeltaMixer(const MixerPlan&);
[[nodiscard]] std::unique_ptr<Mixer> makeAttentionMixer(const MixerPlan&);
[[nodiscard]] std::unique_ptr<Mixer> makeLstmMixer(const MixerPlan&);
[[nodiscard]] std::unique_ptr<Mixer> makeGruMixer(const MixerPlan&);
[[nodiscard]] std::unique_ptr<Mixer> makeTanhMixer(const MixerPlan&);
[[nodiscard]] std::unique_ptr<Mixer> makeSlstmMixer(const MixerPlan&);
[[nodiscard]] std::unique_ptr<Mixer> makeGlaMixer(const MixerPlan&);
[[nodiscard]] std::unique_ptr<Mixer> makeMambaMixer(const MixerPlan&);
[[nodiscard]] std::unique_ptr<Mixer> makeMamba2Mixer(const MixerPlan&);

/// Options of a tensor that lives beside the parameters.
[[nodiscard]] inline at::TensorOptions tensorOptions(const ModelConfig& config) {
    return at::TensorOptions()
        .dtype(config.doublePrecision ? at::kDouble : at::kFloat)
        .device(config.shapesOnly ? at::kMeta
                : config.cuda     ? at::kCUDA
                                  : at::kCPU);
}

}  // namespace lab::models
