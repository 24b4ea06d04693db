// AdamW on a piece of a span, and sums of squares in double: kernels/adamw.h has the formulas.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/row_kernels.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

template <class T>
void adamwPiece(const cpu::AdamwJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    const Vec<T> scale = broadcast<T>(job.scale), beta1 = broadcast<T>(job.beta1);
    const Vec<T> beta2 = broadcast<T>(job.beta2), one1 = broadcast<T>(job.one1);
    const Vec<T> one2 = broadcast<T>(job.one2), root = broadcast<T>(job.root);
    const Vec<T> epsilon = broadcast<T>(job.epsilon), step = broadcast<T>(-job.step);
    const Vec<T> keep = broadcast<T>(job.keep);
    for (std::int64_t i = begin; i < end; i += kLanes<T>) {
        const int n = end - i < kLanes<T> ? static_cast<int>(end - i) : kLanes<T>;
        const Vec<T> g = loadLanes<T>(job.gradient + i, n) * scale;
        const Vec<T> m = fma<T>(beta1, loadLanes<T>(job.first + i, n), one1 * g);
        const Vec<T> v = fma<T>(beta2, loadLanes<T>(job.second + i, n), one2 * g * g);
        const Vec<T> size = fma<T>(squareRoot<T>(v), root, epsilon);
        const Vec<T> w = loadLanes<T>(job.weight + i, n) * keep;
        storeLanes<T>(job.first + i, m, n);
        storeLanes<T>(job.second + i, v, n);
        storeLanes<T>(job.weight + i, fma<T>(step, m / size, w), n);
    }
}

/// Sixteen partial sums, added in order: the same bits for every instruction set.
template <class T>
double sumOfSquares(const T* x, std::int64_t count) {
    constexpr int kSums = 16, kWide = kLanes<double>;
    Vec<double> partial[kSums / kWide] = {};
    std::int64_t i = 0;
    for (; i + kSums <= count; i += kSums) {
        for (int s = 0; s < kSums / kWide; ++s) {
            Vec<double> v;
            for (int lane = 0; lane < kWide; ++lane) {
                v[lane] = static_cast<double>(x[i + std::int64_t{s} * kWide + lane]);
            }
            partial[s] = partial[s] + v * v;
        }
    }
    double total = 0.0;
    for (const Vec<double>& sums : partial) {
        for (int lane = 0; lane < kWide; ++lane) {
            total += sums[lane];
        }
    }
    for (; i < count; ++i) {
        total += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    return total;
}

}  // namespace
}  // namespace lab::kernels
