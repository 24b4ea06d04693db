#include "core/ops/recurrent.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "core/ops/recurrent_loops.h"

namespace lab::ops {
namespace {

using kernels::Cell;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct Settings {
    Cell cell;
    Execution execution;
    bool keeps;  ///< backward will follow, or somebody looks at the gates
};

kernels::RecurrentPlan planOf(Cell cell, const at::Tensor& x, const at::Tensor& h0) {
    const auto plan = kernels::recurrentPlan(cell,
                                             {.batch = static_cast<int>(x.size(0)),
                                              .steps = static_cast<int>(x.size(1)),
                                              .hidden = static_cast<int>(h0.size(1))},
                                             kernels::bestIsa(), x.scalar_type() == at::kDouble);
    require(plan.status, "recurrent");
    return plan;
}

/// x, R, bias, h0 and the cell states, undefined where absent.
constexpr std::size_t kInputs = 4 + kernels::kMaxCellStates;

template <class T>
kernels::RecurrentInputs<T> inputsOf(const tensor_list& in) {
    return {.pre = dataOf<T>(in[0]),
            .r = dataOf<T>(in[1]),
            .bias = dataOf<T>(in[2]),
            .initialH = dataOf<T>(in[3]),
            .initialCell = {dataOf<T>(in[4]), dataOf<T>(in[5]), dataOf<T>(in[6])}};
}

struct RecurrentNode : torch::autograd::Function<RecurrentNode> {
    // Autograd takes each tensor as an argument of its own.
    // NOLINTNEXTLINE(readability-function-size)
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& r,
                               const std::optional<at::Tensor>& bias, const at::Tensor& h0,
                               const std::optional<at::Tensor>& c0,
                               const std::optional<at::Tensor>& n0,
                               const std::optional<at::Tensor>& m0, const Settings& settings) {
        tensor_list in{
            x, r, orUndefined(bias), h0, orUndefined(c0), orUndefined(n0), orUndefined(m0)};
        const auto plan = planOf(settings.cell, x, h0);
        const at::Tensor h = at::empty({x.size(0), x.size(1), h0.size(1)}, x.options());
        const int states = kernels::cellStatesOf(settings.cell);
        const at::Tensor final = at::empty({states, h0.size(0), h0.size(1)}, x.options());
        const at::Tensor saved = at::empty(
            {settings.keeps ? static_cast<std::int64_t>(plan.savedElements) : 0}, x.options());
        const at::Tensor room = at::empty({static_cast<std::int64_t>(plan.forwardWorkspaceBytes)},
                                          x.options().dtype(at::kByte));
        withElement(x, [&](auto zero) {
            using T = decltype(zero);
            kernels::RecurrentOutputs<T> out{
                .h = mutableDataOf<T>(h),
                .saved = settings.keeps ? mutableDataOf<T>(saved) : nullptr};
            for (int i = 0; i < states; ++i) {
                out.finalCell[i] = mutableDataOf<T>(final) + i * h0.numel();
            }
            require(
                kernels::recurrentForward<T>(plan, inputsOf<T>(in), out, room.mutable_data_ptr(),
                                             execOf(settings.execution)),
                "recurrent");
        });
        in.push_back(h);
        in.push_back(saved);
        ctx->save_for_backward(in);
        ctx->set_materialize_grads(false);
        carry(ctx, settings);
        if (settings.cell == Cell::kLstm) {
            ctx->mark_non_differentiable({saved});
        } else {
            ctx->mark_non_differentiable({final, saved});
        }
        return {h, final, saved};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("recurrent");
        const auto saved = ctx->get_saved_variables();
        const at::Tensor& x = saved[0];
        const auto settings = carried<Settings>(ctx);
        tensor_list g = wantedGradients(ctx, at::TensorList(saved).slice(0, kInputs));
        const at::Tensor gradPre = g[0].defined() ? g[0] : at::empty_like(x);
        const auto packed = [](const at::Tensor& u) { return u.defined() ? u.contiguous() : u; };
        const at::Tensor gradH = packed(upstream[0]);
        const at::Tensor gradFinal = packed(upstream[1]);
        const auto plan = planOf(settings.cell, x, saved[3]);
        const at::Tensor room = at::empty({static_cast<std::int64_t>(plan.backwardWorkspaceBytes)},
                                          x.options().dtype(at::kByte));
        withElement(x, [&](auto zero) {
            using T = decltype(zero);
            const kernels::RecurrentGradients<T> gradients{
                .gradH = dataOf<T>(gradH),
                .gradFinalCell = {dataOf<T>(gradFinal)},
                .gradPre = mutableDataOf<T>(gradPre),
                .gradR = mutableDataOf<T>(g[1]),
                .gradBias = mutableDataOf<T>(g[2]),
                .gradInitialH = mutableDataOf<T>(g[3]),
                .gradInitialCell = {mutableDataOf<T>(g[4]), mutableDataOf<T>(g[5])}};
            require(kernels::recurrentBackward<T>(
                        plan, inputsOf<T>(saved), dataOf<T>(saved[7]), dataOf<T>(saved[8]),
                        gradients, room.mutable_data_ptr(), execOf(settings.execution)),
                    "recurrent, backward");
        });
        return {g[0], g[1], g[2], g[3], g[4], g[5], {}, {}};
    }
};

void check(Cell cell, const RecurrentArguments& in) {
    const auto gates = kernels::gatesOf(cell);
    const auto width = in.h0.size(1);
    TORCH_CHECK(in.x.dim() == 3 && in.x.size(1) > 0 && in.x.size(2) == gates * width,
                "recurrent: x must be [batch, steps, ", gates, " width], got ", in.x.sizes());
    TORCH_CHECK(in.recurrent.dim() == 2 && in.recurrent.size(0) == gates * width &&
                    in.recurrent.size(1) == width,
                "recurrent: R must be [", gates * width, ", ", width, "], got ",
                in.recurrent.sizes());
    TORCH_CHECK(in.h0.size(0) == in.x.size(0), "recurrent: x is ", in.x.sizes(),
                ", the initial state is ", in.h0.sizes());
    for (std::size_t i = 0; i < in.cell0.size(); ++i) {
        const bool has = static_cast<int>(i) < kernels::cellStatesOf(cell);
        TORCH_CHECK(in.cell0[i].defined() == has && (!has || in.cell0[i].sizes() == in.h0.sizes()),
                    "recurrent: this cell carries ", kernels::cellStatesOf(cell),
                    " states beside h, each ", in.h0.sizes());
    }
    TORCH_CHECK(!in.bias.defined() || in.bias.numel() == gates * width, "recurrent: the bias is ",
                in.bias.sizes());
}

at::Tensor contiguous(const at::Tensor& x) {
    return x.defined() ? x.contiguous() : x;
}

}  // namespace

