// Checks and spreads cross-entropy; the arithmetic is in kernels/cpu/row_kernels.inl.
#include "kernels/cross_entropy.h"

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/spread.h"
#include "kernels/cpu/tables.h"

namespace lab::kernels {

template <class T>
Status crossEntropy(std::int64_t rows, int classes, const T* x, const std::int64_t* target,
                    const T* weight, T* loss, T* gradX,
                    std::uint8_t* correct,  // NOLINT(readability-non-const-parameter): written
                    Isa isa, const Exec& exec) noexcept {
    if (rows < 0 || classes < 1 || static_cast<double>(rows) * classes >= 0x1p56) {
        return Status::kBadShape;
    }
    if (cpu::tableFor<T>(isa) == nullptr) {
        return Status::kUnavailable;
    }
    if (rows > 0 && (x == nullptr || target == nullptr || loss == nullptr)) {
        return Status::kMissingArgument;
    }
    for (std::int64_t row = 0; row < rows; ++row) {
        if (target[row] >= classes) {
            return Status::kBadShape;
        }
    }
    cpu::CrossEntropyJob<T> job{};
    job.rows = rows;
    job.classes = classes;
    job.x = x;
    job.target = target;
    job.weight = weight;
    job.loss = loss;
    job.gradX = gradX;
    job.correct = correct;
    cpu::spread(exec, rows, [&](int, std::int64_t begin, std::int64_t end) {
        cpu::tableFor<T>(isa)->crossEntropy(job, begin, end);
    });
    return Status::kOk;
}

template Status crossEntropy<float>(std::int64_t, int, const float*, const std::int64_t*,
                                    const float*, float*, float*, std::uint8_t*, Isa,
                                    const Exec&) noexcept;
template Status crossEntropy<double>(std::int64_t, int, const double*, const std::int64_t*,
                                     const double*, double*, double*, std::uint8_t*, Isa,
                                     const Exec&) noexcept;

}  // namespace lab::kernels
