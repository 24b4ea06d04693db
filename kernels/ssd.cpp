// Checks, plans and spreads SSD; the arithmetic is in kernels/cpu/linear_attention.inl.
#include "kernels/ssd.h"

#include "kernels/cpu/linear_attention_run.h"
#include "kernels/cpu/views.h"

namespace lab::kernels {
namespace {

bool isValid(const SsdShape& s) {
    return s.batch >= 0 && s.steps >= 0 && s.heads >= 0 && s.groups >= 1 &&
           s.heads % s.groups == 0 && s.stateDim >= 1 && s.headDim >= 1 &&
           cpu::isCountable(s.batch, s.heads, s.steps, s.stateDim, s.headDim);
}

template <class T>
cpu::LinearAttentionJob<T> jobFor(const SsdPlan& plan, const SsdInputs<T>& in = {}) {
    cpu::LinearAttentionJob<T> job{};
    job.steps = plan.shape.steps;
    job.heads = plan.shape.heads;
    job.groups = plan.shape.groups;
    job.keyDim = plan.shape.stateDim;
    job.valueDim = plan.shape.headDim;
    job.tileSteps = cpu::kLinearAttentionTile;
    job.scale = T(1);
    job.q = cpu::plain(in.c);
    job.k = cpu::plain(in.b);
    job.v = cpu::plain(in.x);
    job.gate = cpu::plain(in.delta);
    job.rate = in.a;
    job.skip = in.d;
    job.initialState = in.initialState;
    return job;
}

template <class T>
Status checkInputs(const SsdPlan& plan, const SsdInputs<T>& in) {
    if (plan.status != Status::kOk) {
        return plan.status;
    }
    if (plan.doublePrecision != (sizeof(T) == sizeof(double))) {
        return Status::kWorkspaceTooSmall;
    }
    if (cpu::hasNegativeStride(in.x) || cpu::hasNegativeStride(in.delta) ||
        cpu::hasNegativeStride(in.b) || cpu::hasNegativeStride(in.c)) {
        return Status::kBadStride;
    }
    const bool empty = plan.shape.batch == 0 || plan.shape.steps == 0 || plan.shape.heads == 0;
    return empty || (in.x && in.delta && in.b && in.c && in.a != nullptr)
               ? Status::kOk
               : Status::kMissingArgument;
}

std::size_t elementsOf(const SsdPlan& plan, bool backward) {
    return cpu::linearAttentionElements(plan, jobFor<float>(plan), backward);
}

/// Behind the scratch: gradients of A, then of D, of every (batch, head).
std::size_t partialBytes(const SsdShape& s, bool doublePrecision) {
    return 2 * static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.heads) *
           (doublePrecision ? sizeof(double) : sizeof(float));
}

}  // namespace

SsdPlan ssdPlan(SsdShape shape, Isa isa, bool doublePrecision) noexcept {
    SsdPlan plan;
    plan.isa = isa;
    plan.doublePrecision = doublePrecision;
    plan.shape = shape;
    if (!isValid(shape)) {
        return plan;
    }
    char extents[24];
    (void)std::snprintf(extents, sizeof extents, "n%dp%d", shape.stateDim, shape.headDim);
    cpu::choose(plan, "ssd", cpu::squareVariant(shape.stateDim, shape.headDim), extents);
    const std::int64_t items = std::int64_t{shape.batch} * shape.groups;
    plan.forwardWorkspaceBytes = cpu::workspaceBytes(plan, items, elementsOf(plan, false));
    plan.backwardWorkspaceBytes = cpu::workspaceBytes(plan, items, elementsOf(plan, true)) +
                                  partialBytes(shape, doublePrecision);
    return plan;
}

template <class T>
Status ssdForward(const SsdPlan& plan, const SsdInputs<T>& in, const SsdOutputs<T>& out,
                  void* workspace, const Exec& exec) noexcept {
    if (const Status status = checkInputs(plan, in); status != Status::kOk) {
        return status;
    }
    const SsdShape& shape = plan.shape;
    if (!cpu::isWritable(out.y, shape.headDim)) {
        return Status::kBadStride;
    }
    if (shape.batch == 0 || shape.heads == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr || in.a == nullptr || (shape.steps > 0 && !out.y)) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.o = cpu::plain(out.y);
    job.finalState = out.finalState;
    job.stateNorm = out.stateNorm;
    cpu::runLinearAttention(plan, job, shape.batch, false, workspace, exec);
    return Status::kOk;
}

