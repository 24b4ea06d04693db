// Moving rows between the caller's strided arrays and padded tables, exact or normalised.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

/// Denormal numbers count as zero while it lives: decayed states would cost a hundredfold.
class FlushDenormals {
public:
#if defined(__SSE2__)
    LAB_INLINE FlushDenormals() : m_saved(_mm_getcsr()) {
        _mm_setcsr(m_saved | 0x8040U);
    }
    LAB_INLINE ~FlushDenormals() {
        _mm_setcsr(m_saved);
    }
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

private:
    unsigned m_saved;
#endif
};

template <class T>
LAB_INLINE T* rowOf(const cpu::Strided<T>& view, std::int64_t b, std::int64_t t, std::int64_t h) {
    return view.data + b * view.stride[0] + t * view.stride[1] + h * view.stride[2];
}

/// Copies n numbers, `step` apart, times `factor`; zeros up to whole vectors.
template <class T>
LAB_INLINE void packRow(T* to, const T* from, std::int64_t step, int n, T factor) {
    if (step == 1) {
        const Vec<T> times = broadcast<T>(factor);
        int i = 0;
        for (; i + kLanes<T> <= n; i += kLanes<T>) {
            store<T>(to + i, times * load<T>(from + i));
        }
        if (i < n) {
            store<T>(to + i, times * loadPartial<T>(from + i, n - i));
        }
        return;
    }
    const int padded = cpu::paddedTo(kLanes<T>, n);
    for (int i = 0; i < padded; ++i) {
        to[i] = i < n ? factor * from[i * step] : T(0);
    }
}

/// Functions on whole tables, compiled once for each row length N (0: `n`, at run time). A table's
/// rows follow one another, padded to whole vectors.
template <class T, int N>
struct Rows {
    static LAB_INLINE int length(int n) { return N > 0 ? N : n; }
    static LAB_INLINE int padded(int n) { return cpu::paddedTo(kLanes<T>, length(n)); }

    /// From rows `stride` apart with numbers `step` apart, times `factor`. Null: zeros. `ahead`:
    /// the tile of rows after (1) or before (-1) this one is the next to be packed.
    static LAB_NOINLINE void pack(T* to, const T* from, std::int64_t stride, std::int64_t step,
                                  int rows, int n, T factor, int ahead = 0) {
        for (int r = 0; r < rows; ++r, to += padded(n)) {
            if (from != nullptr) {
                if (N > 0 && ahead != 0) {
                    for (int i = 0; i < N; i += 64 / static_cast<int>(sizeof(T))) {
                        __builtin_prefetch(from + (r + ahead * rows) * stride + i);
                    }
                }
                packRow<T>(to, from + r * stride, step, length(n), factor);
                continue;
            }
            for (int i = 0; i < padded(n); i += kLanes<T>) {
                store<T>(to + i, Vec<T>{});
            }
        }
    }
    /// To rows `stride` apart, numbers side by side.
    static LAB_NOINLINE void unpack(T* to, std::int64_t stride, const T* from, int rows, int n) {
        for (int r = 0; r < rows; ++r, from += padded(n)) {
            int i = 0;
            for (; i + kLanes<T> <= length(n); i += kLanes<T>) {
                store<T>(to + r * stride + i, load<T>(from + i));
            }
            if (i < length(n)) {
                storePartial<T>(to + r * stride + i, load<T>(from + i), length(n) - i);
            }
        }
    }
    static LAB_INLINE T dot(const T* a, const T* b, int n) {
        Vec<T> total{};
        for (int i = 0; i < padded(n); i += kLanes<T>) {
            total = fma<T>(load<T>(a + i), load<T>(b + i), total);
        }
        return sum<T>(total);
    }
    /// to[r] = from[r] * factor[r].
    static LAB_NOINLINE void scale(T* to, const T* from, const T* factor, int rows, int n) {
        for (int r = 0; r < rows; ++r) {
            for (int i = r * padded(n); i < (r + 1) * padded(n); i += kLanes<T>) {
                store<T>(to + i, broadcast<T>(factor[r]) * load<T>(from + i));
            }
        }
    }
    /// Divides every row by sqrt(|x|^2 + epsilon) and keeps the factors (a table padded to whole
    /// vectors); a zero row stays zero.
    static LAB_NOINLINE void normalise(T* table, int rows, int n, T epsilon, T* inverse) {
        for (int r = 0; r < rows; ++r) {
            inverse[r] = dot(table + r * padded(n), table + r * padded(n), n);
        }
        const Vec<T> one = broadcast<T>(T(1));
        for (int r = 0; r < rows; r += kLanes<T>) {
            const Vec<T> squares = load<T>(inverse + r) + epsilon;
            store<T>(inverse + r, select<T>(squares > T(0), one / squareRoot<T>(squares), squares));
        }
        scale(table, table, inverse, rows, n);
    }
    /// Gradients of raw rows from those of unit rows:  dx = (du - u <u, du>) / |x|.
    static LAB_NOINLINE void normaliseGradients(T* gradient, const T* unit, const T* inverse,
                                                int rows, int n) {
        for (int r = 0; r < rows; ++r, gradient += padded(n), unit += padded(n)) {
            const Vec<T> along = broadcast<T>(dot(gradient, unit, n));
            for (int i = 0; i < padded(n); i += kLanes<T>) {
                const Vec<T> across = load<T>(gradient + i) - load<T>(unit + i) * along;
                store<T>(gradient + i, across * broadcast<T>(inverse[r]));
            }
        }
    }
};

}  // namespace
}  // namespace lab::kernels
