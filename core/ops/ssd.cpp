#include "kernels/ssd.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "core/ops/scan_loops.h"
#include "core/ops/state_space.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct Settings {
    Execution execution;
    bool wantsStateNorm;
};

/// Inputs in the order x, delta, a, b, c, d, initial state.
kernels::SsdPlan planOf(const tensor_list& in) {
    const auto plan = kernels::ssdPlan({.batch = static_cast<int>(in[0].size(0)),
                                        .steps = static_cast<int>(in[0].size(1)),
                                        .heads = static_cast<int>(in[0].size(2)),
                                        .groups = static_cast<int>(in[3].size(2)),
                                        .stateDim = static_cast<int>(in[3].size(3)),
                                        .headDim = static_cast<int>(in[0].size(3))},
                                       kernels::bestIsa(), in[0].scalar_type() == at::kDouble);
    require(plan.status, "ssd");
    return plan;
}

template <class T>
kernels::SsdInputs<T> inputsOf(const tensor_list& in) {
    return {.x = viewOf<const T>(in[0]),
            .delta = viewOf<const T>(in[1]),
            .a = dataOf<T>(in[2]),
            .b = viewOf<const T>(in[3]),
            .c = viewOf<const T>(in[4]),
            .d = dataOf<T>(in[5]),
            .initialState = dataOf<T>(in[6])};
}

at::Tensor roomFor(std::size_t bytes, const at::Tensor& like) {
    return at::empty({static_cast<std::int64_t>(bytes)}, like.options().dtype(at::kByte));
}

struct SsdNode : torch::autograd::Function<SsdNode> {
    // Autograd takes each tensor as an argument of its own.
    // NOLINTNEXTLINE(readability-function-size)
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& delta,
                               const at::Tensor& a, const at::Tensor& b, const at::Tensor& c,
                               const at::Tensor& d, const std::optional<at::Tensor>& initialState,
                               const Settings& settings) {
        const tensor_list in{x, delta, a, b, c, d, orUndefined(initialState)};
        const auto plan = planOf(in);
        const auto options = x.options();
        const at::Tensor y = at::empty(x.sizes(), options);
        const at::Tensor final = at::empty({x.size(0), x.size(2), b.size(3), x.size(3)}, options);
        const at::Tensor norm = settings.wantsStateNorm
                                    ? at::empty(delta.sizes(), options.dtype(at::kFloat))
                                    : at::Tensor();
        const at::Tensor room = roomFor(plan.forwardWorkspaceBytes, x);
        withElement(x, [&](auto zero) {
            using T = decltype(zero);
            require(kernels::ssdForward<T>(plan, inputsOf<T>(in),
                                           {.y = viewOf<T>(y),
                                            .finalState = mutableDataOf<T>(final),
                                            .stateNorm = mutableDataOf<float>(norm)},
                                           room.mutable_data_ptr(), execOf(settings.execution)),
                    "ssd");
        });
        ctx->save_for_backward(in);
        ctx->set_materialize_grads(false);
        carry(ctx, settings);
        if (!settings.wantsStateNorm) {
            return {y, final};
        }
        ctx->mark_non_differentiable({norm});
        return {y, final, norm};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("ssd");
        const auto saved = ctx->get_saved_variables();
        const auto settings = carried<Settings>(ctx);
        const tensor_list g = wantedGradients(ctx, saved);
        const auto plan = planOf(saved);
        // The gradient of A is made from that of delta.
        const at::Tensor gradDelta = g[1].defined() || !g[2].defined()
                                         ? g[1]
                                         : at::empty(saved[1].sizes(), saved[1].options());
        const at::Tensor gradFinal = upstream[1].defined() ? upstream[1].contiguous() : upstream[1];
        const at::Tensor room = roomFor(plan.backwardWorkspaceBytes, saved[0]);
        withElement(saved[0], [&](auto zero) {
            using T = decltype(zero);
            const kernels::SsdGradients<T> gradients{.gradY = viewOf<const T>(upstream[0]),
                                                     .gradFinalState = dataOf<T>(gradFinal),
                                                     .gradX = viewOf<T>(g[0]),
                                                     .gradDelta = viewOf<T>(gradDelta),
                                                     .gradA = mutableDataOf<T>(g[2]),
                                                     .gradB = viewOf<T>(g[3]),
                                                     .gradC = viewOf<T>(g[4]),
                                                     .gradD = mutableDataOf<T>(g[5]),
                                                     .gradInitialState = mutableDataOf<T>(g[6])};
            require(kernels::ssdBackward<T>(plan, inputsOf<T>(saved), gradients,
                                            room.mutable_data_ptr(), execOf(settings.execution)),
                    "ssd, backward");
        });
        return {g[0], g[1], g[2], g[3], g[4], g[5], g[6], {}};
    }
};

void check(const SsdArguments& in) {
    TORCH_CHECK(in.x.dim() == 4 && in.delta.sizes() == in.x.sizes().slice(0, 3), "ssd: x is ",
                in.x.sizes(), ", delta is ", in.delta.sizes());
    TORCH_CHECK(in.b.dim() == 4 && in.b.sizes() == in.c.sizes() &&
                    in.b.sizes().slice(0, 2) == in.x.sizes().slice(0, 2) &&
                    in.x.size(2) % in.b.size(2) == 0,
                "ssd: x is ", in.x.sizes(), ", b is ", in.b.sizes(), ", c is ", in.c.sizes());
    TORCH_CHECK(in.a.numel() == in.x.size(2) && in.d.numel() == in.x.size(2), "ssd: x is ",
                in.x.sizes(), ", a is ", in.a.sizes(), ", d is ", in.d.sizes());
}

}  // namespace

ScanResult ssd(const SsdArguments& in, const Execution& execution, bool wantsStateNorm) {
    check(in);
    if (usesOperators(execution, in.x)) {
        return ssdLoop(in);
    }
    const at::Tensor initial =
        in.initialState.defined() ? in.initialState.contiguous() : in.initialState;
    const tensor_list out =
        SsdNode::apply(in.x, in.delta, in.a.contiguous(), in.b, in.c, in.d.contiguous(),
                       maybe(initial), Settings{execution, wantsStateNorm});
    return {out[0], out[1], wantsStateNorm ? out[2] : at::Tensor()};
}

std::string ssdKernelName(std::int64_t states, std::int64_t headDim, bool doublePrecision) {
    return kernels::ssdPlan({1, 1, 1, 1, static_cast<int>(states), static_cast<int>(headDim)},
                            kernels::bestIsa(), doublePrecision)
        .variant;
}

}  // namespace lab::ops
