// Checks, plans and spreads the delta rule; the arithmetic is in kernels/cpu/delta_rule.inl.
#include "kernels/delta_rule.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/jobs.h"
#include "kernels/cpu/views.h"

namespace lab::kernels {
namespace {

/// Tokens packed at a time: enough to hide the packing, few enough to stay in the L1 cache.
int tileStepsFor(const DeltaShape& shape) {
    return std::clamp(16 / shape.householders, 1, std::max(shape.steps, 1));
}

bool isValid(const DeltaShape& s) {
    if (s.batch < 0 || s.steps < 0 || s.heads < 0 || s.keyDim < 1 || s.valueDim < 1 ||
        s.householders < 1) {
        return false;
    }
    // Whatever is indexed must be countable, with room for padding and element sizes.
    const double widest = static_cast<double>(std::max(s.keyDim, s.valueDim)) + 16;
    const double rows = std::max(1.0, static_cast<double>(s.batch)) *
                        std::max(1.0, static_cast<double>(s.heads)) *
                        std::max(static_cast<double>(s.steps) * s.householders, widest);
    return rows * widest < 0x1p56 && static_cast<double>(s.keyDim) * s.valueDim < 0x1p30 &&
           s.householders <= 4096;
}

int variantOf(const DeltaShape& s) {
    return cpu::squareVariant(s.keyDim, s.valueDim);
}

std::size_t elementsPerWorker(const DeltaPlan& plan, bool backward) {
    const DeltaShape& s = plan.shape;
    return cpu::deltaScratch(
               {s.steps, s.keyDim, s.valueDim, s.householders, tileStepsFor(s), cpu::lanesOf(plan)},
               backward)
        .size;
}

template <class T>
Status checkInputs(const DeltaPlan& plan, const DeltaInputs<T>& in) {
    if (plan.status != Status::kOk) {
        return plan.status;
    }
    if (plan.doublePrecision != (sizeof(T) == sizeof(double))) {
        return Status::kWorkspaceTooSmall;
    }
    if (cpu::hasNegativeStride(in.q) || cpu::hasNegativeStride(in.k) ||
        cpu::hasNegativeStride(in.v) || cpu::hasNegativeStride(in.beta) ||
        cpu::hasNegativeStride(in.gate)) {
        return Status::kBadStride;
    }
    const bool empty = plan.shape.batch == 0 || plan.shape.steps == 0 || plan.shape.heads == 0;
    return empty || (in.q && in.k && in.v && in.beta) ? Status::kOk : Status::kMissingArgument;
}

template <class T>
cpu::DeltaJob<T> jobFor(const DeltaPlan& plan, const DeltaInputs<T>& in) {
    cpu::DeltaJob<T> job{};
    job.steps = plan.shape.steps;
    job.heads = plan.shape.heads;
    job.keyDim = plan.shape.keyDim;
    job.valueDim = plan.shape.valueDim;
    job.householders = plan.shape.householders;
    job.tileSteps = tileStepsFor(plan.shape);
    job.scale = static_cast<T>(plan.options.scale);
    job.epsilon = static_cast<T>(plan.options.normaliseEpsilon);
    job.q = cpu::plain(in.q);
    job.k = cpu::plain(in.k);
    job.v = cpu::plain(in.v);
    job.beta = cpu::plain(in.beta);
    job.gate = cpu::plain(in.gate);
    job.initialState = in.initialState;
    return job;
}

std::int64_t itemsOf(const DeltaPlan& plan) {
    return std::int64_t{plan.shape.batch} * plan.shape.heads;
}

}  // namespace

DeltaPlan deltaRulePlan(DeltaShape shape, DeltaOptions options, Isa isa,
                        bool doublePrecision) noexcept {
    DeltaPlan plan;
    plan.shape = shape;
    plan.options = options;
    plan.isa = isa;
    plan.doublePrecision = doublePrecision;
    if (!isValid(shape)) {
        return plan;
    }
    char extents[24];
    (void)std::snprintf(extents, sizeof extents, "k%dv%d", shape.keyDim, shape.valueDim);
    cpu::choose(plan, "delta", variantOf(shape), extents);
    plan.forwardWorkspaceBytes =
        cpu::workspaceBytes(plan, itemsOf(plan), elementsPerWorker(plan, false));
    plan.backwardWorkspaceBytes =
        cpu::workspaceBytes(plan, itemsOf(plan), elementsPerWorker(plan, true));
    return plan;
}

template <class T>
Status deltaRuleForward(const DeltaPlan& plan, const DeltaInputs<T>& in, const DeltaOutputs<T>& out,
                        void* workspace, const Exec& exec) noexcept {
    if (const Status status = checkInputs(plan, in); status != Status::kOk) {
        return status;
    }
    if (!cpu::isWritable(out.o, plan.shape.valueDim)) {
        return Status::kBadStride;
    }
    if (plan.shape.batch == 0 || plan.shape.heads == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr || (plan.shape.steps > 0 && !out.o)) {
        return Status::kMissingArgument;
    }
    cpu::DeltaJob<T> job = jobFor(plan, in);
    job.o = cpu::plain(out.o);
    job.finalState = out.finalState;
    job.residual = out.residual;
    job.stateNorm = out.stateNorm;
    cpu::runItems(cpu::tableFor<T>(plan.isa)->deltaForward[variantOf(plan.shape)], job,
                  itemsOf(plan), elementsPerWorker(plan, false), workspace, exec);
    return Status::kOk;
}

template <class T>
Status deltaRuleBackward(const DeltaPlan& plan, const DeltaInputs<T>& in, const T* residual,
                         const DeltaGradients<T>& grad, void* workspace,
                         const Exec& exec) noexcept {
    if (const Status status = checkInputs(plan, in); status != Status::kOk) {
        return status;
    }
    const DeltaShape& shape = plan.shape;
    if (cpu::hasNegativeStride(grad.gradO) || !cpu::isWritable(grad.gradQ, shape.keyDim) ||
        !cpu::isWritable(grad.gradK, shape.keyDim) ||
        !cpu::isWritable(grad.gradV, shape.valueDim) || !cpu::isWritable(grad.gradBeta, 0) ||
        !cpu::isWritable(grad.gradGate, 0)) {
        return Status::kBadStride;
    }
    if (shape.batch == 0 || shape.heads == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr || (shape.steps > 0 && residual == nullptr)) {
        return Status::kMissingArgument;
    }
    cpu::DeltaJob<T> job = jobFor(plan, in);
    job.savedResidual = residual;
    job.gradO = cpu::plain(grad.gradO);
    job.gradFinalState = grad.gradFinalState;
    job.gradQ = cpu::plain(grad.gradQ);
    job.gradK = cpu::plain(grad.gradK);
    job.gradV = cpu::plain(grad.gradV);
    job.gradBeta = cpu::plain(grad.gradBeta);
    job.gradGate = cpu::plain(grad.gradGate);
    job.gradInitialState = grad.gradInitialState;
    job.rebuiltFinalState = grad.rebuiltFinalState;
    cpu::runItems(cpu::tableFor<T>(plan.isa)->deltaBackward[variantOf(shape)], job, itemsOf(plan),
                  elementsPerWorker(plan, true), workspace, exec);
    return Status::kOk;
}

template <class T>
Status deltaRuleStep(const DeltaPlan& plan, const DeltaInputs<T>& in, T* state,
                     const View<T>& o) noexcept {
    if (plan.status == Status::kOk && plan.shape.steps != 1) {
        return Status::kBadShape;
    }
    if (state == nullptr && plan.shape.batch * plan.shape.heads > 0) {
        return Status::kMissingArgument;
    }
    const std::size_t bytes = elementsPerWorker(plan, false) * sizeof(T) + cpu::kAlignment;
    if (plan.status == Status::kOk && bytes > cpu::kStepStackBytes) {
        return Status::kWorkspaceTooSmall;
    }
    DeltaInputs<T> inputs = in;
    inputs.initialState = state;
    DeltaOutputs<T> outputs;
    outputs.o = o;
    outputs.finalState = state;
    void* const scratch = __builtin_alloca(plan.status == Status::kOk ? bytes : 1);
    return deltaRuleForward(plan, inputs, outputs, scratch);
}

template <class T>
ContractBreach findContractBreach(const DeltaPlan& plan, const DeltaInputs<T>& in) noexcept {
    const DeltaShape& s = plan.shape;
    const double bound = 2.0 * (1.0 + 16.0 * (sizeof(T) == 4 ? 0x1p-23 : 0x1p-52));
    for (int b = 0; b < s.batch; ++b) {
        for (std::int64_t row = 0; row < std::int64_t{s.steps} * s.householders; ++row) {
            for (int h = 0; h < s.heads; ++h) {
                double square = 0;
                for (int i = 0; i < s.keyDim; ++i) {
                    const auto k = static_cast<double>(in.k.at(b, row, h)[i * in.k.stride[3]]);
                    square += k * k;
                }
                if (plan.options.normaliseEpsilon >= 0 && square > 0) {
                    square /= square + plan.options.normaliseEpsilon;
                }
                const double value = static_cast<double>(*in.beta.at(b, row, h)) * square;
                if (!(value <= bound)) {
                    return {true, b, h, row, value};
                }
            }
        }
    }
    return {};
}

// Per token and head: n_h predictions and writes (4 K V), one read-out (2 K V), the gate (K V).
Cost deltaRuleForwardCost(const DeltaShape& s, bool gated) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps * s.heads;
    const double state = static_cast<double>(s.keyDim) * s.valueDim;
    const double n = s.householders;
    const double elements =
        s.keyDim + s.valueDim + n * (s.keyDim + 2.0 * s.valueDim + 1.0) + (gated ? 1.0 : 0.0);
    return {tokens * state * (4.0 * n + 2.0 + (gated ? 1.0 : 0.0)),
            tokens * elements * sizeof(float)};
}

