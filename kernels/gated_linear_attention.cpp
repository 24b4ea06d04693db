// Checks, plans and spreads gated linear attention; see kernels/cpu/linear_attention.inl.
#include "kernels/gated_linear_attention.h"

#include "kernels/cpu/linear_attention_run.h"
#include "kernels/cpu/views.h"

namespace lab::kernels {
namespace {

bool isValid(const GlaShape& s) {
    return s.batch >= 0 && s.steps >= 0 && s.heads >= 0 && s.keyDim >= 1 && s.valueDim >= 1 &&
           cpu::isCountable(s.batch, s.heads, s.steps, s.keyDim, s.valueDim);
}

template <class T>
cpu::LinearAttentionJob<T> jobFor(const GlaPlan& plan, const GlaInputs<T>& in = {}) {
    cpu::LinearAttentionJob<T> job{};
    job.steps = plan.shape.steps;
    job.heads = job.groups = plan.shape.heads;
    job.keyDim = plan.shape.keyDim;
    job.valueDim = plan.shape.valueDim;
    job.tileSteps = cpu::kLinearAttentionTile;
    job.vectorGate = plan.options.vectorGate;
    job.scale = static_cast<T>(plan.options.scale);
    job.q = cpu::plain(in.q);
    job.k = cpu::plain(in.k);
    job.v = cpu::plain(in.v);
    job.gate = cpu::plain(in.gate);
    job.initialState = in.initialState;
    return job;
}

template <class T>
Status checkInputs(const GlaPlan& plan, const GlaInputs<T>& in) {
    if (plan.status != Status::kOk) {
        return plan.status;
    }
    if (plan.doublePrecision != (sizeof(T) == sizeof(double))) {
        return Status::kWorkspaceTooSmall;
    }
    if (cpu::hasNegativeStride(in.q) || cpu::hasNegativeStride(in.k) ||
        cpu::hasNegativeStride(in.v) || cpu::hasNegativeStride(in.gate)) {
        return Status::kBadStride;
    }
    const bool empty = plan.shape.batch == 0 || plan.shape.steps == 0 || plan.shape.heads == 0;
    return empty || (in.q && in.k && in.v) ? Status::kOk : Status::kMissingArgument;
}

std::size_t elementsOf(const GlaPlan& plan, bool backward) {
    return cpu::linearAttentionElements(plan, jobFor<float>(plan), backward);
}

}  // namespace

GlaPlan glaPlan(GlaShape shape, GlaOptions options, Isa isa, bool doublePrecision) noexcept {
    GlaPlan plan;
    plan.isa = isa;
    plan.doublePrecision = doublePrecision;
    plan.shape = shape;
    plan.options = options;
    if (!isValid(shape)) {
        return plan;
    }
    char extents[24];
    (void)std::snprintf(extents, sizeof extents, "k%dv%d", shape.keyDim, shape.valueDim);
    cpu::choose(plan, "gla", cpu::squareVariant(shape.keyDim, shape.valueDim), extents);
    const std::int64_t items = std::int64_t{shape.batch} * shape.heads;
    plan.forwardWorkspaceBytes = cpu::workspaceBytes(plan, items, elementsOf(plan, false));
    plan.backwardWorkspaceBytes = cpu::workspaceBytes(plan, items, elementsOf(plan, true));
    return plan;
}

template <class T>
Status glaForward(const GlaPlan& plan, const GlaInputs<T>& in, const GlaOutputs<T>& out,
                  void* workspace, const Exec& exec) noexcept {
    if (const Status status = checkInputs(plan, in); status != Status::kOk) {
        return status;
    }
    const GlaShape& shape = plan.shape;
    if (!cpu::isWritable(out.o, shape.valueDim)) {
        return Status::kBadStride;
    }
    if (shape.batch == 0 || shape.heads == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr || (shape.steps > 0 && !out.o)) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.o = cpu::plain(out.o);
    job.finalState = out.finalState;
    job.stateNorm = out.stateNorm;
    cpu::runLinearAttention(plan, job, shape.batch, false, workspace, exec);
    return Status::kOk;
}

template <class T>
Status glaBackward(const GlaPlan& plan, const GlaInputs<T>& in, const GlaGradients<T>& grad,
                   void* workspace, const Exec& exec) noexcept {
    if (const Status status = checkInputs(plan, in); status != Status::kOk) {
        return status;
    }
    const GlaShape& shape = plan.shape;
    const int gateChannels = plan.options.vectorGate ? shape.keyDim : 0;
    if (cpu::hasNegativeStride(grad.gradO) || !cpu::isWritable(grad.gradQ, shape.keyDim) ||
        !cpu::isWritable(grad.gradK, shape.keyDim) ||
        !cpu::isWritable(grad.gradV, shape.valueDim) ||
        !cpu::isWritable(grad.gradGate, gateChannels)) {
        return Status::kBadStride;
    }
    if (shape.batch == 0 || shape.heads == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr || (grad.gradGate && !in.gate)) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.gradO = cpu::plain(grad.gradO);
    job.gradFinalState = grad.gradFinalState;
    job.gradQ = cpu::plain(grad.gradQ);
    job.gradK = cpu::plain(grad.gradK);
    job.gradV = cpu::plain(grad.gradV);
    job.gradGate = cpu::plain(grad.gradGate);
    job.gradInitialState = grad.gradInitialState;
    job.rebuiltFinalState = grad.rebuiltFinalState;
    cpu::runLinearAttention(plan, job, shape.batch, true, workspace, exec);
    return Status::kOk;
}

template <class T>
Status glaStep(const GlaPlan& plan, const GlaInputs<T>& in, T* state, const View<T>& o) noexcept {
    const std::size_t bytes = elementsOf(plan, false) * sizeof(T) + cpu::kAlignment;
    if (const Status status = cpu::checkStep(plan, plan.shape.steps, state, bytes);
        status != Status::kOk) {
        return status;
    }
    GlaInputs<T> inputs = in;
    inputs.initialState = state;
    GlaOutputs<T> outputs;
    outputs.o = o;
    outputs.finalState = state;
    void* const scratch = __builtin_alloca(plan.status == Status::kOk ? bytes : 1);
    return glaForward(plan, inputs, outputs, scratch);
}

// Per token and head: decay (K V), write and read-out (2 K V each).
Cost glaForwardCost(const GlaShape& s, bool vectorGate) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps * s.heads;
    const double gate = vectorGate ? s.keyDim : 1.0;
    return {tokens * 5.0 * s.keyDim * s.valueDim,
            tokens * (2.0 * s.keyDim + 2.0 * s.valueDim + gate) * sizeof(float), tokens * gate};
}

