// Rotary positions turn the pairs (j, j + D/2) of q and k by the angle position 10000^(-2j/D), so
// that q_t k_s depends on t - s. Source: Su et al., "RoFormer" (2104.09864), section 3.2.2.
#include "core/models/attention.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

namespace lab::models {
namespace {

constexpr double kRotaryBase = 10'000;

}  // namespace

at::Tensor visibleKeys(std::int64_t past, std::int64_t steps, const at::Tensor& like) {
    const auto options = like.options().dtype(at::kLong);
    return at::arange(past + steps, options)
        .unsqueeze(0)
        .le(at::arange(past, past + steps, options).unsqueeze(1));
}

at::Tensor causalAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    const auto steps = q.size(2);
    const auto past = k.size(2) - steps;
    return past == 0 ? at::scaled_dot_product_attention(q, k, v, {}, 0.0, /*is_causal=*/true)
                     : at::scaled_dot_product_attention(q, k, v, visibleKeys(past, steps, q));
}

at::Tensor attentionPattern(const at::Tensor& q, const at::Tensor& k) {
    const auto steps = q.size(2);
    const at::Tensor scores =
        at::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(q.size(3)));
    const at::Tensor hidden = visibleKeys(k.size(2) - steps, steps, q).logical_not();
    return at::softmax(scores.masked_fill(hidden, -std::numeric_limits<double>::infinity()), -1);
}

at::Tensor rotated(const at::Tensor& x, std::int64_t first) {
    const auto steps = x.size(1);
    const auto width = x.size(3);
    const auto options = x.options().dtype(at::kDouble);
    const at::Tensor frequency =
        at::pow(kRotaryBase, at::arange(width / 2, options) * (-2.0 / static_cast<double>(width)));
    const at::Tensor angle = at::arange(first, first + steps, options).unsqueeze(1) * frequency;
    const at::Tensor cosine = angle.cos().to(x.scalar_type()).unsqueeze(1);  // [steps, 1, D/2]
    const at::Tensor sine = angle.sin().to(x.scalar_type()).unsqueeze(1);
    const auto halves = x.chunk(2, -1);
    return at::cat({halves[0] * cosine - halves[1] * sine, halves[0] * sine + halves[1] * cosine},
                   -1);
}

}  // namespace lab::models
