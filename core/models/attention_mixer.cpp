// Causal softmax attention over every token so far:  o_t = sum_{s <= t} softmax_s(q_t k_s /
// sqrt(D)) v_s.
//
// Rotary positions turn the pairs (j, j + D/2) of q and k by the angle position 10000^(-2j/D), so
// that q_t k_s depends on t - s. Source: Vaswani et al. (1706.03762), section 3.2; Su et al.,
// "RoFormer" (2104.09864), section 3.2.2. Learned positions are added to the embedding (skeleton).
#include <ATen/ATen.h>

#include <cmath>

#include "core/models/mixer.h"

namespace lab::models {
namespace {

constexpr double kRotaryBase = 10'000;

class AttentionMixer : public Mixer {
public:
    explicit AttentionMixer(const MixerPlan& plan)
        : m_config(plan.config),
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

private:
    [[nodiscard]] at::Tensor rotated(const at::Tensor& x, std::int64_t first) const;
    void showPattern(const at::Tensor& q, const at::Tensor& k, const at::Tensor& visible,
                     const Pass& pass) const;

    ModelConfig m_config;
    std::int64_t m_width, m_heads, m_headWidth;
    at::Tensor m_qkv, m_out;
};

/// [steps, all] true where query t, at position past + t, may see the key.
at::Tensor visibleKeys(std::int64_t past, std::int64_t steps, const at::Tensor& like) {
    const auto options = like.options().dtype(at::kLong);
    return at::arange(past + steps, options)
        .unsqueeze(0)
        .le(at::arange(past, past + steps, options).unsqueeze(1));
}

at::Tensor AttentionMixer::forward(const at::Tensor& h, const at::Tensor& residual,
                                   const Pass& pass, State* state) const {
    const auto qkv =
        at::mm(h, m_qkv.t()).view({pass.batch, pass.steps, 3, m_heads, m_headWidth}).unbind(2);
    const std::int64_t past = state == nullptr ? 0 : state->front().size(1);
    const bool rotary = m_config.spec.position == values::PositionCode::kRotary;
    at::Tensor q = rotary ? rotated(qkv[0], past) : qkv[0];
    at::Tensor k = rotary ? rotated(qkv[1], past) : qkv[1];
    at::Tensor v = qkv[2];
    pass.put("q", q);
    pass.put("k", k);
    pass.put("v", v);
    if (state != nullptr) {
        k = at::cat({(*state)[0], k}, 1);
        v = at::cat({(*state)[1], v}, 1);
        *state = {k, v};
    }
    q = q.transpose(1, 2);
    k = k.transpose(1, 2);
    v = v.transpose(1, 2);
    if (pass.wants("pattern")) {
        showPattern(q, k, visibleKeys(past, pass.steps, q), pass);
    }
    const at::Tensor o =
        past == 0 ? at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true)
                  : at::scaled_dot_product_attention(q, k, v, visibleKeys(past, pass.steps, q));
    const at::Tensor rows = o.transpose(1, 2).reshape({pass.rows(), m_width});
    if (pass.wants("mixer.out")) {
        pass.putRows("mixer.out", at::mm(rows, m_out.t()));
    }
    return at::addmm(residual, rows, m_out.t());
}

at::Tensor AttentionMixer::rotated(const at::Tensor& x, std::int64_t first) const {
    const auto steps = x.size(1);
    const auto options = x.options().dtype(at::kDouble);
    const at::Tensor frequency =
        at::pow(kRotaryBase,
                at::arange(m_headWidth / 2, options) * (-2.0 / static_cast<double>(m_headWidth)));
    const at::Tensor angle = at::arange(first, first + steps, options).unsqueeze(1) * frequency;
    const at::Tensor cosine = angle.cos().to(x.scalar_type()).unsqueeze(1);  // [steps, 1, D/2]
    const at::Tensor sine = angle.sin().to(x.scalar_type()).unsqueeze(1);
    const auto halves = x.chunk(2, -1);
    return at::cat({halves[0] * cosine - halves[1] * sine, halves[0] * sine + halves[1] * cosine},
                   -1);
}

void AttentionMixer::showPattern(const at::Tensor& q, const at::Tensor& k,
                                 const at::Tensor& visible, const Pass& pass) const {
    const at::NoGradGuard noGrad;
    const at::Tensor scores =
        at::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(m_headWidth));
    pass.put("pattern", at::softmax(scores.masked_fill(visible.logical_not(), -INFINITY), -1));
}

}  // namespace

std::unique_ptr<Mixer> makeAttentionMixer(const MixerPlan& plan) {
    return std::make_unique<AttentionMixer>(plan);
}

}  // namespace lab::models
