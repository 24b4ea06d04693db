// Checks, plans and spreads the selective scan; the arithmetic is in
// kernels/cpu/selective_scan.inl.
#include "kernels/selective_scan.h"

#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/jobs.h"
#include "kernels/cpu/views.h"

namespace lab::kernels {
namespace {

static_assert(kSelectiveScanTile == cpu::kScanTile && kMaxScanStates == cpu::kMaxStates);

constexpr int kHeldStates = 16;  ///< as many states as stay in registers

bool isValid(const SelectiveScanShape& s) {
    return s.batch >= 0 && s.steps >= 0 && s.channels >= 1 && s.states >= 1 &&
           s.states <= kMaxScanStates &&
           std::max(1.0, static_cast<double>(s.batch)) * (s.channels + 16.0) *
                   (static_cast<double>(s.steps) + 16.0) * s.states <
               0x1p56;
}

int variantOf(const SelectiveScanShape& s) {
    return s.states == kHeldStates ? 1 : 0;
}

std::int64_t blocksOf(const SelectiveScanPlan& plan) {
    const int lanes = cpu::lanesOf(plan);
    return (plan.shape.channels + lanes - 1) / lanes;
}

std::size_t elementsOf(const SelectiveScanPlan& plan, bool backward) {
    return cpu::selectiveScanScratch(plan.shape.states, plan.shape.channels, cpu::lanesOf(plan),
                                     backward)
        .size;
}

/// Numbers a batch entry gives to the gradients of A, D and the bias.
std::size_t partialElements(const SelectiveScanShape& s) {
    return static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.channels) *
           static_cast<std::size_t>(s.states + 2);
}

template <class T>
Status checkInputs(const SelectiveScanPlan& plan, const SelectiveScanInputs<T>& in) {
    if (plan.status != Status::kOk) {
        return plan.status;
    }
    if (plan.doublePrecision != (sizeof(T) == sizeof(double))) {
        return Status::kWorkspaceTooSmall;
    }
    if (cpu::hasNegativeStride(in.u) || cpu::hasNegativeStride(in.raw) ||
        cpu::hasNegativeStride(in.z) || cpu::hasNegativeStride(in.b) ||
        cpu::hasNegativeStride(in.c)) {
        return Status::kBadStride;
    }
    const bool empty = plan.shape.batch == 0 || plan.shape.steps == 0;
    return in.a != nullptr && (empty || (in.u && in.raw && in.b && in.c))
               ? Status::kOk
               : Status::kMissingArgument;
}

template <class T>
cpu::SelectiveScanJob<T> jobFor(const SelectiveScanPlan& plan, const SelectiveScanInputs<T>& in) {
    cpu::SelectiveScanJob<T> job{};
    job.steps = plan.shape.steps;
    job.channels = plan.shape.channels;
    job.states = plan.shape.states;
    job.softplus = plan.softplus;
    job.u = cpu::plain(in.u);
    job.raw = cpu::plain(in.raw);
    job.z = cpu::plain(in.z);
    job.b = cpu::plain(in.b);
    job.c = cpu::plain(in.c);
    job.a = in.a;
    job.d = in.d;
    job.bias = in.bias;
    job.initialState = in.initialState;
    return job;
}

}  // namespace

SelectiveScanPlan selectiveScanPlan(SelectiveScanShape shape, bool softplus, Isa isa,
                                    bool doublePrecision) noexcept {
    SelectiveScanPlan plan;
    plan.isa = isa;
    plan.doublePrecision = doublePrecision;
    plan.shape = shape;
    plan.softplus = softplus;
    if (!isValid(shape)) {
        return plan;
    }
    cpu::choose(plan, "s6", variantOf(shape), "n16");
    const std::int64_t blocks = blocksOf(plan);
    const std::int64_t tiles = (shape.steps + kSelectiveScanTile - 1) / kSelectiveScanTile;
    plan.savedElements =
        static_cast<std::size_t>(shape.batch * blocks * tiles * shape.states * cpu::lanesOf(plan));
    plan.forwardWorkspaceBytes =
        cpu::workspaceBytes(plan, shape.batch * blocks, elementsOf(plan, false));
    plan.backwardWorkspaceBytes =
        cpu::workspaceBytes(plan, shape.batch, elementsOf(plan, true)) +
        partialElements(shape) * (doublePrecision ? sizeof(double) : sizeof(float));
    return plan;
}

template <class T>
Status selectiveScanForward(const SelectiveScanPlan& plan, const SelectiveScanInputs<T>& in,
                            const SelectiveScanOutputs<T>& out, void* workspace,
                            const Exec& exec) noexcept {
    if (const Status status = checkInputs(plan, in); status != Status::kOk) {
        return status;
    }
    if (!cpu::isWritable(out.out, plan.shape.channels)) {
        return Status::kBadStride;
    }
    if (plan.shape.batch == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr || (plan.shape.steps > 0 && !out.out)) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.out = cpu::plain(out.out);
    job.finalState = out.finalState;
    job.saved = out.saved;
    cpu::runItems(cpu::tableFor<T>(plan.isa)->selectiveScanForward[variantOf(plan.shape)], job,
                  plan.shape.batch * blocksOf(plan), elementsOf(plan, false), workspace, exec);
    return Status::kOk;
}

