// Checks, plans and spreads the belief filter; the arithmetic is in kernels/cpu/belief_filter.inl.
#include "kernels/belief_filter.h"

#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/jobs.h"
#include "kernels/cpu/views.h"

namespace lab::kernels {
namespace {

bool isValid(const BeliefShape& s) {
    const double matrices = s.permutations > 0   ? s.permutations
                            : s.sharedTransition ? s.states
                                                 : 1.0 * s.states * s.batch * s.steps;
    return s.batch >= 0 && s.steps >= 0 && s.states >= 1 && s.permutations >= 0 &&
           (1.0 * s.batch + 1) * (1.0 * s.steps + 1) * s.states < 0x1p56 &&
           (matrices + s.batch) * s.states < 0x1p56;
}

std::size_t elementsOf(const BeliefPlan& plan) {
    return cpu::beliefScratch(cpu::lanesOf(plan), plan.shape.states);
}

std::size_t squareOf(const BeliefShape& s) {
    return static_cast<std::size_t>(s.states) * static_cast<std::size_t>(s.states);
}

/// A partial gradient of the shared matrix for each batch entry.
bool sumsMatrix(const BeliefShape& s) {
    return s.permutations == 0 && s.sharedTransition;
}

template <class T>
Status check(const BeliefPlan& plan, const BeliefInputs<T>& in) {
    if (plan.status != Status::kOk) {
        return plan.status;
    }
    if (plan.doublePrecision != (sizeof(T) == sizeof(double))) {
        return Status::kWorkspaceTooSmall;
    }
    if (cpu::hasNegativeStride(in.weights) || cpu::hasNegativeStride(in.evidence)) {
        return Status::kBadStride;
    }
    const BeliefShape& s = plan.shape;
    if (s.batch == 0 || s.steps == 0) {
        return Status::kOk;
    }
    const bool moves =
        s.permutations > 0 ? in.source != nullptr && in.weights : in.transition != nullptr;
    return moves && in.initial != nullptr ? Status::kOk : Status::kMissingArgument;
}

template <class T>
cpu::BeliefJob<T> jobFor(const BeliefPlan& plan, const BeliefInputs<T>& in) {
    const BeliefShape& s = plan.shape;
    const auto square = static_cast<std::int64_t>(squareOf(s));
    cpu::BeliefJob<T> job{};
    job.steps = s.steps;
    job.states = s.states;
    job.permutations = s.permutations;
    job.transitionBatch = s.sharedTransition ? 0 : s.steps * square;
    job.transitionTime = s.sharedTransition ? 0 : square;
    job.transition = in.transition;
    job.source = in.source;
    job.weights = cpu::plain(in.weights);
    job.evidence = cpu::plain(in.evidence);
    job.initial = in.initial;
    return job;
}

}  // namespace

BeliefPlan beliefPlan(BeliefShape shape, Isa isa, bool doublePrecision) noexcept {
    BeliefPlan plan;
    plan.isa = isa;
    plan.doublePrecision = doublePrecision;
    plan.shape = shape;
    if (!isValid(shape)) {
        return plan;
    }
    cpu::choose(plan, shape.permutations > 0 ? "belief_mixture" : "belief", 0, "");
    plan.backwardWorkspaceBytes = cpu::workspaceBytes(plan, shape.batch, elementsOf(plan));
    if (sumsMatrix(shape)) {
        plan.backwardWorkspaceBytes += static_cast<std::size_t>(shape.batch) * squareOf(shape) *
                                       (doublePrecision ? sizeof(double) : sizeof(float));
    }
    return plan;
}

template <class T>
Status beliefForward(const BeliefPlan& plan, const BeliefInputs<T>& in, const BeliefOutputs<T>& out,
                     const Exec& exec) noexcept {
    if (const Status status = check(plan, in); status != Status::kOk) {
        return status;
    }
    if (!cpu::isWritable(out.belief, plan.shape.states)) {
        return Status::kBadStride;
    }
    if (plan.shape.batch == 0 || plan.shape.steps == 0) {
        return Status::kOk;
    }
    if (!out.belief) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.belief = cpu::plain(out.belief);
    job.mass = out.mass;
    job.logEvidence = out.logEvidence;
    cpu::spread(exec, plan.shape.batch, [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t item = begin; item < end; ++item) {
            cpu::tableFor<T>(plan.isa)->beliefForward(job, item);
        }
    });
    return Status::kOk;
}

