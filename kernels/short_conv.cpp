// Checks and spreads the short convolution; the arithmetic is in kernels/cpu/short_conv.inl.
#include "kernels/short_conv.h"

#include <algorithm>

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/spread.h"
#include "kernels/cpu/tables.h"
#include "kernels/cpu/views.h"

namespace lab::kernels {
namespace {

static_assert(kMaxConvWidth == cpu::kMaxConvTaps);

bool isValid(const ConvShape& s) {
    return s.batch >= 0 && s.steps >= 0 && s.channels >= 1 && s.width >= 1 &&
           s.width <= kMaxConvWidth &&
           static_cast<double>(s.batch) * std::max(s.steps, s.width) * s.channels < 0x1p56;
}

template <class T>
Status check(const ConvShape& shape, const ConvInputs<T>& in, Isa isa) {
    if (!isValid(shape)) {
        return Status::kBadShape;
    }
    if (cpu::tableFor<T>(isa) == nullptr) {
        return Status::kUnavailable;
    }
    if (cpu::hasNegativeStride(in.x)) {
        return Status::kBadStride;
    }
    const bool empty = shape.batch == 0 || shape.steps == 0;
    return in.weight != nullptr && (empty || in.x) ? Status::kOk : Status::kMissingArgument;
}

template <class T>
cpu::ConvJob<T> jobFor(const ConvShape& shape, Activation activation, const ConvInputs<T>& in) {
    cpu::ConvJob<T> job{};
    job.batch = shape.batch;
    job.steps = shape.steps;
    job.channels = shape.channels;
    job.width = shape.width;
    job.silu = activation == Activation::kSilu;
    job.x = cpu::plain(in.x);
    job.weight = in.weight;
    job.bias = in.bias;
    job.initialState = in.initialState;
    return job;
}

template <class T>
void run(void (*kernel)(const cpu::ConvJob<T>&, std::int64_t), const cpu::ConvJob<T>& job,
         int lanes, const Exec& exec) {
    const std::int64_t items = job.batch * ((job.channels + lanes - 1) / lanes);
    cpu::spread(exec, items, [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t item = begin; item < end; ++item) {
            kernel(job, item);
        }
    });
}

/// Sums [batch, width + 1, channels] over the batch, first to last.
template <class T>
void reduce(const cpu::ConvJob<T>& job, T* gradWeight, T* gradBias) {
    const std::int64_t taps = job.width;
    for (std::int64_t w = 0; w <= taps; ++w) {
        T* const to = w < taps ? gradWeight : gradBias;
        const std::int64_t start = w < taps ? w : 0;
        const std::int64_t step = w < taps ? taps : 1;
        for (std::int64_t c = 0; to != nullptr && c < job.channels; ++c) {
            T total = 0;
            for (std::int64_t b = 0; b < job.batch; ++b) {
                total += job.partial[(b * (taps + 1) + w) * job.channels + c];
            }
            to[c * step + start] = total;
        }
    }
}

}  // namespace

std::size_t shortConvWorkspaceBytes(const ConvShape& shape, bool doublePrecision) noexcept {
    return isValid(shape)
               ? static_cast<std::size_t>(shape.batch) * static_cast<std::size_t>(shape.width + 1) *
                     static_cast<std::size_t>(shape.channels) *
                     (doublePrecision ? sizeof(double) : sizeof(float))
               : 0;
}

template <class T>
Status shortConvForward(const ConvShape& shape, Activation activation, const ConvInputs<T>& in,
                        const View<T>& y, T* finalState, Isa isa, const Exec& exec) noexcept {
    if (const Status status = check(shape, in, isa); status != Status::kOk) {
        return status;
    }
    if (!cpu::isWritable(y, shape.channels)) {
        return Status::kBadStride;
    }
    if (!y && shape.batch > 0 && shape.steps > 0) {
        return Status::kMissingArgument;
    }
    cpu::ConvJob<T> job = jobFor(shape, activation, in);
    job.y = cpu::plain(y);
    job.finalState = finalState;
    const cpu::KernelTable<T>& table = *cpu::tableFor<T>(isa);
    run<T>(table.convForward, job, table.lanes, exec);
    return Status::kOk;
}

template <class T>
Status shortConvBackward(const ConvShape& shape, Activation activation, const ConvInputs<T>& in,
                         const ConvGradients<T>& grad, void* workspace, Isa isa,
                         const Exec& exec) noexcept {
    if (const Status status = check(shape, in, isa); status != Status::kOk) {
        return status;
    }
    if (cpu::hasNegativeStride(grad.gradY) || !cpu::isWritable(grad.gradX, shape.channels)) {
        return Status::kBadStride;
    }
    const bool sums = grad.gradWeight != nullptr || grad.gradBias != nullptr;
    if (sums && workspace == nullptr && shape.batch > 0) {
        return Status::kMissingArgument;
    }
    cpu::ConvJob<T> job = jobFor(shape, activation, in);
    job.gradY = cpu::plain(grad.gradY);
    job.gradFinalState = grad.gradFinalState;
    job.gradX = cpu::plain(grad.gradX);
    job.gradInitialState = grad.gradInitialState;
    job.partial = sums ? static_cast<T*>(workspace) : nullptr;
    const cpu::KernelTable<T>& table = *cpu::tableFor<T>(isa);
    run<T>(table.convBackward, job, table.lanes, exec);
    if (sums) {
        reduce(job, grad.gradWeight, grad.gradBias);
    }
    return Status::kOk;
}

Cost shortConvForwardCost(const ConvShape& s) noexcept {
    const double outputs = static_cast<double>(s.batch) * s.steps * s.channels;
    return {outputs * 2.0 * s.width, outputs * 2.0 * sizeof(float)};
}
Cost shortConvBackwardCost(const ConvShape& s) noexcept {
    const double outputs = static_cast<double>(s.batch) * s.steps * s.channels;
    return {outputs * 4.0 * s.width, outputs * 3.0 * sizeof(float)};
}

template Status shortConvForward<float>(const ConvShape&, Activation, const ConvInputs<float>&,
                                        const View<float>&, float*, Isa, const Exec&) noexcept;
template Status shortConvForward<double>(const ConvShape&, Activation, const ConvInputs<double>&,
                                         const View<double>&, double*, Isa, const Exec&) noexcept;
template Status shortConvBackward<float>(const ConvShape&, Activation, const ConvInputs<float>&,
                                         const ConvGradients<float>&, void*, Isa,
                                         const Exec&) noexcept;
template Status shortConvBackward<double>(const ConvShape&, Activation, const ConvInputs<double>&,
                                          const ConvGradients<double>&, void*, Isa,
                                          const Exec&) noexcept;

}  // namespace lab::kernels
