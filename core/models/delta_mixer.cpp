// DeltaNet:  [conv + SiLU] -> q, k, v, beta -> delta rule -> RMSNorm per head -> linear.
//
//   S <- exp(g) S;   S <- S + k (beta (v - S^T k))^T, n_h times;   o = S^T q
//
// beta = range sigmoid(slope (x + bias)), range 2 or 1: with |k| = 1 a token multiplies the state
// by I - beta k k^T, whose eigenvalues are 1 and 1 - beta, in [-1, 1] or [0, 1]. At beta = 2 that
// is a reflection, and a reflection swaps what two keys hold. The steep slope lets beta reach 2
// sooner. The gate is that of Gated DeltaNet:  g = -rate softplus(w h + bias), one a head and
// token. Source: Yang et al. (2406.06484), section 4; Grazzi et al., "Unlocking State-Tracking in
// Linear RNNs Through Negative Eigenvalues" (2411.12537); gate and its first values: Yang et al.
// (2412.06464), section 3.4, and Mamba-2.
#include <ATen/ATen.h>

#include <cmath>

#include "core/models/mixer.h"
#include "core/ops/delta_rule.h"
#include "core/ops/delta_rule_peers.h"
#include "core/ops/rms_norm.h"
#include "core/ops/short_conv.h"
#include "kernels/delta_rule.h"
#include "kernels/short_conv.h"

namespace lab::models {
namespace {

constexpr double kUnitEpsilon = 1e-6;  ///< in sqrt(|x|^2 + epsilon), for q and k
constexpr double kNearTwo = 1.9;
constexpr double kConvBound = 0.5;

/// What the read-outs come with, for taps and readings.
struct Memory {
    at::Tensor o{};  ///< [batch steps, width]
    at::Tensor q{}, k{}, v{}, beta{}, finalState{}, stateNorm{};
};

at::Tensor unitRows(const at::Tensor& x) {
    return x * at::rsqrt((x * x).sum(-1, true) + kUnitEpsilon);
}

class DeltaMixer : public Mixer {
public:
    explicit DeltaMixer(const MixerPlan& plan);

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override;
    [[nodiscard]] State initialState(std::int64_t batch) const override;
    [[nodiscard]] double flopsPerToken(std::int64_t steps) const override;
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t) const override {
        return m_width * m_headWidth + (hasConv() ? m_width * (m_convWidth - 1) : 0);
    }
    [[nodiscard]] std::string kernelName() const override;

private:
    [[nodiscard]] bool hasConv() const { return m_convWidth > 0; }
    [[nodiscard]] bool hasGate() const { return m_gateWeight.defined(); }
    [[nodiscard]] at::Tensor convolved(const at::Tensor& h, const Pass& pass, State* state) const;
    [[nodiscard]] at::Tensor gateOf(const at::Tensor& h, const Pass& pass) const;
    [[nodiscard]] Memory byKernel(const at::Tensor& h, const at::Tensor& gate,
                                  const at::Tensor& initial, const Pass& pass) const;
    [[nodiscard]] Memory byOperators(const at::Tensor& h, const at::Tensor& gate,
                                     const at::Tensor& initial, const Pass& pass) const;
    [[nodiscard]] ops::DeltaResult byPeer(const ops::DeltaArguments& in) const;
    void show(const Memory& memory, const at::Tensor& gate, const Pass& pass) const;
    void readHeads(const Memory& memory, const Pass& pass) const;

