// Causal softmax attention over every token so far:  o_t = sum_{s <= t} softmax_s(q_t k_s /
// sqrt(D)) v_s.
//
// Rotary positions turn q and k (core/ops/attention.h); learned positions are added to the
// embedding by the skeleton. Source: Vaswani et al., "Attention Is All You Need" (1706.03762),
// section 3.2.
#include <ATen/ATen.h>

#include "core/models/mixer.h"
#include "core/ops/attention.h"

namespace lab::models {
namespace {

class AttentionMixer : public Mixer {
public:
    explicit AttentionMixer(const MixerPlan& plan)
        : m_config(plan.config),
          m_execution(plan.execution),
          m_width(m_config.spec.width),
          m_heads(m_config.spec.heads),
          m_headWidth(m_width / m_heads),
          m_qkv(plan.weights.linear(plan.at + "qkv.weight", 3 * m_width, m_width)),
          m_out(plan.weights.linear(plan.at + "out.weight", m_width, m_width)) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override;
    [[nodiscard]] State initialState(std::int64_t batch) const override {
        const auto none = at::zeros({batch, 0, m_heads, m_headWidth}, tensorOptions(m_config));
        return {none, none};
    }
    [[nodiscard]] double flopsPerToken(std::int64_t steps) const override {
        const auto width = static_cast<double>(m_width);
        const double seen = (static_cast<double>(steps) + 1) / 2;  // tokens, on average
        return 8 * width * width + seen * (4 * width + 4 * static_cast<double>(m_heads));
    }
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t steps) const override {
        return 2 * m_width * steps;
    }
    [[nodiscard]] std::string kernelName() const override {
        return m_execution.plain || m_config.cuda
                   ? std::string()
                   : ops::attentionKernelName(m_heads, m_headWidth, m_config.doublePrecision);
    }

private:
    static void show(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const at::Tensor& allKeys, const Pass& pass);

    ModelConfig m_config;
    ops::Execution m_execution;
    std::int64_t m_width, m_heads, m_headWidth;
    at::Tensor m_qkv, m_out;
};

at::Tensor AttentionMixer::forward(const at::Tensor& h, const at::Tensor& residual,
                                   const Pass& pass, State* state) const {
    const auto qkv =
        at::mm(h, m_qkv.t()).view({pass.batch, pass.steps, 3, m_heads, m_headWidth}).unbind(2);
    const bool rotary = m_config.spec.position == values::PositionCode::kRotary;
    const std::int64_t past = state == nullptr ? 0 : state->front().size(1);
    const auto turned = [&](const at::Tensor& x) { return rotary ? ops::rotated(x, past) : x; };
    at::Tensor q = qkv[0];
    at::Tensor k = qkv[1];
    at::Tensor v = qkv[2];
    if (state != nullptr) {  // its keys are turned already
        q = turned(q);
        k = at::cat({(*state)[0], turned(k)}, 1);
        v = at::cat({(*state)[1], v}, 1);
        *state = {k, v};
    }
    if (pass.taps != nullptr) {
        show(turned(qkv[0]), turned(qkv[1]), qkv[2], state == nullptr ? at::Tensor() : k, pass);
    }
    const at::Tensor rows =
        ops::attention(q, k, v, {.rotary = rotary && state == nullptr}, m_execution)
            .reshape({pass.rows(), m_width});
    if (pass.wants("mixer.out")) {
        pass.putRows("mixer.out", at::mm(rows, m_out.t()));
    }
    return at::addmm(residual, rows, m_out.t());
}

/// q, k, v of the tokens of this pass; allKeys: those of the past too, undefined without one.
void AttentionMixer::show(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                          const at::Tensor& allKeys, const Pass& pass) {
    pass.put("q", q);
    pass.put("k", k);
    pass.put("v", v);
    if (pass.wants("pattern")) {
        const at::NoGradGuard noGrad;
        pass.put("pattern", ops::attentionPattern(q, allKeys.defined() ? allKeys : k));
    }
}

}  // namespace

std::unique_ptr<Mixer> makeAttentionMixer(const MixerPlan& plan) {
    return std::make_unique<AttentionMixer>(plan);
}

}  // namespace lab::models
