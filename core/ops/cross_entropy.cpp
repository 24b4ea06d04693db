#include "core/ops/cross_entropy.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "kernels/cross_entropy.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// share_i = weight_i / sum of weights, so that the loss is a plain sum and so is its gradient.
at::Tensor sharesOf(const at::Tensor& weights, const at::Tensor& targets) {
    const at::Tensor counted = at::where(targets.ge(0), weights, at::zeros({}, weights.options()));
    const at::Tensor total = counted.sum();
    return counted / at::where(total.gt(0), total, at::ones_like(total));
}

struct CrossEntropyNode : torch::autograd::Function<CrossEntropyNode> {
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& logits,
                               const at::Tensor& targets, const at::Tensor& shares,
                               const Execution& execution) {
        const at::Tensor x = logits.contiguous();
        const at::Tensor gradient = at::empty_like(x);
        const at::Tensor byToken = at::empty({x.size(0)}, x.options());
        const at::Tensor correct = at::empty({x.size(0)}, x.options().dtype(at::kByte));
        withElement(x, [&](auto zero) {
            using T = decltype(zero);
            require(kernels::crossEntropy<T>(x.size(0), static_cast<int>(x.size(1)), dataOf<T>(x),
                                             dataOf<std::int64_t>(targets), dataOf<T>(shares),
                                             mutableDataOf<T>(byToken), mutableDataOf<T>(gradient),
                                             mutableDataOf<std::uint8_t>(correct),
                                             kernels::bestIsa(), execOf(execution)),
                    "weightedCrossEntropy");
        });
        ctx->save_for_backward({gradient});
        ctx->mark_non_differentiable({byToken, correct});
        return {at::dot(byToken, shares), byToken, correct};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("weightedCrossEntropy");
        return {ctx->get_saved_variables()[0] * upstream[0], {}, {}, {}};
    }
};

CrossEntropy plainCrossEntropy(const at::Tensor& logits, const at::Tensor& targets,
                               const at::Tensor& shares) {
    const at::Tensor counted = targets.clamp_min(0).unsqueeze(1);
    at::Tensor byToken = -at::log_softmax(logits, 1).gather(1, counted).squeeze(1);
    byToken = byToken * targets.ge(0);
    return {(byToken * shares).sum(), byToken.detach(),
            logits.detach().argmax(1).eq(targets).to(at::kByte)};
}

}  // namespace

CrossEntropy weightedCrossEntropy(const at::Tensor& logits, const at::Tensor& targets,
                                  const at::Tensor& weights, const Execution& execution) {
    TORCH_CHECK(logits.dim() == 2, "weightedCrossEntropy: logits must be [tokens, classes], got ",
                logits.sizes());
    TORCH_CHECK(targets.dim() == 1 && targets.size(0) == logits.size(0) &&
                    targets.scalar_type() == at::kLong,
                "weightedCrossEntropy: targets must be int64 [", logits.size(0), "], got ",
                targets.sizes());
    TORCH_CHECK(weights.sizes() == targets.sizes(), "weightedCrossEntropy: weights are ",
                weights.sizes(), ", targets are ", targets.sizes());
    const at::Tensor target = targets.contiguous();
    const at::Tensor shares = sharesOf(weights.to(logits.scalar_type()), target).contiguous();
    if (usesOperators(execution, logits)) {
        return plainCrossEntropy(logits, target, shares);
    }
    const tensor_list out = CrossEntropyNode::apply(logits, target, shares, execution);
    return {out[0], out[1], out[2]};
}

}  // namespace lab::ops
