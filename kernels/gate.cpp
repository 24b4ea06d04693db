// Checks and spreads SiLU gates; the arithmetic is in kernels/cpu/row_kernels.inl.
#include "kernels/gate.h"

#include <climits>

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/spread.h"
#include "kernels/cpu/tables.h"

namespace lab::kernels {
namespace {

template <class T>
Status check(const GateShape& s, const T* gate, const void* other, Isa isa) {
    if (s.rows < 0 || s.width < 0 || s.width > INT_MAX ||
        static_cast<double>(s.rows) * static_cast<double>(s.width) >= 0x1p56) {
        return Status::kBadShape;
    }
    if (s.gateStride < 0 || s.upStride < 0 || s.outStride < 0 ||
        (s.rows > 1 && s.outStride < s.width)) {
        return Status::kBadStride;
    }
    if (cpu::tableFor<T>(isa) == nullptr) {
        return Status::kUnavailable;
    }
    const bool empty = s.rows == 0 || s.width == 0;
    return empty || (gate != nullptr && other != nullptr) ? Status::kOk : Status::kMissingArgument;
}

template <class T>
cpu::GateJob<T> jobFor(const GateShape& s, const T* gate, const T* up) {
    cpu::GateJob<T> job{};
    job.width = s.width;
    job.gateStride = s.gateStride;
    job.upStride = s.upStride;
    job.outStride = s.outStride;
    job.gate = gate;
    job.up = up;
    return job;
}

}  // namespace

template <class T>
Status siluGateForward(const GateShape& shape, const T* gate, const T* up, T* out, Isa isa,
                       const Exec& exec) noexcept {
    if (const Status status = check(shape, gate, out, isa); status != Status::kOk) {
        return status;
    }
    auto job = jobFor(shape, gate, up);
    job.out = out;
    cpu::spread(exec, shape.rows, [&](int, std::int64_t begin, std::int64_t end) {
        cpu::tableFor<T>(isa)->gateForward(job, begin, end);
    });
    return Status::kOk;
}

template <class T>
Status siluGateBackward(const GateShape& shape, const T* gate, const T* up, const T* gradOut,
                        T* gradGate, T* gradUp, Isa isa, const Exec& exec) noexcept {
    if (const Status status = check(shape, gate, gradOut, isa); status != Status::kOk) {
        return status;
    }
    if (shape.rows > 1 && ((gradGate != nullptr && shape.gateStride < shape.width) ||
                           (gradUp != nullptr && shape.upStride < shape.width))) {
        return Status::kBadStride;  // rows of a gradient would overlap
    }
    auto job = jobFor(shape, gate, up);
    job.gradOut = gradOut;
    job.gradGate = gradGate;
    job.gradUp = gradUp;
    cpu::spread(exec, shape.rows, [&](int, std::int64_t begin, std::int64_t end) {
        cpu::tableFor<T>(isa)->gateBackward(job, begin, end);
    });
    return Status::kOk;
}

Cost siluGateForwardCost(const GateShape& s) noexcept {
    const double numbers = static_cast<double>(s.rows) * static_cast<double>(s.width);
    return {4.0 * numbers, 3.0 * numbers * sizeof(float), numbers};
}

Cost siluGateBackwardCost(const GateShape& s) noexcept {
    const double numbers = static_cast<double>(s.rows) * static_cast<double>(s.width);
    return {9.0 * numbers, 5.0 * numbers * sizeof(float), numbers};
}

template Status siluGateForward<float>(const GateShape&, const float*, const float*, float*, Isa,
                                       const Exec&) noexcept;
template Status siluGateForward<double>(const GateShape&, const double*, const double*, double*,
                                        Isa, const Exec&) noexcept;
template Status siluGateBackward<float>(const GateShape&, const float*, const float*, const float*,
                                        float*, float*, Isa, const Exec&) noexcept;
template Status siluGateBackward<double>(const GateShape&, const double*, const double*,
                                         const double*, double*, double*, Isa,
                                         const Exec&) noexcept;

}  // namespace lab::kernels