RecurrentResult recurrent(Cell cell, const RecurrentArguments& in, const Execution& execution,
                          bool wantsGates) {
    check(cell, in);
    if (usesOperators(execution, in.x)) {
        return recurrentLoop(cell, in);
    }
    const tensor_list out = RecurrentNode::apply(
        in.x.contiguous(), in.recurrent.contiguous(), maybe(contiguous(in.bias)),
        in.h0.contiguous(), maybe(contiguous(in.cell0[0])), maybe(contiguous(in.cell0[1])),
        maybe(contiguous(in.cell0[2])),
        Settings{cell, execution, wantsGates || c10::GradMode::is_enabled()});
    RecurrentResult result{.h = out[0], .finalCell = {}, .gates = {}, .c = {}};
    for (int i = 0; i < kernels::cellStatesOf(cell); ++i) {
        result.finalCell[static_cast<std::size_t>(i)] = out[1].select(0, i);
    }
    if (wantsGates && cell != Cell::kTanh) {
        const auto width = in.h0.size(1);
        const at::Tensor rows =
            out[2].view({in.x.size(0), in.x.size(1), kernels::savedRowsOf(cell), -1});
        const at::Tensor used = rows.narrow(3, 0, width);
        result.gates = used.narrow(2, 0, kernels::gatesOf(cell)).flatten(2);
        result.c = cell == Cell::kLstm    ? used.select(2, 4)
                   : cell == Cell::kSlstm ? used.select(2, 5)
                                          : at::Tensor();
    }
    return result;
}

std::string recurrentKernelName(Cell cell, std::int64_t width, bool doublePrecision) {
    return kernels::recurrentPlan(cell, {.batch = 1, .steps = 1, .hidden = static_cast<int>(width)},
                                  kernels::bestIsa(), doublePrecision)
        .variant;
}

}  // namespace lab::ops
