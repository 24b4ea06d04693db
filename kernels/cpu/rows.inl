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
    const Vec<T> times = broadcast<T>(factor);
    if (step == 1) {
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
    for (int i = 0; i < n; ++i) {
        to[i] = factor * from[i * step];
    }
    for (int i = n; i < padded; ++i) {
        to[i] = T(0);
    }
}
template <class T>
LAB_INLINE void zeroRow(T* to, int padded) {
    for (int i = 0; i < padded; i += kLanes<T>) {
        store<T>(to + i, Vec<T>{});
    }
}
template <class T>
LAB_INLINE void unpackRow(T* to, const T* from, int n) {
    int i = 0;
    for (; i + kLanes<T> <= n; i += kLanes<T>) {
        store<T>(to + i, load<T>(from + i));
    }
    if (i < n) {
        storePartial<T>(to + i, load<T>(from + i), n - i);
    }
}
template <class T>
LAB_INLINE T dotRows(const T* a, const T* b, int padded) {
    Vec<T> total{};
    for (int i = 0; i < padded; i += kLanes<T>) {
        total = fma<T>(load<T>(a + i), load<T>(b + i), total);
    }
    return sum<T>(total);
}

/// Divides every padded row by sqrt(|x|^2 + epsilon) and keeps the factors; a zero row stays zero.
template <class T>
LAB_INLINE void normaliseRows(T* table, int rows, int padded, T epsilon, T* inverse) {
    for (int r = 0; r < rows; ++r) {
        inverse[r] = dotRows<T>(table + r * padded, table + r * padded, padded);
    }
    const Vec<T> one = broadcast<T>(T(1));
    for (int r = 0; r < rows; r += kLanes<T>) {  // tables are padded to whole vectors
        const Vec<T> squares = load<T>(inverse + r) + epsilon;
        store<T>(inverse + r, select<T>(squares > T(0), one / squareRoot<T>(squares), squares));
    }
    for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < padded; i += kLanes<T>) {
            T* const at = table + r * padded + i;
            store<T>(at, broadcast<T>(inverse[r]) * load<T>(at));
        }
    }
}

/// Gradient of the raw x from that of the unit vector:  dx = (dunit - unit <unit, dunit>) / |x|.
template <class T>
LAB_INLINE void normaliseGradient(T* gradient, const T* unit, int padded, T inverse) {
    const Vec<T> along = broadcast<T>(dotRows<T>(gradient, unit, padded));
    for (int i = 0; i < padded; i += kLanes<T>) {
        const Vec<T> across = load<T>(gradient + i) - load<T>(unit + i) * along;
        store<T>(gradient + i, across * broadcast<T>(inverse));
    }
}

}  // namespace
}  // namespace lab::kernels
