#include "core/ops/delta_rule.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/delta_call.h"
#include "core/ops/delta_rule_peers.h"
#include "core/ops/kernel_call.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr std::int64_t kChunkOnDevice = 64;

void check(const DeltaArguments& in) {
    TORCH_CHECK(in.q.dim() == 4 && in.k.dim() == 4 && in.v.dim() == 4 && in.beta.dim() == 3,
                "deltaRule: q, k, v must be [batch, time, heads, width] and beta [batch, time, "
                "heads], got ",
                in.q.sizes(), in.k.sizes(), in.v.sizes(), in.beta.sizes());
    const auto steps = in.q.size(1);
    const auto rows = in.k.size(1);
    TORCH_CHECK(steps == 0 ? rows == 0 : rows > 0 && rows % steps == 0, "deltaRule: k has ", rows,
                " rows, not a multiple of the ", steps, " steps of q");
    TORCH_CHECK(in.k.size(0) == in.q.size(0) && in.k.size(2) == in.q.size(2) &&
                    in.k.size(3) == in.q.size(3),
                "deltaRule: q is ", in.q.sizes(), ", k is ", in.k.sizes());
    TORCH_CHECK(in.v.sizes().slice(0, 3) == in.k.sizes().slice(0, 3), "deltaRule: k is ",
                in.k.sizes(), ", v is ", in.v.sizes());
    TORCH_CHECK(in.beta.sizes() == in.k.sizes().slice(0, 3), "deltaRule: k is ", in.k.sizes(),
                ", beta is ", in.beta.sizes());
    TORCH_CHECK(!in.gate.defined() || in.gate.sizes() == in.q.sizes().slice(0, 3),
                "deltaRule: q is ", in.q.sizes(), ", the gate is ", in.gate.sizes());
    TORCH_CHECK(!in.initialState.defined() ||
                    in.initialState.sizes() ==
                        at::IntArrayRef({in.q.size(0), in.q.size(2), in.q.size(3), in.v.size(3)}),
                "deltaRule: the initial state is ", in.initialState.sizes());
}

struct Settings {
    double scale, epsilon;
    Execution execution;
    bool wantsStateNorm;
};

struct DeltaRuleNode : torch::autograd::Function<DeltaRuleNode> {
    // Autograd takes each tensor as an argument of its own.
    // NOLINTNEXTLINE(readability-function-size)
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                               const at::Tensor& v, const at::Tensor& beta,
                               const std::optional<at::Tensor>& gate,
                               const std::optional<at::Tensor>& initialState,
                               const Settings& settings) {
        const DeltaArguments in{q,
                                k,
                                v,
                                beta,
                                orUndefined(gate),
                                orUndefined(initialState),
                                settings.scale,
                                settings.epsilon};
        const auto out = allocateDeltaOutputs(in, Keep::kResidual, settings.wantsStateNorm);
        callDeltaForward(in, out, settings.execution);
        ctx->save_for_backward({q, k, v, beta, in.gate, in.initialState, out.residual});
        carry(ctx, settings);
        ctx->set_materialize_grads(false);
        tensor_list outputs{out.o, out.finalState};
        if (settings.wantsStateNorm) {
            ctx->mark_non_differentiable({out.stateNorm});
            outputs.push_back(out.stateNorm);
        }
        return outputs;
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("deltaRule");
        const auto saved = ctx->get_saved_variables();
        const tensor_list g = wantedGradients(ctx, at::TensorList(saved).slice(0, 6));
        const auto settings = carried<Settings>(ctx);
        const DeltaArguments in{saved[0], saved[1], saved[2],       saved[3],
                                saved[4], saved[5], settings.scale, settings.epsilon};
        const at::Tensor gradFinal = upstream[1].defined() ? upstream[1].contiguous() : upstream[1];
        callDeltaBackward(in, saved[6], upstream[0], gradFinal,
                          {g[0], g[1], g[2], g[3], g[4], g[5]}, settings.execution);
        return {g[0], g[1], g[2], g[3], g[4], g[5], {}};
    }
};

}  // namespace

DeltaResult deltaRule(const DeltaArguments& in, const Execution& execution, bool wantsStateNorm) {
    check(in);
    if (usesOperators(execution, in.q)) {
        return deltaRuleChunk(in, kChunkOnDevice);
    }
    const at::Tensor initial =
        in.initialState.defined() ? in.initialState.contiguous() : in.initialState;
    const tensor_list out =
        DeltaRuleNode::apply(in.q, in.k, in.v, in.beta, maybe(in.gate), maybe(initial),
                             Settings{in.scale, in.normaliseEpsilon, execution, wantsStateNorm});
    return {out[0], out[1], wantsStateNorm ? out[2] : at::Tensor()};
}

}  // namespace lab::ops