    ModelConfig m_config;
    ops::Execution m_execution;
    std::int64_t m_width, m_heads, m_headWidth, m_householders, m_convWidth;
    double m_range;
    at::Tensor m_conv, m_projection, m_betaBias, m_headNorm, m_out;
    at::Tensor m_gateWeight, m_gateBias, m_gateRate;  ///< undefined without gates
};

DeltaMixer::DeltaMixer(const MixerPlan& plan)
    : m_config(plan.config),
      m_execution(plan.execution),
      m_width(m_config.spec.width),
      m_heads(m_config.spec.heads),
      m_headWidth(m_width / m_heads),
      m_householders(m_config.spec.householders),
      m_convWidth(m_config.spec.convWidth),
      m_range(m_config.spec.negativeEigenvalues ? 2 : 1) {
    Weights& weights = plan.weights;
    const std::string& at = plan.at;
    if (hasConv()) {
        m_conv = weights.uniform(at + "conv.weight", {m_width, m_convWidth}, kConvBound);
    }
    const auto rows = m_width + m_householders * (2 * m_width + m_heads);
    m_projection = weights.linear(at + "projection.weight", rows, m_width);
    m_betaBias = weights.constant(at + "beta.bias", {m_householders * m_heads}, 0);
    if (m_config.spec.gate) {
        m_gateWeight = weights.linear(at + "gate.weight", m_heads, m_width);
        // softplus(bias) between 0.001 and 0.1, evenly in its logarithm; rate between 1 and 16.
        m_gateBias = weights.drawn(at + "gate.bias", {m_heads}, [](tasks::Rng& rng) {
            const double step = 0.001 * std::pow(100.0, rng.uniform());
            return std::log(std::expm1(step));
        });
        m_gateRate = weights.drawn(at + "gate.log_rate", {m_heads}, [](tasks::Rng& rng) {
            return std::log(1 + 15 * rng.uniform());
        });
    }
    m_headNorm = weights.constant(at + "head_norm.weight", {m_headWidth}, 1);
    m_out = weights.linear(at + "out.weight", m_width, m_width);
}

at::Tensor DeltaMixer::forward(const at::Tensor& h, const at::Tensor& residual, const Pass& pass,
                               State* state) const {
    const at::Tensor x = hasConv() ? convolved(h, pass, state) : h;
    const at::Tensor gate = hasGate() ? gateOf(x, pass) : at::Tensor();
    const at::Tensor initial = state == nullptr ? at::Tensor() : state->front();
    const Memory memory = ops::usesOperators(m_execution, h) ? byOperators(x, gate, initial, pass)
                                                             : byKernel(x, gate, initial, pass);
    if (state != nullptr) {
        state->front() = memory.finalState;
    }
    if (pass.taps != nullptr) {
        show(memory, gate, pass);
    }
    if (pass.readings != nullptr) {
        readHeads(memory, pass);
    }
    const at::Tensor normed = ops::rmsNorm(memory.o.reshape({pass.rows() * m_heads, m_headWidth}),
                                           m_headNorm, m_config.spec.normEpsilon, m_execution)
                                  .view({pass.rows(), m_width});
    if (pass.wants("mixer.out")) {
        pass.putRows("mixer.out", at::mm(normed, m_out.t()));
    }
    return at::addmm(residual, normed, m_out.t());
}

at::Tensor DeltaMixer::convolved(const at::Tensor& h, const Pass& pass, State* state) const {
    const at::Tensor sequence = h.view({pass.batch, pass.steps, m_width});
    const at::Tensor carried = state == nullptr ? at::Tensor() : (*state)[1];
    if (state != nullptr) {
        (*state)[1] = ops::carriedInputs(sequence, carried, m_convWidth);
    }
    return ops::shortConv(sequence, m_conv, {}, carried, ops::ConvActivation::kSilu, m_execution)
        .view({pass.rows(), m_width});
}

at::Tensor DeltaMixer::gateOf(const at::Tensor& h, const Pass& pass) const {
    const at::Tensor steps = at::softplus(at::addmm(m_gateBias, h, m_gateWeight.t()));
    return (-m_gateRate.exp() * steps).view({pass.batch, pass.steps, m_heads});
}

Memory DeltaMixer::byKernel(const at::Tensor& h, const at::Tensor& gate, const at::Tensor& initial,
                            const Pass& pass) const {
    const ops::ProjectedDelta shape{
        .batch = pass.batch,
        .steps = pass.steps,
        .heads = m_heads,
        .keyDim = m_headWidth,
        .valueDim = m_headWidth,
        .householders = m_householders,
        .betaRange = m_range,
        .betaSlope = m_config.spec.betaSlope,
        .silu = m_config.spec.keyActivation == values::KeyActivation::kSilu,
        .normaliseEpsilon = kUnitEpsilon};
    const auto out = ops::projectedDeltaRule(shape, h, m_projection, m_betaBias, gate, initial,
                                             m_execution, pass.wants("state_norm"));
    return {.o = out.o,
            .q = out.q,
            .k = out.k,
            .v = out.v,
            .beta = out.beta,
            .finalState = out.finalState,
            .stateNorm = out.stateNorm};
}

Memory DeltaMixer::byOperators(const at::Tensor& h, const at::Tensor& gate,
                               const at::Tensor& initial, const Pass& pass) const {
    std::vector<std::int64_t> widths{m_width};
    for (std::int64_t j = 0; j < m_householders; ++j) {
        widths.insert(widths.end(), {m_width, m_width, m_heads});
    }
    const auto parts = at::mm(h, m_projection.t()).split_with_sizes(widths, 1);
    const auto factors = [&](std::size_t first, std::int64_t width) {
        std::vector<at::Tensor> all;
        for (std::size_t at = first; at < parts.size(); at += 3) {
            all.push_back(parts[at].view({pass.batch, pass.steps, m_heads, width}));
        }
        return all.size() == 1 ? all.front() : at::stack(all, 2).flatten(1, 2);
    };
    ops::DeltaArguments in{.q = parts[0].view({pass.batch, pass.steps, m_heads, m_headWidth}),
                           .k = factors(1, m_headWidth),
                           .v = factors(2, m_headWidth),
                           .gate = gate,
                           .initialState = initial,
                           .normaliseEpsilon = kUnitEpsilon};
    const at::Tensor bias = m_betaBias.view({m_householders, m_heads}).repeat({pass.steps, 1});
    in.beta = m_range * at::sigmoid(m_config.spec.betaSlope * (factors(3, 1).squeeze(-1) + bias));
    Memory memory{.q = in.q, .k = in.k, .v = in.v, .beta = in.beta};
    if (m_config.spec.keyActivation == values::KeyActivation::kSilu) {
        in.q = at::silu(in.q);
        in.k = at::silu(in.k);
    }
    const ops::DeltaResult out = byPeer(in);
    memory.o = out.o;
    memory.finalState = out.finalState.detach();
    return memory;
}

ops::DeltaResult DeltaMixer::byPeer(const ops::DeltaArguments& in) const {
    switch (m_config.deltaImplementation) {
        case DeltaImplementation::kLoopMatmul:
            return ops::deltaRuleLoop(in, ops::LoopForm::kMatmul);
        case DeltaImplementation::kLoopSum: return ops::deltaRuleLoop(in, ops::LoopForm::kSum);
        case DeltaImplementation::kChunk16: return ops::deltaRuleChunk(in, 16);
        case DeltaImplementation::kChunk32: return ops::deltaRuleChunk(in, 32);
        case DeltaImplementation::kChunk64: return ops::deltaRuleChunk(in, 64);
        case DeltaImplementation::kKernel: break;
    }
    return ops::deltaRule(in, m_execution);
}

void DeltaMixer::show(const Memory& memory, const at::Tensor& gate, const Pass& pass) const {
    const at::NoGradGuard noGrad;
    const auto asUsed = [&](const at::Tensor& x) {
        return unitRows(m_config.spec.keyActivation == values::KeyActivation::kSilu ? at::silu(x)
                                                                                    : x);
    };
    if (pass.wants("q")) {
        pass.put("q", asUsed(memory.q));
    }
    if (pass.wants("k")) {
        pass.put("k", asUsed(memory.k));
    }
    pass.put("v", memory.v);
    pass.put("beta", memory.beta);
    if (hasGate() && pass.wants("decay")) {
        pass.put("decay", gate.exp());
    }
    if (memory.stateNorm.defined()) {
        pass.put("state_norm", memory.stateNorm);
    }
}

void DeltaMixer::readHeads(const Memory& memory, const Pass& pass) const {
    const at::NoGradGuard noGrad;
    if (memory.beta.numel() == 0) {
        return;
    }
    const auto numbers = [](const at::Tensor& byHead) { return byHead.to(at::kDouble).cpu(); };
    const at::Tensor beta = memory.beta.detach().reshape({-1, m_heads});
    const at::Tensor mean = numbers(beta.mean(0));
    const at::Tensor max = numbers(beta.amax(0));
    const at::Tensor nearTwo = numbers(beta.gt(kNearTwo).to(at::kDouble).mean(0));
    const at::Tensor norm = numbers(memory.finalState.flatten(2).norm(2, 2).mean(0));
    for (std::int64_t head = 0; head < m_heads; ++head) {
        pass.readings->push_back({.layer = pass.layer,
                                  .head = static_cast<int>(head),
                                  .betaMean = mean.const_data_ptr<double>()[head],
                                  .betaMax = max.const_data_ptr<double>()[head],
                                  .betaNearTwo = nearTwo.const_data_ptr<double>()[head],
                                  .stateNorm = norm.const_data_ptr<double>()[head]});
    }
}

State DeltaMixer::initialState(std::int64_t batch) const {
    const auto options = tensorOptions(m_config);
    State state{at::zeros({batch, m_heads, m_headWidth, m_headWidth}, options)};
    if (hasConv()) {
        state.push_back(at::zeros({batch, m_width, m_convWidth - 1}, options));
    }
    return state;
}

double DeltaMixer::flopsPerToken(std::int64_t) const {
    const auto width = static_cast<double>(m_width);
    const auto rows = static_cast<double>(m_projection.size(0));
    const kernels::DeltaShape rule{.batch = 1,
                                   .steps = 1,
                                   .heads = static_cast<int>(m_heads),
                                   .keyDim = static_cast<int>(m_headWidth),
                                   .valueDim = static_cast<int>(m_headWidth),
                                   .householders = static_cast<int>(m_householders)};
    double flops = 2 * width * rows + kernels::deltaRuleForwardCost(rule, hasGate()).flops +
                   4 * width + 2 * width * width;
    if (hasConv()) {
        flops += kernels::shortConvForwardCost({.batch = 1,
                                                .steps = 1,
                                                .channels = static_cast<int>(m_width),
                                                .width = static_cast<int>(m_convWidth)})
                     .flops;
    }
    return hasGate() ? flops + 2 * width * static_cast<double>(m_heads) : flops;
}

std::string DeltaMixer::kernelName() const {
    if (m_execution.plain || m_config.cuda) {
        return m_config.cuda ? "LibTorch operators, chunks of 64" : "";
    }
    return ops::deltaKernelName(m_heads, m_headWidth, m_headWidth, m_householders,
                                m_config.doublePrecision);
}

}  // namespace

std::unique_ptr<Mixer> makeDeltaMixer(const MixerPlan& plan) {
    return std::make_unique<DeltaMixer>(plan);
}

}  // namespace lab::models
