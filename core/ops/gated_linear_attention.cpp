#include "core/ops/gated_linear_attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "core/ops/scan_loops.h"
#include "kernels/gated_linear_attention.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct Settings {
    double scale;
    Execution execution;
    bool wantsStateNorm;
};

kernels::GlaPlan planOf(const at::Tensor& q, const at::Tensor& v, const at::Tensor& gate,
                        double scale) {
    const auto plan = kernels::glaPlan({.batch = static_cast<int>(q.size(0)),
                                        .steps = static_cast<int>(q.size(1)),
                                        .heads = static_cast<int>(q.size(2)),
                                        .keyDim = static_cast<int>(q.size(3)),
                                        .valueDim = static_cast<int>(v.size(3))},
                                       {.scale = scale, .vectorGate = gate.dim() == 4},
                                       kernels::bestIsa(), q.scalar_type() == at::kDouble);
    require(plan.status, "gatedLinearAttention");
    return plan;
}

template <class T>
kernels::GlaInputs<T> inputsOf(const tensor_list& in) {
    return {.q = viewOf<const T>(in[0]),
            .k = viewOf<const T>(in[1]),
            .v = viewOf<const T>(in[2]),
            .gate = viewOf<const T>(in[3]),
            .initialState = dataOf<T>(in[4])};
}

at::Tensor roomFor(std::size_t bytes, const at::Tensor& like) {
    return at::empty({static_cast<std::int64_t>(bytes)}, like.options().dtype(at::kByte));
}

struct GlaNode : torch::autograd::Function<GlaNode> {
    // Autograd takes each tensor as an argument of its own.
    // NOLINTNEXTLINE(readability-function-size)
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                               const at::Tensor& v, const at::Tensor& gate,
                               const std::optional<at::Tensor>& initialState,
                               const Settings& settings) {
        const tensor_list in{q, k, v, gate, orUndefined(initialState)};
        const auto plan = planOf(q, v, gate, settings.scale);
        const auto options = q.options();
        const at::Tensor o = at::empty(v.sizes(), options);
        const at::Tensor final = at::empty({q.size(0), q.size(2), q.size(3), v.size(3)}, options);
        const at::Tensor norm =
            settings.wantsStateNorm
                ? at::empty({q.size(0), q.size(1), q.size(2)}, options.dtype(at::kFloat))
                : at::Tensor();
        const at::Tensor room = roomFor(plan.forwardWorkspaceBytes, q);
        withElement(q, [&](auto zero) {
            using T = decltype(zero);
            require(kernels::glaForward<T>(plan, inputsOf<T>(in),
                                           {.o = viewOf<T>(o),
                                            .finalState = mutableDataOf<T>(final),
                                            .stateNorm = mutableDataOf<float>(norm)},
                                           room.mutable_data_ptr(), execOf(settings.execution)),
                    "gatedLinearAttention");
        });
        ctx->save_for_backward(in);
        ctx->set_materialize_grads(false);
        carry(ctx, settings);
        if (!settings.wantsStateNorm) {
            return {o, final};
        }
        ctx->mark_non_differentiable({norm});
        return {o, final, norm};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("gatedLinearAttention");
        const auto saved = ctx->get_saved_variables();
        const auto settings = carried<Settings>(ctx);
        const tensor_list g = wantedGradients(ctx, saved);
        const auto plan = planOf(saved[0], saved[2], saved[3], settings.scale);
        const at::Tensor gradFinal = upstream[1].defined() ? upstream[1].contiguous() : upstream[1];
        const at::Tensor room = roomFor(plan.backwardWorkspaceBytes, saved[0]);
        withElement(saved[0], [&](auto zero) {
            using T = decltype(zero);
            const kernels::GlaGradients<T> gradients{.gradO = viewOf<const T>(upstream[0]),
                                                     .gradFinalState = dataOf<T>(gradFinal),
                                                     .gradQ = viewOf<T>(g[0]),
                                                     .gradK = viewOf<T>(g[1]),
                                                     .gradV = viewOf<T>(g[2]),
                                                     .gradGate = viewOf<T>(g[3]),
                                                     .gradInitialState = mutableDataOf<T>(g[4])};
            require(kernels::glaBackward<T>(plan, inputsOf<T>(saved), gradients,
                                            room.mutable_data_ptr(), execOf(settings.execution)),
                    "gatedLinearAttention, backward");
        });
        return {g[0], g[1], g[2], g[3], g[4], {}};
    }
};

void check(const GlaArguments& in) {
    TORCH_CHECK(in.q.dim() == 4 && in.q.sizes() == in.k.sizes() && in.v.dim() == 4 &&
                    in.v.sizes().slice(0, 3) == in.q.sizes().slice(0, 3),
                "gatedLinearAttention: q is ", in.q.sizes(), ", k is ", in.k.sizes(), ", v is ",
                in.v.sizes());
    TORCH_CHECK(in.gate.sizes() == in.q.sizes() || in.gate.sizes() == in.q.sizes().slice(0, 3),
                "gatedLinearAttention: q is ", in.q.sizes(), ", the gate is ", in.gate.sizes());
}

}  // namespace

ScanResult gatedLinearAttention(const GlaArguments& in, const Execution& execution,
                                bool wantsStateNorm) {
    check(in);
    if (usesOperators(execution, in.q)) {
        return gatedLinearAttentionLoop(in);
    }
    const at::Tensor initial =
        in.initialState.defined() ? in.initialState.contiguous() : in.initialState;
    const tensor_list out = GlaNode::apply(in.q, in.k, in.v, in.gate, maybe(initial),
                                           Settings{in.scale, execution, wantsStateNorm});
    return {out[0], out[1], wantsStateNorm ? out[2] : at::Tensor()};
}

std::string glaKernelName(std::int64_t keyDim, std::int64_t valueDim, bool doublePrecision) {
    return kernels::glaPlan({1, 1, 1, static_cast<int>(keyDim), static_cast<int>(valueDim)}, {},
                            kernels::bestIsa(), doublePrecision)
        .variant;
}

}  // namespace lab::ops
