// Checks and spreads the norms of rows; the arithmetic is in kernels/cpu/row_kernels.inl.
#include "kernels/norm.h"

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
cpu::NormJob<T> jobFor(Norm norm, const RowShape& shape, const NormInputs<T>& in) {
    cpu::NormJob<T> job{};
    job.rows = shape.rows;
    job.width = shape.width;
    job.inputStride = shape.inputStride;
    job.outputStride = shape.outputStride;
    job.divisor = norm == Norm::kL2 ? T(1) : static_cast<T>(shape.width);
    job.x = in.x;
    job.weight = in.weight;
    job.bias = in.bias;
    job.rowsPerBlock = rowsPerBlock(shape);
    return job;
}

/// Of blocks of rows, in order.
template <class T>
void sumBlocks(T* to, const T* partial, std::int64_t blocks, int width) {
    for (int i = 0; to != nullptr && i < width; ++i) {
        T total = 0;
        for (std::int64_t block = 0; block < blocks; ++block) {
            total += partial[2 * block * width + i];
        }
        to[i] = total;
    }
}

std::size_t centred(Norm norm) {
    return norm == Norm::kLayer ? 1 : 0;
}

}  // namespace

std::size_t normWorkspaceBytes(const RowShape& shape, bool doublePrecision) noexcept {
    if (shape.rows < 0 || shape.width < 1) {
        return 0;
    }
    return 2 * static_cast<std::size_t>(blocksOf(shape)) * static_cast<std::size_t>(shape.width) *
           (doublePrecision ? sizeof(double) : sizeof(float));
}

template <class T>
Status normForward(Norm norm, const RowShape& shape, double epsilon, const NormInputs<T>& in, T* y,
                   const NormStatistics<T>& statistics, Isa isa, const Exec& exec) noexcept {
    if (const Status status = check(shape, in.x, isa); status != Status::kOk) {
        return status;
    }
    if (y == nullptr && shape.rows > 0) {
        return Status::kMissingArgument;
    }
    if (shape.rows > 1 && shape.outputStride < shape.width) {
        return Status::kBadStride;  // rows of the output would overlap
    }
    cpu::NormJob<T> job = jobFor(norm, shape, in);
    job.epsilon = static_cast<T>(epsilon);
    job.y = y;
    job.inverse = statistics.inverse;
    job.mean = statistics.mean;
    cpu::spread(exec, shape.rows, [&](int, std::int64_t begin, std::int64_t end) {
        cpu::tableFor<T>(isa)->normForward[centred(norm)](job, begin, end);
    });
    return Status::kOk;
}

template <class T>
Status normBackward(Norm norm, const RowShape& shape, const NormInputs<T>& in,
                    const NormStatistics<const T>& statistics, const NormGradients<T>& grad,
                    void* workspace, Isa isa, const Exec& exec) noexcept {
    if (const Status status = check(shape, in.x, isa); status != Status::kOk) {
        return status;
    }
    const bool sums = grad.gradWeight != nullptr || grad.gradBias != nullptr;
    if (shape.rows > 0 &&
        (statistics.inverse == nullptr || grad.gradY == nullptr ||
         (norm == Norm::kLayer && statistics.mean == nullptr) || (sums && workspace == nullptr))) {
        return Status::kMissingArgument;
    }
    if (shape.rows > 1 && grad.gradX != nullptr && shape.inputStride < shape.width) {
        return Status::kBadStride;
    }
    cpu::NormJob<T> job = jobFor(norm, shape, in);
    job.savedInverse = statistics.inverse;
    job.savedMean = statistics.mean;
    job.gradY = grad.gradY;
    job.gradX = grad.gradX;
    job.partial = sums ? static_cast<T*>(workspace) : nullptr;
    const std::int64_t blocks = blocksOf(shape);
    cpu::spread(exec, blocks, [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t block = begin; block < end; ++block) {
            cpu::tableFor<T>(isa)->normBackward[centred(norm)](job, block);
        }
    });
    sumBlocks(grad.gradWeight, job.partial, blocks, shape.width);
    sumBlocks(grad.gradBias, sums && blocks > 0 ? job.partial + shape.width : nullptr, blocks,
              shape.width);
    return Status::kOk;
}

// Squares summed, then scaled by the root and the weight.
Cost normForwardCost(const RowShape& shape) noexcept {
    const double numbers = static_cast<double>(shape.rows) * shape.width;
    return {4.0 * numbers, (2.0 * numbers + shape.width) * sizeof(float), 0.0};
}

Cost normBackwardCost(const RowShape& shape) noexcept {
    const double numbers = static_cast<double>(shape.rows) * shape.width;
    return {9.0 * numbers, (3.0 * numbers + 2.0 * shape.width) * sizeof(float), 0.0};
}

template Status normForward<float>(Norm, const RowShape&, double, const NormInputs<float>&, float*,
                                   const NormStatistics<float>&, Isa, const Exec&) noexcept;
template Status normForward<double>(Norm, const RowShape&, double, const NormInputs<double>&,
                                    double*, const NormStatistics<double>&, Isa,
                                    const Exec&) noexcept;
template Status normBackward<float>(Norm, const RowShape&, const NormInputs<float>&,
                                    const NormStatistics<const float>&, const NormGradients<float>&,
                                    void*, Isa, const Exec&) noexcept;
template Status normBackward<double>(Norm, const RowShape&, const NormInputs<double>&,
                                     const NormStatistics<const double>&,
                                     const NormGradients<double>&, void*, Isa,
                                     const Exec&) noexcept;

}  // namespace lab::kernels
