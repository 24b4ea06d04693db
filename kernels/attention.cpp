// Checks, plans and spreads causal attention; the arithmetic is in kernels/cpu/attention.inl.
#include "kernels/attention.h"

#include <cmath>

#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/jobs.h"
#include "kernels/cpu/views.h"

namespace lab::kernels {
namespace {

bool isValid(const AttentionShape& s, const AttentionOptions& options) {
    return s.batch >= 0 && s.steps >= 0 && s.keySteps >= s.steps && s.heads >= 0 && s.groups >= 1 &&
           s.heads % s.groups == 0 && s.keyDim >= 1 && s.valueDim >= 1 && options.scale > 0.0 &&
           options.window >= 0 && options.rotaryBase >= 0.0 &&
           (options.rotaryBase == 0.0 || s.keyDim % 2 == 0) &&
           std::max(1.0, static_cast<double>(s.batch)) * std::max(1.0, 1.0 * s.heads) *
                   (s.keySteps + 32.0) * (std::max(s.keyDim, s.valueDim) + 16.0) <
               0x1p56;
}

std::size_t elementsOf(const AttentionPlan& plan, bool backward) {
    return cpu::attentionScratch(plan.shape.keySteps, plan.shape.keyDim, plan.shape.valueDim,
                                 cpu::lanesOf(plan), backward)
        .size;
}
std::int64_t itemsOf(const AttentionPlan& plan) {
    return std::int64_t{plan.shape.batch} * plan.shape.groups;
}

/// Numbers of the table of cosines and sines at the beginning of the workspace.
std::size_t rotaryElements(const AttentionPlan& plan) {
    const std::size_t numbers =
        static_cast<std::size_t>(plan.shape.keySteps) * static_cast<std::size_t>(plan.shape.keyDim);
    return plan.options.rotaryBase > 0.0 ? (numbers + 15) / 16 * 16 : 0;
}

/// Angles grow place by place: a turn of the turn before, from an exact one every kExact places.
template <class T>
void fillRotary(const AttentionPlan& plan, T* table) {
    constexpr std::int64_t kExact = 64;
    const int width = plan.shape.keyDim, half = width / 2;
    for (int j = 0; j < half; ++j) {
        const double angle = std::pow(plan.options.rotaryBase, -2.0 * j / width);
        const double turnCos = std::cos(angle), turnSin = std::sin(angle);
        double c = 1.0, s = 0.0;
        for (std::int64_t place = 0; place < plan.shape.keySteps; ++place) {
            if (place % kExact == 0) {
                c = std::cos(angle * static_cast<double>(place));
                s = std::sin(angle * static_cast<double>(place));
            }
            table[place * width + j] = static_cast<T>(c);
            table[place * width + half + j] = static_cast<T>(s);
            const double next = c * turnCos - s * turnSin;
            s = c * turnSin + s * turnCos;
            c = next;
        }
    }
}

/// The table, and where the scratch of the workers begins behind it.
template <class T>
T* rotaryAndScratch(const AttentionPlan& plan, void* workspace, cpu::AttentionJob<T>& job) {
    T* const base = cpu::aligned<T>(workspace);
    if (const std::size_t numbers = rotaryElements(plan); numbers > 0) {
        fillRotary(plan, base);
        job.rotary = base;
        return base + numbers;
    }
    return base;
}

template <class T>
Status check(const AttentionPlan& plan, const AttentionInputs<T>& in) {
    if (plan.status != Status::kOk) {
        return plan.status;
    }
    if (plan.doublePrecision != (sizeof(T) == sizeof(double))) {
        return Status::kWorkspaceTooSmall;
    }
    if (cpu::hasNegativeStride(in.q) || cpu::hasNegativeStride(in.k) ||
        cpu::hasNegativeStride(in.v)) {
        return Status::kBadStride;
    }
    const bool empty = plan.shape.batch == 0 || plan.shape.keySteps == 0 || plan.shape.heads == 0;
    return empty || (in.q && in.k && in.v) ? Status::kOk : Status::kMissingArgument;
}

template <class T>
cpu::AttentionJob<T> jobFor(const AttentionPlan& plan, const AttentionInputs<T>& in) {
    cpu::AttentionJob<T> job{};
    job.steps = plan.shape.steps;
    job.keySteps = plan.shape.keySteps;
    job.heads = plan.shape.heads;
    job.groups = plan.shape.groups;
    job.keyDim = plan.shape.keyDim;
    job.valueDim = plan.shape.valueDim;
    job.window = plan.options.window;
    job.scale = static_cast<T>(plan.options.scale);
    job.q = cpu::plain(in.q);
    job.k = cpu::plain(in.k);
    job.v = cpu::plain(in.v);
    return job;
}

/// Pairs of a query and a place it sees, of one head.
double pairsOf(const AttentionShape& s, int window) {
    double pairs = 0;
    for (int t = 0; t < s.steps; ++t) {
        const int seen = s.keySteps - s.steps + t + 1;
        pairs += window > 0 ? std::min(seen, window) : seen;
    }
    return pairs;
}

}  // namespace

AttentionPlan attentionPlan(AttentionShape shape, AttentionOptions options, Isa isa,
                            bool doublePrecision) noexcept {
    AttentionPlan plan;
    plan.isa = isa;
    plan.doublePrecision = doublePrecision;
    plan.shape = shape;
    plan.options = options;
    if (!isValid(shape, options)) {
        return plan;
    }
    cpu::choose(plan, "attention", 0, "");
    const std::size_t rotary =
        rotaryElements(plan) * (doublePrecision ? sizeof(double) : sizeof(float));
    plan.forwardWorkspaceBytes =
        rotary + cpu::workspaceBytes(plan, itemsOf(plan), elementsOf(plan, false));
    plan.backwardWorkspaceBytes =
        rotary + cpu::workspaceBytes(plan, itemsOf(plan), elementsOf(plan, true));
    return plan;
}

template <class T>
Status attentionForward(const AttentionPlan& plan, const AttentionInputs<T>& in,
                        const AttentionOutputs<T>& out, void* workspace,
                        const Exec& exec) noexcept {
    if (const Status status = check(plan, in); status != Status::kOk) {
        return status;
    }
    const AttentionShape& s = plan.shape;
    if (!cpu::isWritable(out.o, s.valueDim)) {
        return Status::kBadStride;
    }
    if (s.batch == 0 || s.heads == 0 || s.steps == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr || !out.o) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.o = cpu::plain(out.o);
    job.logSum = out.logSum;
    T* const scratch = rotaryAndScratch(plan, workspace, job);
    cpu::runItems(cpu::tableFor<T>(plan.isa)->attentionForward, job, itemsOf(plan),
                  elementsOf(plan, false), scratch, exec);
    return Status::kOk;
}

template <class T>
Status attentionBackward(const AttentionPlan& plan, const AttentionInputs<T>& in,
                         const AttentionGradients<T>& grad, void* workspace,
                         const Exec& exec) noexcept {
    if (const Status status = check(plan, in); status != Status::kOk) {
        return status;
    }
    const AttentionShape& s = plan.shape;
    if (cpu::hasNegativeStride(grad.o) || cpu::hasNegativeStride(grad.gradO) ||
        !cpu::isWritable(grad.gradQ, s.keyDim) || !cpu::isWritable(grad.gradK, s.keyDim) ||
        !cpu::isWritable(grad.gradV, s.valueDim)) {
        return Status::kBadStride;
    }
    if (s.batch == 0 || s.heads == 0 || s.keySteps == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr ||
        (s.steps > 0 && (!grad.o || !grad.gradO || grad.logSum == nullptr))) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in);
    job.savedO = cpu::plain(grad.o);
    job.gradO = cpu::plain(grad.gradO);
    job.savedLogSum = grad.logSum;
    job.gradQ = cpu::plain(grad.gradQ);
    job.gradK = cpu::plain(grad.gradK);
    job.gradV = cpu::plain(grad.gradV);
    T* const scratch = rotaryAndScratch(plan, workspace, job);
    cpu::runItems(cpu::tableFor<T>(plan.isa)->attentionBackward, job, itemsOf(plan),
                  elementsOf(plan, true), scratch, exec);
    return Status::kOk;
}

