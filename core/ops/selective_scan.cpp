#include "kernels/selective_scan.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "core/ops/scan_loops.h"
#include "core/ops/state_space.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// Inputs in the order u, raw, z, a, b, c, d, bias, initial state.
constexpr std::size_t kInputs = 9;

kernels::SelectiveScanPlan planOf(const tensor_list& in) {
    const auto plan = kernels::selectiveScanPlan({.batch = static_cast<int>(in[0].size(0)),
                                                  .steps = static_cast<int>(in[0].size(1)),
                                                  .channels = static_cast<int>(in[3].size(0)),
                                                  .states = static_cast<int>(in[3].size(1))},
                                                 /*softplus=*/true, kernels::bestIsa(),
                                                 in[0].scalar_type() == at::kDouble);
    require(plan.status, "selectiveScan");
    return plan;
}

/// A view [batch, time, 1, channel].
template <class T>
kernels::View<T> sequenceView(const at::Tensor& x) {
    return viewOf<T>(x.defined() ? x.unsqueeze(2) : x);
}

template <class T>
kernels::SelectiveScanInputs<T> inputsOf(const tensor_list& in) {
    return {.u = sequenceView<const T>(in[0]),
            .raw = sequenceView<const T>(in[1]),
            .z = sequenceView<const T>(in[2]),
            .a = dataOf<T>(in[3]),
            .b = sequenceView<const T>(in[4]),
            .c = sequenceView<const T>(in[5]),
            .d = dataOf<T>(in[6]),
            .bias = dataOf<T>(in[7]),
            .initialState = dataOf<T>(in[8])};
}

at::Tensor roomFor(std::size_t bytes, const at::Tensor& like) {
    return at::empty({static_cast<std::int64_t>(bytes)}, like.options().dtype(at::kByte));
}

struct Settings {
    Execution execution;
    bool keeps;  ///< backward will follow
};

struct SelectiveScanNode : torch::autograd::Function<SelectiveScanNode> {
    // Autograd takes each tensor as an argument of its own.
    // NOLINTNEXTLINE(readability-function-size)
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& u, const at::Tensor& raw,
                               const at::Tensor& z, const at::Tensor& a, const at::Tensor& b,
                               const at::Tensor& c, const at::Tensor& d, const at::Tensor& bias,
                               const std::optional<at::Tensor>& initialState,
                               const Settings& settings) {
        tensor_list in{u, raw, z, a, b, c, d, bias, orUndefined(initialState)};
        const auto plan = planOf(in);
        const at::Tensor out = at::empty(u.sizes(), u.options());
        const at::Tensor final = at::empty({u.size(0), a.size(0), a.size(1)}, u.options());
        const at::Tensor saved = at::empty(
            {settings.keeps ? static_cast<std::int64_t>(plan.savedElements) : 0}, u.options());
        const at::Tensor room = roomFor(plan.forwardWorkspaceBytes, u);
        withElement(u, [&](auto zero) {
            using T = decltype(zero);
            require(kernels::selectiveScanForward<T>(
                        plan, inputsOf<T>(in),
                        {.out = sequenceView<T>(out),
                         .finalState = mutableDataOf<T>(final),
                         .saved = settings.keeps ? mutableDataOf<T>(saved) : nullptr},
                        room.mutable_data_ptr(), execOf(settings.execution)),
                    "selectiveScan");
        });
        in.push_back(saved);
        ctx->save_for_backward(in);
        ctx->set_materialize_grads(false);
        carry(ctx, settings);
        return {out, final};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("selectiveScan");
        const auto saved = ctx->get_saved_variables();
        const auto settings = carried<Settings>(ctx);
        tensor_list g = wantedGradients(ctx, at::TensorList(saved).slice(0, kInputs));
        const auto plan = planOf(saved);
        const at::Tensor gradFinal = upstream[1].defined() ? upstream[1].contiguous() : upstream[1];
        const at::Tensor room = roomFor(plan.backwardWorkspaceBytes, saved[0]);
        withElement(saved[0], [&](auto zero) {
            using T = decltype(zero);
            const kernels::SelectiveScanGradients<T> gradients{
                .gradOut = sequenceView<const T>(upstream[0]),
                .gradFinalState = dataOf<T>(gradFinal),
                .gradU = sequenceView<T>(g[0]),
                .gradRaw = sequenceView<T>(g[1]),
                .gradZ = sequenceView<T>(g[2]),
                .gradA = mutableDataOf<T>(g[3]),
                .gradB = sequenceView<T>(g[4]),
                .gradC = sequenceView<T>(g[5]),
                .gradD = mutableDataOf<T>(g[6]),
                .gradBias = mutableDataOf<T>(g[7]),
                .gradInitialState = mutableDataOf<T>(g[8])};
            require(kernels::selectiveScanBackward<T>(
                        plan, inputsOf<T>(saved), dataOf<T>(saved[kInputs]), gradients,
                        room.mutable_data_ptr(), execOf(settings.execution)),
                    "selectiveScan, backward");
        });
        g.emplace_back();
        return g;
    }
};

void check(const SelectiveScanArguments& in) {
    TORCH_CHECK(in.u.dim() == 3 && in.u.sizes() == in.raw.sizes() && in.u.sizes() == in.z.sizes(),
                "selectiveScan: u is ", in.u.sizes(), ", raw is ", in.raw.sizes(), ", z is ",
                in.z.sizes());
    TORCH_CHECK(in.a.dim() == 2 && in.a.size(0) == in.u.size(2) && in.d.numel() == in.u.size(2) &&
                    in.bias.numel() == in.u.size(2),
                "selectiveScan: u is ", in.u.sizes(), ", a is ", in.a.sizes());
    TORCH_CHECK(
        in.b.dim() == 3 && in.b.sizes() == in.c.sizes() &&
            in.b.sizes().slice(0, 2) == in.u.sizes().slice(0, 2) && in.b.size(2) == in.a.size(1),
        "selectiveScan: a is ", in.a.sizes(), ", b is ", in.b.sizes(), ", c is ", in.c.sizes());
}

}  // namespace

SelectiveScanResult selectiveScan(const SelectiveScanArguments& in, const Execution& execution) {
    check(in);
    if (usesOperators(execution, in.u)) {
        return selectiveScanLoop(in);
    }
    const at::Tensor initial =
        in.initialState.defined() ? in.initialState.contiguous() : in.initialState;
    const tensor_list out = SelectiveScanNode::apply(
        in.u, in.raw, in.z, in.a.contiguous(), in.b, in.c, in.d.contiguous(), in.bias.contiguous(),
        maybe(initial), Settings{execution, c10::GradMode::is_enabled()});
    return {out[0], out[1]};
}

std::string selectiveScanKernelName(std::int64_t channels, std::int64_t states,
                                    bool doublePrecision) {
    return kernels::selectiveScanPlan({1, 1, static_cast<int>(channels), static_cast<int>(states)},
                                      true, kernels::bestIsa(), doublePrecision)
        .variant;
}

}  // namespace lab::ops
