// Checks, plans and spreads the matrix product; the arithmetic is in kernels/cpu/gemm.inl.
#include "kernels/gemm.h"

#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/jobs.h"

namespace lab::kernels {
namespace {

std::int64_t panelColumns(const GemmPlan& plan) {
    return cpu::kGemmVectors * std::int64_t{cpu::lanesOf(plan)};
}
std::int64_t panelsOf(const GemmPlan& plan) {
    return (plan.shape.columns + panelColumns(plan) - 1) / panelColumns(plan);
}

}  // namespace

GemmPlan gemmPlan(GemmShape shape, Isa isa, bool doublePrecision) noexcept {
    GemmPlan plan;
    plan.isa = isa;
    plan.doublePrecision = doublePrecision;
    plan.shape = shape;
    const auto wide = [](std::int64_t n) { return static_cast<double>(n) + 64; };
    if (shape.rows < 0 || shape.columns < 0 || shape.inner < 0 ||
        wide(shape.rows) * wide(shape.columns) > 0x1p56 ||
        wide(shape.columns) * wide(shape.inner) > 0x1p56 ||
        wide(shape.rows) * wide(shape.inner) > 0x1p56) {
        return plan;
    }
    cpu::choose(plan, "gemm", 0, "");
    plan.forwardWorkspaceBytes =
        static_cast<std::size_t>(panelsOf(plan) * shape.inner * panelColumns(plan)) *
            (doublePrecision ? sizeof(double) : sizeof(float)) +
        cpu::kAlignment;
    return plan;
}

template <class T>
Status gemm(const GemmPlan& plan, const Matrix<const T>& a, const Matrix<const T>& b,
            const Matrix<T>& c, bool accumulate, void* workspace, const Exec& exec) noexcept {
    if (plan.status != Status::kOk) {
        return plan.status;
    }
    if (plan.doublePrecision != (sizeof(T) == sizeof(double))) {
        return Status::kWorkspaceTooSmall;
    }
    const GemmShape& s = plan.shape;
    if (s.rows == 0 || s.columns == 0 || (s.inner == 0 && accumulate)) {
        return Status::kOk;
    }
    if (c.data == nullptr || workspace == nullptr ||
        (s.inner > 0 && (a.data == nullptr || b.data == nullptr))) {
        return Status::kMissingArgument;
    }
    if (s.columns > 1 && c.columnStride != 1) {
        return Status::kBadStride;
    }
    const cpu::GemmJob<T> job{s.rows,
                              s.columns,
                              s.inner,
                              a.data,
                              a.rowStride,
                              a.columnStride,
                              b.data,
                              b.rowStride,
                              b.columnStride,
                              c.data,
                              c.rowStride,
                              accumulate,
                              cpu::aligned<T>(workspace)};
    const auto* const table = cpu::tableFor<T>(plan.isa);
    cpu::spread(exec, panelsOf(plan), [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t panel = begin; panel < end; ++panel) {
            table->gemmPack(job, panel);
        }
    });
    cpu::spread(exec, s.rows, [&](int, std::int64_t begin, std::int64_t end) {
        table->gemmRows(job, begin, end);
    });
    return Status::kOk;
}

Cost gemmCost(const GemmShape& s) noexcept {
    const auto m = static_cast<double>(s.rows), n = static_cast<double>(s.columns);
    const auto k = static_cast<double>(s.inner);
    return {2.0 * m * n * k, (m * k + k * n + m * n) * sizeof(float)};
}

template Status gemm<float>(const GemmPlan&, const Matrix<const float>&, const Matrix<const float>&,
                            const Matrix<float>&, bool, void*, const Exec&) noexcept;
template Status gemm<double>(const GemmPlan&, const Matrix<const double>&,
                             const Matrix<const double>&, const Matrix<double>&, bool, void*,
                             const Exec&) noexcept;

}  // namespace lab::kernels