// A pair costs two products (2 K + 2 V) and an exponential.
Cost attentionForwardCost(const AttentionShape& s, int window) noexcept {
    const double heads = static_cast<double>(s.batch) * s.heads;
    const double pairs = heads * pairsOf(s, window);
    const double rows =
        static_cast<double>(s.batch) * (s.steps * s.heads + 1.0 * s.keySteps * s.groups);
    return {pairs * 2.0 * (s.keyDim + s.valueDim), rows * (s.keyDim + s.valueDim) * sizeof(float),
            pairs};
}

// The scores again, dp, dq, dk (2 K + 2 V + 4 K) and dv (2 V).
Cost attentionBackwardCost(const AttentionShape& s, int window) noexcept {
    const double heads = static_cast<double>(s.batch) * s.heads;
    const double pairs = heads * pairsOf(s, window);
    const double rows =
        static_cast<double>(s.batch) * (s.steps * s.heads + 1.0 * s.keySteps * s.groups);
    return {pairs * (6.0 * s.keyDim + 4.0 * s.valueDim),
            2.0 * rows * (s.keyDim + s.valueDim) * sizeof(float), pairs};
}

template Status attentionForward<float>(const AttentionPlan&, const AttentionInputs<float>&,
                                        const AttentionOutputs<float>&, void*,
                                        const Exec&) noexcept;
template Status attentionForward<double>(const AttentionPlan&, const AttentionInputs<double>&,
                                         const AttentionOutputs<double>&, void*,
                                         const Exec&) noexcept;
template Status attentionBackward<float>(const AttentionPlan&, const AttentionInputs<float>&,
                                         const AttentionGradients<float>&, void*,
                                         const Exec&) noexcept;
template Status attentionBackward<double>(const AttentionPlan&, const AttentionInputs<double>&,
                                          const AttentionGradients<double>&, void*,
                                          const Exec&) noexcept;

}  // namespace lab::kernels