template <class T>
Status ssdBackward(const SsdPlan& plan, const SsdInputs<T>& in, const SsdGradients<T>& grad,
                   void* workspace, const Exec& exec) noexcept {
    if (const Status status = checkInputs(plan, in); status != Status::kOk) {
        return status;
    }
    const SsdShape& shape = plan.shape;
    if (cpu::hasNegativeStride(grad.gradY) || !cpu::isWritable(grad.gradX, shape.headDim) ||
        !cpu::isWritable(grad.gradDelta, 0) || !cpu::isWritable(grad.gradB, shape.stateDim) ||
        !cpu::isWritable(grad.gradC, shape.stateDim)) {
        return Status::kBadStride;
    }
    const bool empty = shape.batch == 0 || shape.heads == 0;
    if (!empty &&
        (workspace == nullptr || in.a == nullptr || (grad.gradD != nullptr && in.d == nullptr) ||
         (grad.gradA != nullptr && !grad.gradDelta))) {
        return Status::kMissingArgument;
    }
    T* partial = nullptr;
    if (!empty) {
        auto job = jobFor(plan, in);
        job.gradO = cpu::plain(grad.gradY);
        job.gradFinalState = grad.gradFinalState;
        job.gradQ = cpu::plain(grad.gradC);
        job.gradK = cpu::plain(grad.gradB);
        job.gradV = cpu::plain(grad.gradX);
        job.gradGate = cpu::plain(grad.gradDelta);
        job.gradInitialState = grad.gradInitialState;
        partial = static_cast<T*>(workspace);
        job.gradRate = grad.gradA == nullptr ? nullptr : partial;
        const std::size_t items =
            static_cast<std::size_t>(shape.batch) * static_cast<std::size_t>(shape.heads);
        job.gradSkip = grad.gradD == nullptr ? nullptr : partial + items;
        cpu::runLinearAttention(plan, job, shape.batch, true, partial + 2 * items, exec);
        cpu::sumOverBatch(grad.gradD, partial + items, shape.batch, shape.heads);
    } else {
        cpu::sumOverBatch(grad.gradD, partial, shape.batch, shape.heads);
    }
    cpu::sumOverBatch(grad.gradA, partial, shape.batch, shape.heads);
    return Status::kOk;
}

template <class T>
Status ssdStep(const SsdPlan& plan, const SsdInputs<T>& in, T* state, const View<T>& y) noexcept {
    const std::size_t bytes = elementsOf(plan, false) * sizeof(T) + cpu::kAlignment;
    if (const Status status = cpu::checkStep(plan, plan.shape.steps, state, bytes);
        status != Status::kOk) {
        return status;
    }
    SsdInputs<T> inputs = in;
    inputs.initialState = state;
    SsdOutputs<T> outputs;
    outputs.y = y;
    outputs.finalState = state;
    void* const scratch = __builtin_alloca(plan.status == Status::kOk ? bytes : 1);
    return ssdForward(plan, inputs, outputs, scratch);
}

// Per token and head: decay (N P), write and read-out (2 N P each), Delta x and the skip.
Cost ssdForwardCost(const SsdShape& s) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps;
    const double inner = 5.0 * s.stateDim * s.headDim + 3.0 * s.headDim;
    return {
        tokens * s.heads * inner,
        tokens * (s.heads * (2.0 * s.headDim + 1.0) + 2.0 * s.groups * s.stateDim) * sizeof(float),
        tokens * s.heads};
}

// Reverse: decay, dS += C dy, dB, dx (7 N P); forward: rebuild and dC (5 N P).
Cost ssdBackwardCost(const SsdShape& s) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps;
    const double inner = 12.0 * s.stateDim * s.headDim + 9.0 * s.headDim;
    return {
        tokens * s.heads * inner,
        tokens * (s.heads * (3.0 * s.headDim + 2.0) + 4.0 * s.groups * s.stateDim) * sizeof(float),
        tokens * s.heads};
}

template Status ssdForward<float>(const SsdPlan&, const SsdInputs<float>&, const SsdOutputs<float>&,
                                  void*, const Exec&) noexcept;
template Status ssdForward<double>(const SsdPlan&, const SsdInputs<double>&,
                                   const SsdOutputs<double>&, void*, const Exec&) noexcept;
template Status ssdBackward<float>(const SsdPlan&, const SsdInputs<float>&,
                                   const SsdGradients<float>&, void*, const Exec&) noexcept;
template Status ssdBackward<double>(const SsdPlan&, const SsdInputs<double>&,
                                    const SsdGradients<double>&, void*, const Exec&) noexcept;
template Status ssdStep<float>(const SsdPlan&, const SsdInputs<float>&, float*,
                               const View<float>&) noexcept;
template Status ssdStep<double>(const SsdPlan&, const SsdInputs<double>&, double*,
                                const View<double>&) noexcept;

}  // namespace lab::kernels
