// The skeleton around every mixer: embedding, pre-norm residual blocks, read-out.
#pragma once

#include <memory>
#include <vector>

#include "core/models/mixer.h"
#include "core/models/sequence_model.h"

namespace lab::models {

class ResidualModel : public SequenceModel {
public:
    ResidualModel(const ModelConfig& config, MakeMixer makeMixer);

    [[nodiscard]] at::Tensor forward(const at::Tensor& tokens, Taps* taps) override;
    [[nodiscard]] at::Tensor advance(const at::Tensor& tokens, State& state, Taps* taps) override;
    [[nodiscard]] State initialState(std::int64_t batch) const override;
    [[nodiscard]] double flopsPerToken(std::int64_t steps) const override;
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t steps) const override;
    [[nodiscard]] std::string kernelName() const override;

private:
    struct Block {
        at::Tensor norm;
        std::unique_ptr<Mixer> mixer;
        std::size_t stateTensors = 0;        ///< how many of a State are this mixer's
        at::Tensor mlpNorm, mlpUp, mlpDown;  ///< undefined: no MLP
    };

    [[nodiscard]] Block makeBlock(int layer, MakeMixer makeMixer, Weights& weights) const;
    [[nodiscard]] at::Tensor run(const at::Tensor& tokens, State* state, Taps* taps);
    [[nodiscard]] at::Tensor embed(const at::Tensor& tokens, const State* state) const;
    [[nodiscard]] at::Tensor runBlock(const Block& block, const at::Tensor& x, const Pass& pass,
                                      State* state) const;
    [[nodiscard]] bool hasPositionTable() const { return m_positions.defined(); }

    ModelConfig m_config;
    at::Tensor m_embedding, m_positions, m_finalNorm, m_readOut;
    std::vector<Block> m_blocks;
};

/// Hidden width of the gated MLP: 8/3 of the width, up to the next multiple of 8.
[[nodiscard]] std::int64_t mlpWidth(std::int64_t width);

}  // namespace lab::models
