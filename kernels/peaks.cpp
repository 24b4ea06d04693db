#include "kernels/peaks.h"

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/spread.h"
#include "kernels/cpu/tables.h"

namespace lab::kernels {
namespace {

/// work(worker) on every worker of exec; what each did, added.
template <class Work>
double onEveryWorker(const Exec& exec, const Work& work) {
    double done[cpu::kMaxWorkers] = {};
    const int workers = cpu::workersFor(exec, cpu::kMaxWorkers);
    cpu::spread(exec, workers, [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t item = begin; item < end; ++item) {
            done[item] = work();
        }
    });
    double total = 0.0;
    for (const double one : done) {
        total += one;
    }
    return total;
}

}  // namespace

double spinMultiplyAdds(std::int64_t rounds, Isa isa, const Exec& exec) noexcept {
    const auto* const table = cpu::tableFor<float>(isa);
    return table == nullptr ? 0.0 : onEveryWorker(exec, [&] { return table->probeFma(rounds); });
}

double spinExponentials(std::int64_t rounds, Isa isa, const Exec& exec) noexcept {
    const auto* const table = cpu::tableFor<float>(isa);
    return table == nullptr ? 0.0 : onEveryWorker(exec, [&] { return table->probeExp(rounds); });
}

double streamCopy(const float* from, float* to, std::int64_t count, Isa isa,
                  const Exec& exec) noexcept {
    const auto* const table = cpu::tableFor<float>(isa);
    if (table == nullptr || count < 0) {
        return 0.0;
    }
    cpu::spread(exec, count, [&](int, std::int64_t begin, std::int64_t end) {
        table->probeCopy(from + begin, to + begin, end - begin);
    });
    return 2.0 * sizeof(float) * static_cast<double>(count);
}

}  // namespace lab::kernels
