// Rotary positions turn the pairs (j, j + D/2) of q and k by the angle position 10000^(-2j/D).
// Source: Su et al., "RoFormer" (2104.09864), section 3.2.2.
#include "core/ops/attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <limits>

#include "core/ops/kernel_call.h"
#include "kernels/attention.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr double kRotaryBase = 10'000;

kernels::AttentionPlan planOf(const at::Tensor& q, const at::Tensor& k,
                              const AttentionOptions& options) {
    const auto extent = [](std::int64_t n) { return static_cast<int>(n); };
    const auto plan =
        kernels::attentionPlan({.batch = extent(q.size(0)),
                                .steps = extent(q.size(1)),
                                .keySteps = extent(k.size(1)),
                                .heads = extent(q.size(2)),
                                .groups = extent(k.size(2)),
                                .keyDim = extent(q.size(3)),
                                .valueDim = extent(q.size(3))},
                               {.scale = 1 / std::sqrt(static_cast<double>(q.size(3))),
                                .window = options.window,
                                .rotaryBase = options.rotary ? kRotaryBase : 0.0},
                               kernels::bestIsa(), q.scalar_type() == at::kDouble);
    require(plan.status, "attention");
    return plan;
}

struct Settings {
    AttentionOptions options;
    Execution execution;
};

struct AttentionNode : torch::autograd::Function<AttentionNode> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                              const at::Tensor& v, const Settings& settings) {
        const auto plan = planOf(q, k, settings.options);
        const at::Tensor o = at::empty(q.sizes(), q.options());
        const at::Tensor logSum = at::empty({q.size(0), q.size(2), q.size(1)}, q.options());
        const at::Tensor room = at::empty({static_cast<std::int64_t>(plan.forwardWorkspaceBytes)},
                                          q.options().dtype(at::kByte));
        withElement(q, [&](auto zero) {
            using T = decltype(zero);
            require(kernels::attentionForward<T>(
                        plan, {viewOf<const T>(q), viewOf<const T>(k), viewOf<const T>(v)},
                        {viewOf<T>(o), mutableDataOf<T>(logSum)}, room.mutable_data_ptr(),
                        execOf(settings.execution)),
                    "attention");
        });
        ctx->save_for_backward({q, k, v, o, logSum});
        carry(ctx, settings);
        return o;
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("attention");
        const auto saved = ctx->get_saved_variables();
        const tensor_list g = wantedGradients(ctx, at::TensorList(saved).slice(0, 3));
        const auto settings = carried<Settings>(ctx);
        const auto plan = planOf(saved[0], saved[1], settings.options);
        const at::Tensor room = at::empty({static_cast<std::int64_t>(plan.backwardWorkspaceBytes)},
                                          saved[0].options().dtype(at::kByte));
        withElement(saved[0], [&](auto zero) {
            using T = decltype(zero);
            require(
                kernels::attentionBackward<T>(
                    plan,
                    {viewOf<const T>(saved[0]), viewOf<const T>(saved[1]),
                     viewOf<const T>(saved[2])},
                    {viewOf<const T>(saved[3]), dataOf<T>(saved[4]), viewOf<const T>(upstream[0]),
                     viewOf<T>(g[0]), viewOf<T>(g[1]), viewOf<T>(g[2])},
                    room.mutable_data_ptr(), execOf(settings.execution)),
                "attention, backward");
        });
        return {g[0], g[1], g[2], {}};
    }
};

/// [T, S], true where a query sees a place.
at::Tensor seen(std::int64_t steps, std::int64_t places, int window, const at::Tensor& like) {
    const auto options = like.options().dtype(at::kLong);
    const at::Tensor place = at::arange(places, options).unsqueeze(0);
    const at::Tensor own = at::arange(places - steps, places, options).unsqueeze(1);
    const at::Tensor before = place.le(own);
    return window > 0 ? before.logical_and(place.gt(own - window)) : before;
}

/// By LibTorch's operators.
at::Tensor plainAttention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                          const AttentionOptions& options) {
    const auto steps = q.size(1);
    const auto places = k.size(1);
    const at::Tensor turnedQ = options.rotary ? rotated(q, places - steps) : q;
    const at::Tensor turnedK = options.rotary ? rotated(k, 0) : k;
    const bool plainMask = steps == places && options.window == 0;
    return at::scaled_dot_product_attention(
               turnedQ.transpose(1, 2), turnedK.transpose(1, 2), v.transpose(1, 2),
               plainMask ? std::nullopt : std::optional(seen(steps, places, options.window, q)),
               0.0, plainMask)
        .transpose(1, 2);
}

}  // namespace

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionOptions& options, const Execution& execution) {
    TORCH_CHECK(q.dim() == 4 && k.dim() == 4 && k.sizes() == v.sizes() && k.size(0) == q.size(0) &&
                    k.sizes().slice(2) == q.sizes().slice(2) && k.size(1) >= q.size(1),
                "attention: q is ", q.sizes(), ", k is ", k.sizes(), ", v is ", v.sizes());
    return usesOperators(execution, q)
               ? plainAttention(q, k, v, options)
               : AttentionNode::apply(q, k, v, Settings{options, execution});
}

at::Tensor attentionPattern(const at::Tensor& q, const at::Tensor& k) {
    const at::Tensor scores = at::matmul(q.transpose(1, 2), k.permute({0, 2, 3, 1})) /
                              std::sqrt(static_cast<double>(q.size(3)));
    const at::Tensor hidden = seen(q.size(1), k.size(1), 0, q).logical_not();
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

std::string attentionKernelName(std::int64_t heads, std::int64_t headWidth, bool doublePrecision) {
    const int dim = static_cast<int>(headWidth);
    const int count = static_cast<int>(heads);
    return kernels::attentionPlan({1, 1, 1, count, count, dim, dim}, {}, kernels::bestIsa(),
                                  doublePrecision)
        .variant;
}

}  // namespace lab::ops