template <class T>
Status selectiveScanBackward(const SelectiveScanPlan& plan, const SelectiveScanInputs<T>& in,
                             const T* saved, const SelectiveScanGradients<T>& grad, void* workspace,
                             const Exec& exec) noexcept {
    if (const Status status = checkInputs(plan, in); status != Status::kOk) {
        return status;
    }
    const SelectiveScanShape& s = plan.shape;
    if (cpu::hasNegativeStride(grad.gradOut) || !cpu::isWritable(grad.gradU, s.channels) ||
        !cpu::isWritable(grad.gradRaw, s.channels) || !cpu::isWritable(grad.gradZ, s.channels) ||
        !cpu::isWritable(grad.gradB, s.states) || !cpu::isWritable(grad.gradC, s.states)) {
        return Status::kBadStride;
    }
    if (s.batch > 0 &&
        (workspace == nullptr || (s.steps > 0 && saved == nullptr) || (grad.gradZ && !in.z))) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.saved = const_cast<T*>(saved);  // backward only reads it
    job.gradOut = cpu::plain(grad.gradOut);
    job.gradFinalState = grad.gradFinalState;
    job.gradU = cpu::plain(grad.gradU);
    job.gradRaw = cpu::plain(grad.gradRaw);
    job.gradZ = cpu::plain(grad.gradZ);
    job.gradB = cpu::plain(grad.gradB);
    job.gradC = cpu::plain(grad.gradC);
    job.gradInitialState = grad.gradInitialState;
    T* const partial = static_cast<T*>(workspace);
    const std::int64_t perState = std::int64_t{s.channels} * s.states;
    if (s.batch > 0) {
        job.gradA = partial;
        job.gradD = job.gradA + s.batch * perState;
        job.gradBias = job.gradD + std::int64_t{s.batch} * s.channels;
        cpu::runItems(cpu::tableFor<T>(plan.isa)->selectiveScanBackward[variantOf(s)], job,
                      std::int64_t{s.batch}, elementsOf(plan, true), partial + partialElements(s),
                      exec);
    }
    cpu::sumOverBatch(grad.gradA, job.gradA, s.batch, perState);
    cpu::sumOverBatch(grad.gradD, job.gradD, s.batch, s.channels);
    cpu::sumOverBatch(grad.gradBias, job.gradBias, s.batch, s.channels);
    return Status::kOk;
}

template <class T>
Status selectiveScanStep(const SelectiveScanPlan& plan, const SelectiveScanInputs<T>& in, T* state,
                         const View<T>& out) noexcept {
    const std::size_t bytes = elementsOf(plan, false) * sizeof(T) + cpu::kAlignment;
    if (const Status status = cpu::checkStep(plan, plan.shape.steps, state, bytes);
        status != Status::kOk) {
        return status;
    }
    SelectiveScanInputs<T> inputs = in;
    inputs.initialState = state;
    SelectiveScanOutputs<T> outputs;
    outputs.out = out;
    outputs.finalState = state;
    void* const scratch = __builtin_alloca(plan.status == Status::kOk ? bytes : 1);
    return selectiveScanForward(plan, inputs, outputs, scratch);
}

// Per channel, state and token: decay and write (3 + 1), read-out (2), the exponent (1).
Cost selectiveScanForwardCost(const SelectiveScanShape& s) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps;
    return {tokens * s.channels * (7.0 * s.states + 10.0),
            tokens * (4.0 * s.channels + 2.0 * s.states) * sizeof(float),
            tokens * s.channels * (s.states + 2.0)};
}

// Per channel, state and token: rebuild (5), lambda, B, C, A, u, delta (2 each), products (3).
Cost selectiveScanBackwardCost(const SelectiveScanShape& s) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps;
    return {tokens * s.channels * (22.0 * s.states + 30.0),
            tokens * (7.0 * s.channels + 4.0 * s.states) * sizeof(float),
            tokens * s.channels * (s.states + 3.0)};
}

template Status selectiveScanForward<float>(const SelectiveScanPlan&,
                                            const SelectiveScanInputs<float>&,
                                            const SelectiveScanOutputs<float>&, void*,
                                            const Exec&) noexcept;
template Status selectiveScanForward<double>(const SelectiveScanPlan&,
                                             const SelectiveScanInputs<double>&,
                                             const SelectiveScanOutputs<double>&, void*,
                                             const Exec&) noexcept;
template Status selectiveScanBackward<float>(const SelectiveScanPlan&,
                                             const SelectiveScanInputs<float>&, const float*,
                                             const SelectiveScanGradients<float>&, void*,
                                             const Exec&) noexcept;
template Status selectiveScanBackward<double>(const SelectiveScanPlan&,
                                              const SelectiveScanInputs<double>&, const double*,
                                              const SelectiveScanGradients<double>&, void*,
                                              const Exec&) noexcept;
template Status selectiveScanStep<float>(const SelectiveScanPlan&,
                                         const SelectiveScanInputs<float>&, float*,
                                         const View<float>&) noexcept;
template Status selectiveScanStep<double>(const SelectiveScanPlan&,
                                          const SelectiveScanInputs<double>&, double*,
                                          const View<double>&) noexcept;

}  // namespace lab::kernels
