// Checks and spreads AdamW; the arithmetic is in kernels/cpu/optimiser.inl.
#include "kernels/adamw.h"

#include <cmath>

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/spread.h"
#include "kernels/cpu/tables.h"

namespace lab::kernels {
namespace {

constexpr std::int64_t kPiece = 16384;  ///< numbers a work item

}  // namespace

template <class T>
Status adamwStep(const ParameterSpan<T>* spans, int count, const AdamwOptions& options, Isa isa,
                 const Exec& exec) noexcept {
    if (count < 0 || options.update < 1) {
        return Status::kBadShape;
    }
    const auto* const table = cpu::tableFor<T>(isa);
    if (table == nullptr) {
        return Status::kUnavailable;
    }
    if (count > 0 && spans == nullptr) {
        return Status::kMissingArgument;
    }
    for (int i = 0; i < count; ++i) {
        const auto& s = spans[i];
        if (s.count < 0) {
            return Status::kBadShape;
        }
        if (s.count > 0 && (s.weight == nullptr || s.gradient == nullptr || s.first == nullptr ||
                            s.second == nullptr)) {
            return Status::kMissingArgument;
        }
    }
    const auto t = static_cast<double>(options.update);
    cpu::AdamwJob<T> job{};
    job.beta1 = static_cast<T>(options.beta1);
    job.beta2 = static_cast<T>(options.beta2);
    job.one1 = static_cast<T>(1.0 - options.beta1);
    job.one2 = static_cast<T>(1.0 - options.beta2);
    job.epsilon = static_cast<T>(options.epsilon);
    job.scale = static_cast<T>(options.gradientScale);
    job.step = static_cast<T>(options.rate / (1.0 - std::pow(options.beta1, t)));
    job.root = static_cast<T>(1.0 / std::sqrt(1.0 - std::pow(options.beta2, t)));
    for (int i = 0; i < count; ++i) {
        const auto& s = spans[i];
        cpu::AdamwJob<T> own = job;
        own.weight = s.weight;
        own.gradient = s.gradient;
        own.first = s.first;
        own.second = s.second;
        own.keep = static_cast<T>(s.decays ? 1.0 - options.rate * options.weightDecay : 1.0);
        const std::int64_t pieces = (s.count + kPiece - 1) / kPiece;
        cpu::spread(exec, pieces, [&](int, std::int64_t begin, std::int64_t end) {
            table->adamw(own, begin * kPiece, end * kPiece < s.count ? end * kPiece : s.count);
        });
    }
    return Status::kOk;
}

template <class T>
Status sumsOfSquares(const T* const* x, const std::int64_t* counts, int spans, double* sums,
                     Isa isa, const Exec& exec) noexcept {
    const auto* const table = cpu::tableFor<T>(isa);
    if (table == nullptr) {
        return Status::kUnavailable;
    }
    if (spans < 0) {
        return Status::kBadShape;
    }
    if (spans > 0 && (x == nullptr || counts == nullptr || sums == nullptr)) {
        return Status::kMissingArgument;
    }
    for (int i = 0; i < spans; ++i) {
        if (counts[i] < 0) {
            return Status::kBadShape;
        }
        if (counts[i] > 0 && x[i] == nullptr) {
            return Status::kMissingArgument;
        }
    }
    cpu::spread(exec, spans, [&](int, std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            sums[i] = table->sumOfSquares(x[i], counts[i]);
        }
    });
    return Status::kOk;
}

// Two moments, the root, the quotient, the decay.
Cost adamwCost(std::int64_t numbers) noexcept {
    const auto n = static_cast<double>(numbers);
    return {13.0 * n, 7.0 * n * sizeof(float), 0.0};
}

template Status adamwStep<float>(const ParameterSpan<float>*, int, const AdamwOptions&, Isa,
                                 const Exec&) noexcept;
template Status adamwStep<double>(const ParameterSpan<double>*, int, const AdamwOptions&, Isa,
                                  const Exec&) noexcept;
template Status sumsOfSquares<float>(const float* const*, const std::int64_t*, int, double*, Isa,
                                     const Exec&) noexcept;
template Status sumsOfSquares<double>(const double* const*, const std::int64_t*, int, double*, Isa,
                                      const Exec&) noexcept;

}  // namespace lab::kernels