// Reverse sweep: (2 + 6 n_h) K V; forward sweep: (4 n_h + 2) K V; the gate in both.
Cost deltaRuleBackwardCost(const DeltaShape& s, bool gated) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps * s.heads;
    const double state = static_cast<double>(s.keyDim) * s.valueDim;
    const double n = s.householders;
    const double elements = 2.0 * s.keyDim + s.valueDim +
                            n * (2.0 * s.keyDim + 2.0 * s.valueDim + 2.0) + (gated ? 2.0 : 0.0);
    return {tokens * state * (10.0 * n + 4.0 + (gated ? 2.0 : 0.0)),
            tokens * elements * sizeof(float)};
}

template Status deltaRuleForward<float>(const DeltaPlan&, const DeltaInputs<float>&,
                                        const DeltaOutputs<float>&, void*, const Exec&) noexcept;
template Status deltaRuleForward<double>(const DeltaPlan&, const DeltaInputs<double>&,
                                         const DeltaOutputs<double>&, void*, const Exec&) noexcept;
template Status deltaRuleBackward<float>(const DeltaPlan&, const DeltaInputs<float>&, const float*,
                                         const DeltaGradients<float>&, void*, const Exec&) noexcept;
template Status deltaRuleBackward<double>(const DeltaPlan&, const DeltaInputs<double>&,
                                          const double*, const DeltaGradients<double>&, void*,
                                          const Exec&) noexcept;
template Status deltaRuleStep<float>(const DeltaPlan&, const DeltaInputs<float>&, float*,
                                     const View<float>&) noexcept;
template Status deltaRuleStep<double>(const DeltaPlan&, const DeltaInputs<double>&, double*,
                                      const View<double>&) noexcept;
template ContractBreach findContractBreach<float>(const DeltaPlan&,
                                                  const DeltaInputs<float>&) noexcept;
template ContractBreach findContractBreach<double>(const DeltaPlan&,
                                                   const DeltaInputs<double>&) noexcept;

}  // namespace lab::kernels
