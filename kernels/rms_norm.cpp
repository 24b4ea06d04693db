// Checks and spreads RMS normalisation; the arithmetic is in kernels/cpu/row_kernels.inl.
#include "kernels/rms_norm.h"

#include <algorithm>

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/spread.h"
#include "kernels/cpu/tables.h"

namespace lab::kernels {
namespace {

/// The weight gradient is summed inside blocks of rows and then over blocks. Both follow from the
/// shape alone, so that the number of threads cannot change a bit.
constexpr std::int64_t kMaxBlocks = 64, kMinRows = 32;

std::int64_t rowsPerBlock(const RowShape& shape) {
    return std::max(kMinRows, (shape.rows + kMaxBlocks - 1) / kMaxBlocks);
}
std::int64_t blocksOf(const RowShape& shape) {
    return (shape.rows + rowsPerBlock(shape) - 1) / rowsPerBlock(shape);
}

template <class T>
Status check(const RowShape& shape, const T* x, Isa isa) {
    if (shape.rows < 0 || shape.width < 1 ||
        static_cast<double>(shape.rows) * shape.width >= 0x1p56) {
        return Status::kBadShape;
    }
    if (shape.inputStride < 0 || shape.outputStride < 0) {
        return Status::kBadStride;
    }
    if (cpu::tableFor<T>(isa) == nullptr) {
        return Status::kUnavailable;
    }
    return x != nullptr || shape.rows == 0 ? Status::kOk : Status::kMissingArgument;
}

template <class T>
cpu::NormJob<T> jobFor(const RowShape& shape, const T* x, const T* weight) {
    cpu::NormJob<T> job{};
    job.rows = shape.rows;
    job.width = shape.width;
    job.inputStride = shape.inputStride;
    job.outputStride = shape.outputStride;
    job.x = x;
    job.weight = weight;
    job.rowsPerBlock = rowsPerBlock(shape);
    return job;
}

}  // namespace

std::size_t rmsNormWorkspaceBytes(const RowShape& shape, bool doublePrecision) noexcept {
    if (shape.rows < 0 || shape.width < 1) {
        return 0;
    }
    return static_cast<std::size_t>(blocksOf(shape)) * static_cast<std::size_t>(shape.width) *
           (doublePrecision ? sizeof(double) : sizeof(float));
}

template <class T>
Status rmsNormForward(const RowShape& shape, double epsilon, const T* x, const T* weight, T* y,
                      T* inverse, Isa isa, const Exec& exec) noexcept {
    if (const Status status = check(shape, x, isa); status != Status::kOk) {
        return status;
    }
    if (y == nullptr && shape.rows > 0) {
        return Status::kMissingArgument;
    }
    if (shape.rows > 1 && shape.outputStride < shape.width) {
        return Status::kBadStride;  // rows of the output would overlap
    }
    cpu::NormJob<T> job = jobFor(shape, x, weight);
    job.epsilon = static_cast<T>(epsilon);
    job.y = y;
    job.inverse = inverse;
    cpu::spread(exec, shape.rows, [&](int, std::int64_t begin, std::int64_t end) {
        cpu::tableFor<T>(isa)->normForward(job, begin, end);
    });
    return Status::kOk;
}

template <class T>
Status rmsNormBackward(const RowShape& shape, const T* x, const T* weight, const T* inverse,
                       const T* gradY, T* gradX, T* gradWeight, void* workspace, Isa isa,
                       const Exec& exec) noexcept {
    if (const Status status = check(shape, x, isa); status != Status::kOk) {
        return status;
    }
    if (shape.rows > 0 && (inverse == nullptr || gradY == nullptr ||
                           (gradWeight != nullptr && workspace == nullptr))) {
        return Status::kMissingArgument;
    }
    if (shape.rows > 1 && gradX != nullptr && shape.inputStride < shape.width) {
        return Status::kBadStride;
    }
    cpu::NormJob<T> job = jobFor(shape, x, weight);
    job.savedInverse = inverse;
    job.gradY = gradY;
    job.gradX = gradX;
    job.partial = gradWeight != nullptr ? static_cast<T*>(workspace) : nullptr;
    const std::int64_t blocks = blocksOf(shape);
    cpu::spread(exec, blocks, [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            cpu::tableFor<T>(isa)->normBackward(job, block);
        }
    });
    for (int i = 0; gradWeight != nullptr && i < shape.width; ++i) {
        T total = 0;
        for (std::int64_t block = 0; block < blocks; ++block) {
            total += job.partial[block * shape.width + i];
        }
        gradWeight[i] = total;
    }
    return Status::kOk;
}

template Status rmsNormForward<float>(const RowShape&, double, const float*, const float*, float*,
                                      float*, Isa, const Exec&) noexcept;
template Status rmsNormForward<double>(const RowShape&, double, const double*, const double*,
                                       double*, double*, Isa, const Exec&) noexcept;
template Status rmsNormBackward<float>(const RowShape&, const float*, const float*, const float*,
                                       const float*, float*, float*, void*, Isa,
                                       const Exec&) noexcept;
template Status rmsNormBackward<double>(const RowShape&, const double*, const double*,
                                        const double*, const double*, double*, double*, void*, Isa,
                                        const Exec&) noexcept;

}  // namespace lab::kernels