template <class T>
Status beliefBackward(const BeliefPlan& plan, const BeliefInputs<T>& in,
                      const BeliefGradients<T>& grad, void* workspace, const Exec& exec) noexcept {
    if (const Status status = check(plan, in); status != Status::kOk) {
        return status;
    }
    const BeliefShape& s = plan.shape;
    if (cpu::hasNegativeStride(grad.belief) || cpu::hasNegativeStride(grad.gradBelief) ||
        !cpu::isWritable(grad.gradWeights, s.permutations) ||
        !cpu::isWritable(grad.gradEvidence, s.states)) {
        return Status::kBadStride;
    }
    const bool empty = s.batch == 0 || s.steps == 0;
    if (s.batch > 0 &&
        (workspace == nullptr || (!empty && (!grad.belief || grad.mass == nullptr)))) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.savedBelief = cpu::plain(grad.belief);
    job.savedMass = grad.mass;
    job.gradBelief = cpu::plain(grad.gradBelief);
    job.gradLogEvidence = grad.gradLogEvidence;
    job.gradWeights = cpu::plain(grad.gradWeights);
    job.gradEvidence = cpu::plain(grad.gradEvidence);
    job.gradInitial = grad.gradInitial;
    job.gradTransition = grad.gradTransition;
    T* partial = nullptr;
    const std::size_t square = squareOf(s);
    if (sumsMatrix(s) && grad.gradTransition != nullptr && s.batch > 0) {
        const auto workers = static_cast<std::size_t>(std::min(s.batch, cpu::kMaxWorkers));
        partial = cpu::aligned<T>(workspace) + workers * elementsOf(plan);
        std::fill(partial, partial + static_cast<std::size_t>(s.batch) * square, T(0));
        job.gradTransition = partial;
    }
    if (s.batch > 0) {
        cpu::runItems(cpu::tableFor<T>(plan.isa)->beliefBackward, job, s.batch, elementsOf(plan),
                      workspace, exec);
    }
    if (sumsMatrix(s)) {
        cpu::sumOverBatch(grad.gradTransition, partial, s.batch, static_cast<std::int64_t>(square));
    }
    return Status::kOk;
}

template <class T>
Status beliefStep(const BeliefPlan& plan, const BeliefInputs<T>& in, T* belief, T* logEvidence,
                  void* workspace) noexcept {
    if (plan.status == Status::kOk && plan.shape.steps != 1) {
        return Status::kBadShape;
    }
    BeliefInputs<T> from = in;
    from.initial = belief;
    if (const Status status = check(plan, from); status != Status::kOk) {
        return status;
    }
    if (plan.shape.batch > 0 && workspace == nullptr) {
        return Status::kMissingArgument;
    }
    // Through the scratch of one entry: forward reads the old belief while it writes the new one.
    const std::int64_t states = plan.shape.states;
    const auto* const table = cpu::tableFor<T>(plan.isa);
    for (std::int64_t b = 0; b < plan.shape.batch; ++b) {
        auto job = jobFor(plan, from);
        T* const next = cpu::aligned<T>(workspace);
        job.belief = {next, {0, 0, 0, 1}};
        job.logEvidence = logEvidence;
        table->beliefForward(job, b);
        std::copy(next, next + states, belief + b * states);
    }
    return Status::kOk;
}

Cost beliefForwardCost(const BeliefShape& s) noexcept {
    const double steps = 1.0 * s.batch * s.steps, n = s.states;
    const double moves = s.permutations > 0 ? 2.0 * s.permutations * n : 2.0 * n * n;
    const double matrices = s.permutations > 0 ? 0.0 : n * n * (s.sharedTransition ? 1.0 : steps);
    return {steps * (moves + 3.0 * n), (steps * 2.0 * n + matrices) * sizeof(float), 0.0};
}

Cost beliefBackwardCost(const BeliefShape& s) noexcept {
    const double steps = 1.0 * s.batch * s.steps, n = s.states;
    const double moves = s.permutations > 0 ? 4.0 * s.permutations * n : 4.0 * n * n;
    const double matrices = s.permutations > 0 ? 0.0 : n * n * (s.sharedTransition ? 1.0 : steps);
    return {steps * (moves + 6.0 * n), (steps * 4.0 * n + 2.0 * matrices) * sizeof(float), 0.0};
}

template Status beliefForward<float>(const BeliefPlan&, const BeliefInputs<float>&,
                                     const BeliefOutputs<float>&, const Exec&) noexcept;
template Status beliefForward<double>(const BeliefPlan&, const BeliefInputs<double>&,
                                      const BeliefOutputs<double>&, const Exec&) noexcept;
template Status beliefBackward<float>(const BeliefPlan&, const BeliefInputs<float>&,
                                      const BeliefGradients<float>&, void*, const Exec&) noexcept;
template Status beliefBackward<double>(const BeliefPlan&, const BeliefInputs<double>&,
                                       const BeliefGradients<double>&, void*, const Exec&) noexcept;
template Status beliefStep<float>(const BeliefPlan&, const BeliefInputs<float>&, float*, float*,
                                  void*) noexcept;
template Status beliefStep<double>(const BeliefPlan&, const BeliefInputs<double>&, double*, double*,
                                   void*) noexcept;

}  // namespace lab::kernels
