#include "core/ops/delta_call.h"

#include <ATen/ops/empty.h>

#include "core/ops/kernel_call.h"
#include "kernels/delta_rule.h"

namespace lab::ops {
namespace {

kernels::DeltaShape shapeOf(const DeltaArguments& in) {
    const auto rows = static_cast<int>(in.k.size(1));
    const auto steps = static_cast<int>(in.q.size(1));
    return {.batch = static_cast<int>(in.q.size(0)),
            .steps = steps,
            .heads = static_cast<int>(in.q.size(2)),
            .keyDim = static_cast<int>(in.k.size(3)),
            .valueDim = static_cast<int>(in.v.size(3)),
            .householders = steps > 0 ? rows / steps : 1};
}

kernels::DeltaPlan planOf(const DeltaArguments& in) {
    const auto plan = kernels::deltaRulePlan(
        shapeOf(in), {.scale = in.scale, .normaliseEpsilon = in.normaliseEpsilon},
        kernels::bestIsa(), in.q.scalar_type() == at::kDouble);
    require(plan.status, "deltaRule");
    return plan;
}

template <class T>
kernels::DeltaInputs<T> inputsOf(const DeltaArguments& in) {
    return {.q = viewOf<const T>(in.q),
            .k = viewOf<const T>(in.k),
            .v = viewOf<const T>(in.v),
            .beta = viewOf<const T>(in.beta),
            .gate = viewOf<const T>(in.gate),
            .initialState = dataOf<T>(in.initialState)};
}

at::Tensor workspaceOf(std::size_t bytes, const at::Tensor& like) {
    return at::empty({static_cast<std::int64_t>(bytes)}, like.options().dtype(at::kByte));
}

}  // namespace

DeltaOutputTensors allocateDeltaOutputs(const DeltaArguments& in, Keep keep, bool wantsStateNorm) {
    const auto batch = in.q.size(0);
    const auto steps = in.q.size(1);
    const auto heads = in.q.size(2);
    const auto valueDim = in.v.size(3);
    const auto options = in.q.options();
    DeltaOutputTensors out;
    out.o = at::empty({batch, steps, heads, valueDim}, options);
    out.finalState = at::empty({batch, heads, in.k.size(3), valueDim}, options);
    if (keep == Keep::kResidual) {
        out.residual = at::empty({batch, in.k.size(1), heads, valueDim}, options);
    }
    if (wantsStateNorm) {
        out.stateNorm = at::empty({batch, steps, heads}, options.dtype(at::kFloat));
    }
    return out;
}

void callDeltaForward(const DeltaArguments& in, const DeltaOutputTensors& out,
                      const Execution& execution) {
    const auto plan = planOf(in);
    const auto workspace = workspaceOf(plan.forwardWorkspaceBytes, in.q);
    withElement(in.q, [&](auto zero) {
        using T = decltype(zero);
        const kernels::DeltaOutputs<T> outputs{.o = viewOf<T>(out.o),
                                               .finalState = mutableDataOf<T>(out.finalState),
                                               .residual = mutableDataOf<T>(out.residual),
                                               .stateNorm = mutableDataOf<float>(out.stateNorm)};
        require(kernels::deltaRuleForward<T>(plan, inputsOf<T>(in), outputs,
                                             workspace.mutable_data_ptr(), execOf(execution)),
                "deltaRule");
    });
}

void callDeltaBackward(const DeltaArguments& in, const at::Tensor& residual,
                       const at::Tensor& gradO, const at::Tensor& gradFinalState,
                       const DeltaGradientTensors& into, const Execution& execution) {
    const auto plan = planOf(in);
    const auto workspace = workspaceOf(plan.backwardWorkspaceBytes, in.q);
    withElement(in.q, [&](auto zero) {
        using T = decltype(zero);
        const kernels::DeltaGradients<T> gradients{
            .gradO = viewOf<const T>(gradO),
            .gradFinalState = dataOf<T>(gradFinalState),
            .gradQ = viewOf<T>(into.q),
            .gradK = viewOf<T>(into.k),
            .gradV = viewOf<T>(into.v),
            .gradBeta = viewOf<T>(into.beta),
            .gradGate = viewOf<T>(into.gate),
            .gradInitialState = mutableDataOf<T>(into.initialState)};
        require(kernels::deltaRuleBackward<T>(plan, inputsOf<T>(in), dataOf<T>(residual), gradients,
                                              workspace.mutable_data_ptr(), execOf(execution)),
                "deltaRule, backward");
    });
}

std::string deltaKernelName(std::int64_t heads, std::int64_t keyDim, std::int64_t valueDim,
                            std::int64_t householders, bool doublePrecision) {
    const auto plan = kernels::deltaRulePlan({.batch = 1,
                                              .steps = 1,
                                              .heads = static_cast<int>(heads),
                                              .keyDim = static_cast<int>(keyDim),
                                              .valueDim = static_cast<int>(valueDim),
                                              .householders = static_cast<int>(householders)},
                                             {}, kernels::bestIsa(), doublePrecision);
    return plan.variant;
}

}  // namespace lab::ops
