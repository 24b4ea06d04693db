#include "core/models/residual_model.h"

#include <ATen/ATen.h>

#include "core/ops/rms_norm.h"
#include "core/ops/silu_gate.h"
#include "core/values/lab_error.h"
#include "kernels/thread_pool.h"

namespace lab::models {
namespace {

constexpr double kPositionDeviation = 0.02;

}  // namespace

std::int64_t mlpWidth(std::int64_t width) {
    return (8 * width / 3 + 7) / 8 * 8;
}

ResidualModel::ResidualModel(const ModelConfig& config, MakeMixer makeMixer) : m_config(config) {
    if (config.threads > 1) {
        m_execution.pool = std::make_shared<kernels::ThreadPool>(config.threads);
    }
    m_execution.plain = config.deltaImplementation != DeltaImplementation::kKernel;
    const values::ModelSpec& spec = m_config.spec;
    const std::int64_t width = spec.width;
    Weights weights(m_config, m_parameters);
    m_embedding = weights.normal("embed.weight", {m_config.inputs, width});
    if (spec.architecture == "transformer" && spec.position == values::PositionCode::kLearned) {
        m_positions = weights.normal("position.weight", {spec.maxSteps, width}, kPositionDeviation);
    }
    for (int layer = 0; layer < spec.layers; ++layer) {
        m_blocks.push_back(makeBlock(layer, makeMixer, weights));
    }
    m_finalNorm = weights.constant("final_norm.weight", {width}, 1);
    m_readOut = weights.linear("readout.weight", m_config.outputs, width);
}

ResidualModel::Block ResidualModel::makeBlock(int layer, MakeMixer makeMixer,
                                              Weights& weights) const {
    const std::string at = "block." + std::to_string(layer) + ".";
    const std::int64_t width = m_config.spec.width;
    Block block;
    block.norm = weights.constant(at + "norm.weight", {width}, 1);
    block.mixer = makeMixer({m_config, m_execution, weights, at + "mixer."});
    block.stateTensors = block.mixer->initialState(0).size();
    if (m_config.spec.mlp) {
        const auto hidden = mlpWidth(width);
        block.mlpNorm = weights.constant(at + "mlp_norm.weight", {width}, 1);
        block.mlpUp = weights.linear(at + "mlp.up.weight", 2 * hidden, width);
        block.mlpDown = weights.linear(at + "mlp.down.weight", width, hidden);
    }
    return block;
}

at::Tensor ResidualModel::forward(const at::Tensor& tokens, Taps* taps) {
    return run(tokens, nullptr, taps);
}

at::Tensor ResidualModel::advance(const at::Tensor& tokens, State& state, Taps* taps) {
    const at::NoGradGuard noGrad;
    return run(tokens, &state, taps);
}

at::Tensor ResidualModel::run(const at::Tensor& tokens, State* state, Taps* taps) {
    TORCH_CHECK(tokens.dim() == 2, "tokens must be [batch, steps], got ", tokens.sizes());
    m_headReadings.clear();
    Pass pass{.batch = tokens.size(0),
              .steps = tokens.size(1),
              .taps = taps,
              .readings = m_watchesHeads ? &m_headReadings : nullptr};
    const auto put = [&](const char* site, const at::Tensor& rows) {
        if (taps != nullptr && taps->wants(site)) {
            taps->put(site, rows.view({pass.batch, pass.steps, -1}));
        }
    };
    at::Tensor x = embed(tokens, state);
    put("embed", x);
    auto at = state == nullptr ? State::iterator{} : state->begin() + (hasPositionTable() ? 1 : 0);
    for (const Block& block : m_blocks) {
        State own;
        if (state != nullptr) {
            own.assign(at, at + static_cast<std::ptrdiff_t>(block.stateTensors));
        }
        x = runBlock(block, x, pass, state == nullptr ? nullptr : &own);
        at = state == nullptr ? at : std::move(own.begin(), own.end(), at);
        ++pass.layer;
    }
    x = ops::rmsNorm(x, m_finalNorm, m_config.spec.normEpsilon, m_execution);
    put("final_norm", x);
    const at::Tensor logits = at::mm(x, m_readOut.t());
    put("logits", logits);
    if (state != nullptr && hasPositionTable()) {
        state->front() = state->front() + pass.steps;
    }
    return logits.view({pass.batch, pass.steps, m_config.outputs});
}

at::Tensor ResidualModel::embed(const at::Tensor& tokens, const State* state) const {
    at::Tensor x = at::embedding(m_embedding, tokens.reshape({-1}));
    if (!hasPositionTable()) {
        return x;
    }
    const auto steps = tokens.size(1);
    at::Tensor positions = at::arange(steps, tokens.options()).unsqueeze(0);
    if (state != nullptr) {
        positions = positions + state->front().unsqueeze(1);
    }
    const bool fits =
        positions.numel() == 0 || positions.max().item<std::int64_t>() < m_positions.size(0);
    if (!fits) {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               "the sequence is longer than the table of " +
                                   std::to_string(m_positions.size(0)) +
                                   " learned positions; raise max_steps or use rotary positions");
    }
    const at::Tensor rows =
        at::embedding(m_positions, positions.expand({tokens.size(0), steps}).reshape({-1}));
    return x + rows;
}

at::Tensor ResidualModel::runBlock(const Block& block, const at::Tensor& x, const Pass& pass,
                                   State* state) const {
    pass.putRows("in", x);
    const double epsilon = m_config.spec.normEpsilon;
    const at::Tensor h = ops::rmsNorm(x, block.norm, epsilon, m_execution);
    at::Tensor y = block.mixer->forward(h, x, pass, state);
    if (block.mlpNorm.defined()) {
        const at::Tensor both =
            at::mm(ops::rmsNorm(y, block.mlpNorm, epsilon, m_execution), block.mlpUp.t());
        const at::Tensor hidden = ops::siluGate(both, m_execution);
        if (pass.wants("mlp.out")) {
            pass.putRows("mlp.out", at::mm(hidden, block.mlpDown.t()));
        }
        y = at::addmm(y, hidden, block.mlpDown.t());
    }
    pass.putRows("out", y);
    return y;
}

State ResidualModel::initialState(std::int64_t batch) const {
    State state;
    if (hasPositionTable()) {
        state.push_back(at::zeros({batch}, tensorOptions(m_config).dtype(at::kLong)));
    }
    for (const Block& block : m_blocks) {
        const State own = block.mixer->initialState(batch);
        state.insert(state.end(), own.begin(), own.end());
    }
    return state;
}

double ResidualModel::flopsPerToken(std::int64_t steps) const {
    const double width = m_config.spec.width;
    const double normFlops = 4 * width;
    double flops = normFlops + 2 * width * m_config.outputs;
    for (const Block& block : m_blocks) {
        flops += normFlops + block.mixer->flopsPerToken(steps);
        if (block.mlpNorm.defined()) {
            const auto hidden = static_cast<double>(mlpWidth(m_config.spec.width));
            flops += normFlops + 6 * width * hidden + 6 * hidden;
        }
    }
    return flops;
}

std::int64_t ResidualModel::stateNumbers(std::int64_t steps) const {
    std::int64_t numbers = 0;
    for (const Block& block : m_blocks) {
        numbers += block.mixer->stateNumbers(steps);
    }
    return numbers;
}

std::string ResidualModel::kernelName() const {
    return m_blocks.front().mixer->kernelName();
}

}  // namespace lab::models