// Reverse: decay, dS += q do, dk, dv (7 K V); forward: rebuild and dq (5 K V).
Cost glaBackwardCost(const GlaShape& s, bool vectorGate) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps * s.heads;
    const double gate = vectorGate ? s.keyDim : 1.0;
    return {tokens * 12.0 * s.keyDim * s.valueDim,
            tokens * (4.0 * s.keyDim + 3.0 * s.valueDim + 2.0 * gate) * sizeof(float),
            tokens * gate};
}

template Status glaForward<float>(const GlaPlan&, const GlaInputs<float>&, const GlaOutputs<float>&,
                                  void*, const Exec&) noexcept;
template Status glaForward<double>(const GlaPlan&, const GlaInputs<double>&,
                                   const GlaOutputs<double>&, void*, const Exec&) noexcept;
template Status glaBackward<float>(const GlaPlan&, const GlaInputs<float>&,
                                   const GlaGradients<float>&, void*, const Exec&) noexcept;
template Status glaBackward<double>(const GlaPlan&, const GlaInputs<double>&,
                                    const GlaGradients<double>&, void*, const Exec&) noexcept;
template Status glaStep<float>(const GlaPlan&, const GlaInputs<float>&, float*,
                               const View<float>&) noexcept;
template Status glaStep<double>(const GlaPlan&, const GlaInputs<double>&, double*,
                                const View<double>&) noexcept;

}  // namespace lab::kernels
