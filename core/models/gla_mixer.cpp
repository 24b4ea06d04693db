// Gated linear attention:  q, k, v, log gate -> scan -> RMSNorm per head, times a SiLU gate ->
// linear.
//
//   S <- diag(exp(g)) S + k v^T;   o = S^T q / sqrt(K);   g = log sigmoid(W2 W1 h + b) / 16
//
// The eigenvalues of a step are its decays, in (0, 1), each along a key channel of its own: a token
// can forget, but never swap. Source: Yang et al., "Gated Linear Attention Transformers with
// Hardware-Efficient Training" (2312.06635), section 4.4.
#include <ATen/ATen.h>

#include <cmath>

#include "core/models/mixer.h"
#include "core/ops/gated_linear_attention.h"
#include "core/ops/rms_norm.h"
#include "core/ops/silu_gate.h"
#include "kernels/gated_linear_attention.h"

namespace lab::models {
namespace {

constexpr std::int64_t kGateRank = 16;
constexpr double kGateTemperature = 16;

class GlaMixer : public Mixer {
public:
    explicit GlaMixer(const MixerPlan& plan)
        : m_config(plan.config),
          m_execution(plan.execution),
          m_width(m_config.spec.width),
          m_heads(m_config.spec.heads),
          m_headWidth(m_width / m_heads),
          m_qkv(plan.weights.linear(plan.at + "qkv.weight", 3 * m_width, m_width)),
          m_gateDown(plan.weights.linear(plan.at + "gate.down.weight", kGateRank, m_width)),
          m_gateUp(plan.weights.linear(plan.at + "gate.up.weight", m_width, kGateRank)),
          m_gateBias(plan.weights.constant(plan.at + "gate.bias", {m_width}, 0)),
          m_headNorm(plan.weights.constant(plan.at + "head_norm.weight", {m_headWidth}, 1)),
          m_outGate(plan.weights.linear(plan.at + "out_gate.weight", m_width, m_width)),
          m_out(plan.weights.linear(plan.at + "out.weight", m_width, m_width)) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override;
    [[nodiscard]] State initialState(std::int64_t batch) const override {
        return {at::zeros({batch, m_heads, m_headWidth, m_headWidth}, tensorOptions(m_config))};
    }
    [[nodiscard]] double flopsPerToken(std::int64_t) const override {
        const auto width = static_cast<double>(m_width);
        const int dim = static_cast<int>(m_headWidth);
        return 2 * width * (5 * width + 2 * kGateRank) + 8 * width +
               kernels::glaForwardCost({1, 1, static_cast<int>(m_heads), dim, dim}, true).flops;
    }
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t) const override {
        return m_width * m_headWidth;
    }
    [[nodiscard]] std::string kernelName() const override {
        return m_execution.plain || m_config.cuda
                   ? std::string()
                   : ops::glaKernelName(m_headWidth, m_headWidth, m_config.doublePrecision);
    }

private:
    ModelConfig m_config;
    ops::Execution m_execution;
    std::int64_t m_width, m_heads, m_headWidth;
    at::Tensor m_qkv, m_gateDown, m_gateUp, m_gateBias, m_headNorm, m_outGate, m_out;
};

at::Tensor GlaMixer::forward(const at::Tensor& h, const at::Tensor& residual, const Pass& pass,
                             State* state) const {
    const auto qkv =
        at::mm(h, m_qkv.t()).view({pass.batch, pass.steps, 3, m_heads, m_headWidth}).unbind(2);
    const at::Tensor gate =
        at::log_sigmoid(at::addmm(m_gateBias, at::mm(h, m_gateDown.t()), m_gateUp.t()))
            .div(kGateTemperature)
            .view({pass.batch, pass.steps, m_heads, m_headWidth});
    const auto memory =
        ops::gatedLinearAttention({.q = qkv[0],
                                   .k = qkv[1],
                                   .v = qkv[2],
                                   .gate = gate,
                                   .initialState = state == nullptr ? at::Tensor() : state->front(),
                                   .scale = 1 / std::sqrt(static_cast<double>(m_headWidth))},
                                  m_execution, pass.wants("state_norm"));
    if (state != nullptr) {
        state->front() = memory.finalState;
    }
    if (pass.taps != nullptr) {
        pass.put("q", qkv[0]);
        pass.put("k", qkv[1]);
        pass.put("v", qkv[2]);
        pass.put("decay", gate.exp());
        if (memory.stateNorm.defined()) {
            pass.put("state_norm", memory.stateNorm);
        }
    }
    const at::Tensor normed = ops::rmsNorm(memory.o.reshape({pass.rows() * m_heads, m_headWidth}),
                                           m_headNorm, m_config.spec.normEpsilon, m_execution)
                                  .view({pass.rows(), m_width});
    const at::Tensor gated = ops::siluGate(at::mm(h, m_outGate.t()), normed, m_execution);
    if (pass.wants("mixer.out")) {
        pass.putRows("mixer.out", at::mm(gated, m_out.t()));
    }
    return at::addmm(residual, gated, m_out.t());
}

}  // namespace

std::unique_ptr<Mixer> makeGlaMixer(const MixerPlan& plan) {
    return std::make_unique<GlaMixer>(plan);
}

}  // namespace lab::models
