// Mamba-2:  z, (x, B, C), delta = W h;  (x, B, C) = SiLU(conv(..));  SSD scan;  RMSNorm(y SiLU(z))
// -> linear.
//
//   S <- exp(delta A) S + B (delta x)^T;   y = S^T C + D x,  delta = softplus(. + bias)
//
// One decay in (0, 1) a head and token, B and C shared by all heads: it forgets, and cannot swap.
// First values as published: -A between 1 and 16, D = 1, softplus(bias) between 0.001 and 0.1.
// Source: Dao and Gu, "Transformers are SSMs" (2405.21060), section 7.1.
#include <ATen/ATen.h>

#include <cmath>

#include "core/models/mixer.h"
#include "core/models/state_space.h"
#include "core/ops/rms_norm.h"
#include "core/ops/silu_gate.h"
#include "core/ops/state_space.h"
#include "kernels/ssd.h"

namespace lab::models {
namespace {

class Mamba2Mixer : public Mixer {
public:
    explicit Mamba2Mixer(const MixerPlan& plan);

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override;
    [[nodiscard]] State initialState(std::int64_t batch) const override {
        const auto options = tensorOptions(m_config);
        State state{at::zeros({batch, m_heads, m_states, m_headDim}, options)};
        if (m_conv.hasTaps()) {
            state.push_back(m_conv.initialState(batch, options));
        }
        return state;
    }
    [[nodiscard]] double flopsPerToken(std::int64_t) const override {
        const auto width = static_cast<double>(m_config.spec.width);
        const auto rows = static_cast<double>(m_in.size(0));
        const auto channels = static_cast<double>(m_channels);
        const kernels::SsdShape scan{1,
                                     1,
                                     static_cast<int>(m_heads),
                                     1,
                                     static_cast<int>(m_states),
                                     static_cast<int>(m_headDim)};
        return 2 * width * (rows + channels) + 9 * channels + m_conv.flopsPerToken() +
               kernels::ssdForwardCost(scan).flops;
    }
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t) const override {
        return m_channels * m_states + m_conv.stateNumbers();
    }
    [[nodiscard]] std::string kernelName() const override {
        return m_execution.plain || m_config.cuda
                   ? std::string()
                   : ops::ssdKernelName(m_states, m_headDim, m_config.doublePrecision);
    }

private:
    void show(const ops::SsdArguments& in, const ops::ScanResult& memory, const Pass& pass) const;

    ModelConfig m_config;
    ops::Execution m_execution;
    std::int64_t m_channels, m_heads, m_headDim, m_states;
    at::Tensor m_in;
    StateSpaceConv m_conv;
    at::Tensor m_deltaBias, m_logA, m_d, m_norm, m_out;
};

Mamba2Mixer::Mamba2Mixer(const MixerPlan& plan)
    : m_config(plan.config),
      m_execution(plan.execution),
      m_channels(kStateSpaceExpansion * m_config.spec.width),
      m_heads(m_config.spec.heads),
      m_headDim(m_channels / m_heads),
      m_states(m_config.spec.stateSize),
      m_in(plan.weights.linear(plan.at + "in.weight", 2 * (m_channels + m_states) + m_heads,
                               m_config.spec.width)),
      m_conv(plan, m_channels + 2 * m_states),
      m_deltaBias(drawnDeltaBias(plan, m_heads)),
      m_logA(plan.weights.drawn(plan.at + "log_a", {m_heads},
                                [](tasks::Rng& rng) { return std::log(1 + 15 * rng.uniform()); })),
      m_d(plan.weights.constant(plan.at + "d", {m_heads}, 1)),
      m_norm(plan.weights.constant(plan.at + "norm.weight", {m_channels}, 1)),
      m_out(plan.weights.linear(plan.at + "out.weight", m_config.spec.width, m_channels)) {}

at::Tensor Mamba2Mixer::forward(const at::Tensor& h, const at::Tensor& residual, const Pass& pass,
                                State* state) const {
    const auto parts =
        at::mm(h, m_in.t()).split_with_sizes({m_channels, m_channels + 2 * m_states, m_heads}, 1);
    const at::Tensor mixed = m_conv.apply(parts[1].unflatten(0, {pass.batch, pass.steps}),
                                          state == nullptr ? nullptr : &state->back(), m_execution);
    const auto head = [&](std::int64_t from, std::int64_t heads, std::int64_t width) {
        return mixed.narrow(2, from, heads * width).unflatten(2, {heads, width});
    };
    const ops::SsdArguments in{
        .x = head(0, m_heads, m_headDim),
        .delta = at::softplus(parts[2] + m_deltaBias).view({pass.batch, pass.steps, m_heads}),
        .a = -m_logA.exp(),
        .b = head(m_channels, 1, m_states),
        .c = head(m_channels + m_states, 1, m_states),
        .d = m_d,
        .initialState = state == nullptr ? at::Tensor() : state->front()};
    const auto memory = ops::ssd(in, m_execution, pass.wants("state_norm"));
    if (state != nullptr) {
        state->front() = memory.finalState;
    }
    if (pass.taps != nullptr) {
        show(in, memory, pass);
    }
    const at::Tensor gated =
        ops::siluGate(parts[0], memory.o.reshape({pass.rows(), m_channels}), m_execution);
    const at::Tensor normed = ops::rmsNorm(gated, m_norm, m_config.spec.normEpsilon, m_execution);
    if (pass.wants("mixer.out")) {
        pass.putRows("mixer.out", at::mm(normed, m_out.t()));
    }
    return at::addmm(residual, normed, m_out.t());
}

void Mamba2Mixer::show(const ops::SsdArguments& in, const ops::ScanResult& memory,
                       const Pass& pass) const {
    const at::NoGradGuard noGrad;
    pass.put("delta", in.delta);
    if (pass.wants("decay")) {
        pass.put("decay", (in.delta * in.a).exp());
    }
    if (memory.stateNorm.defined()) {
        pass.put("state_norm", memory.stateNorm);
    }
}

}  // namespace

std::unique_ptr<Mixer> makeMamba2Mixer(const MixerPlan& plan) {
    return std::make_unique<Mamba2Mixer>(plan);
}

}  // namespace lab::models
