#include "core/ops/rms_norm.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "kernels/norm.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

kernels::RowShape shapeOf(const at::Tensor& x) {
    return {.rows = x.size(0),
            .width = static_cast<int>(x.size(1)),
            .inputStride = x.stride(0),
            .outputStride = x.size(1)};
}

/// Rows may be far apart, but a row itself is contiguous.
at::Tensor withContiguousRows(const at::Tensor& x) {
    return x.stride(1) == 1 || x.size(1) == 1 ? x : x.contiguous();
}

struct RmsNormNode : torch::autograd::Function<RmsNormNode> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& input,
                              const at::Tensor& weight, double epsilon,
                              const Execution& execution) {
        const at::Tensor x = withContiguousRows(input);
        const at::Tensor y = at::empty({x.size(0), x.size(1)}, x.options());
        const at::Tensor inverse = at::empty({x.size(0)}, x.options());
        withElement(x, [&](auto zero) {
            using T = decltype(zero);
            require(
                kernels::normForward<T>(kernels::Norm::kRms, shapeOf(x), epsilon,
                                        {.x = dataOf<T>(x), .weight = dataOf<T>(weight)},
                                        mutableDataOf<T>(y), {.inverse = mutableDataOf<T>(inverse)},
                                        kernels::bestIsa(), execOf(execution)),
                "rmsNorm");
        });
        ctx->save_for_backward({x, weight, inverse});
        carry(ctx, execution);
        return y;
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("rmsNorm");
        const auto saved = ctx->get_saved_variables();
        const at::Tensor& x = saved[0];
        const at::Tensor& weight = saved[1];
        const at::Tensor gradY = upstream[0].contiguous();
        // The kernel writes gradX with the rows of x; a packed copy of x is the rarer case.
        const at::Tensor packed = x.is_contiguous() ? x : x.contiguous();
        const at::Tensor gradX = at::empty_like(packed);
        const at::Tensor gradWeight =
            ctx->needs_input_grad(1) ? at::empty_like(weight) : at::Tensor();
        const auto shape = shapeOf(packed);
        const auto execution = carried<Execution>(ctx);
        withElement(x, [&](auto zero) {
            using T = decltype(zero);
            const auto bytes = kernels::normWorkspaceBytes(shape, sizeof(T) == sizeof(double));
            const at::Tensor workspace =
                at::empty({static_cast<std::int64_t>(bytes)}, x.options().dtype(at::kByte));
            require(kernels::normBackward<T>(kernels::Norm::kRms, shape,
                                             {.x = dataOf<T>(packed), .weight = dataOf<T>(weight)},
                                             {.inverse = dataOf<T>(saved[2])},
                                             {.gradY = dataOf<T>(gradY),
                                              .gradX = mutableDataOf<T>(gradX),
                                              .gradWeight = mutableDataOf<T>(gradWeight)},
                                             workspace.mutable_data_ptr(), kernels::bestIsa(),
                                             execOf(execution)),
                    "rmsNorm, backward");
        });
        return {gradX, gradWeight, {}, {}};
    }
};

}  // namespace

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& weight, double epsilon,
                   const Execution& execution) {
    TORCH_CHECK(x.dim() == 2, "rmsNorm: x must be [rows, width], got ", x.sizes());
    TORCH_CHECK(weight.dim() == 1 && weight.size(0) == x.size(1), "rmsNorm: x is ", x.sizes(),
                ", the weight is ", weight.sizes());
    if (usesOperators(execution, x)) {
        return at::rms_norm(x, {x.size(1)}, weight, epsilon);
    }
    return RmsNormNode::apply(x, weight, epsilon, execution);
}

}  // namespace lab::ops
