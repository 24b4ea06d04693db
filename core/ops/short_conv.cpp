#include "core/ops/short_conv.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "kernels/short_conv.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

kernels::ConvShape shapeOf(const at::Tensor& x, const at::Tensor& weight) {
    return {.batch = static_cast<int>(x.size(0)),
            .steps = static_cast<int>(x.size(1)),
            .channels = static_cast<int>(x.size(2)),
            .width = static_cast<int>(weight.size(1))};
}

/// A view [batch, time, 1, channel].
template <class T>
kernels::View<T> sequenceView(const at::Tensor& x) {
    return viewOf<T>(x.defined() ? x.unsqueeze(2) : x);
}

template <class T>
kernels::ConvInputs<T> inputsOf(const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, const at::Tensor& carried) {
    return {.x = sequenceView<const T>(x),
            .weight = dataOf<T>(weight),
            .bias = dataOf<T>(bias),
            .initialState = dataOf<T>(carried)};
}

kernels::Activation activationOf(bool silu) {
    return silu ? kernels::Activation::kSilu : kernels::Activation::kNone;
}

struct ShortConvNode : torch::autograd::Function<ShortConvNode> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& weight,
                              const std::optional<at::Tensor>& maybeBias,
                              const std::optional<at::Tensor>& maybePast, bool silu,
                              const Execution& execution) {
        const at::Tensor bias = orUndefined(maybeBias);
        const at::Tensor past = orUndefined(maybePast);
        const at::Tensor y = at::empty({x.size(0), x.size(1), x.size(2)}, x.options());
        withElement(x, [&](auto zero) {
            using T = decltype(zero);
            require(kernels::shortConvForward<T>(
                        shapeOf(x, weight), activationOf(silu), inputsOf<T>(x, weight, bias, past),
                        sequenceView<T>(y), nullptr, kernels::bestIsa(), execOf(execution)),
                    "shortConv");
        });
        ctx->save_for_backward({x, weight, bias, past});
        carry(ctx, std::pair(silu, execution));
        return y;
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("shortConv");
        const auto saved = ctx->get_saved_variables();
        const tensor_list grads = wantedGradients(ctx, saved);
        const auto shape = shapeOf(saved[0], saved[1]);
        const auto [silu, execution] = carried<std::pair<bool, Execution>>(ctx);
        withElement(saved[0], [&](auto zero) {
            using T = decltype(zero);
            const auto bytes = kernels::shortConvWorkspaceBytes(shape, sizeof(T) == sizeof(double));
            const at::Tensor workspace =
                at::empty({static_cast<std::int64_t>(bytes)}, saved[0].options().dtype(at::kByte));
            const kernels::ConvGradients<T> gradients{
                .gradY = sequenceView<const T>(upstream[0]),
                .gradX = sequenceView<T>(grads[0]),
                .gradWeight = mutableDataOf<T>(grads[1]),
                .gradBias = mutableDataOf<T>(grads[2]),
                .gradInitialState = mutableDataOf<T>(grads[3])};
            require(
                kernels::shortConvBackward<T>(
                    shape, activationOf(silu), inputsOf<T>(saved[0], saved[1], saved[2], saved[3]),
                    gradients, workspace.mutable_data_ptr(), kernels::bestIsa(), execOf(execution)),
                "shortConv, backward");
        });
        return {grads[0], grads[1], grads[2], grads[3], {}, {}};
    }
};

at::Tensor withPast(const at::Tensor& x, const at::Tensor& carried, std::int64_t width) {
    const at::Tensor past = carried.defined()
                                ? carried.transpose(1, 2)
                                : at::zeros({x.size(0), width - 1, x.size(2)}, x.options());
    return at::cat({past, x}, 1);
}

/// Shifted copies, multiplied and added: of the plain forms the fastest on a CPU.
at::Tensor plainConv(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const at::Tensor& carried, ConvActivation activation) {
    const at::Tensor padded = withPast(x, carried, weight.size(1));
    at::Tensor y = padded.narrow(1, 0, x.size(1)) * weight.select(1, 0);
    for (std::int64_t tap = 1; tap < weight.size(1); ++tap) {
        y = at::addcmul(y, padded.narrow(1, tap, x.size(1)), weight.select(1, tap));
    }
    if (bias.defined()) {
        y = y + bias;
    }
    return activation == ConvActivation::kSilu ? at::silu(y) : y;
}

}  // namespace

at::Tensor shortConv(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                     const at::Tensor& carried, ConvActivation activation,
                     const Execution& execution) {
    TORCH_CHECK(x.dim() == 3, "shortConv: x must be [batch, steps, channels], got ", x.sizes());
    TORCH_CHECK(weight.dim() == 2 && weight.size(0) == x.size(2), "shortConv: x is ", x.sizes(),
                ", the weight is ", weight.sizes());
    if (usesOperators(execution, x)) {
        return plainConv(x, weight, bias, carried, activation);
    }
    return ShortConvNode::apply(x, weight.contiguous(), maybe(bias),
                                maybe(carried.defined() ? carried.contiguous() : carried),
                                activation == ConvActivation::kSilu, execution);
}

at::Tensor carriedInputs(const at::Tensor& x, const at::Tensor& carried, std::int64_t width) {
    const at::NoGradGuard noGrad;
    const at::Tensor padded = withPast(x, carried, width);
    return padded.narrow(1, padded.size(1) - (width - 1), width - 1).transpose(1, 2).contiguous();
}

}  // namespace lab::ops
