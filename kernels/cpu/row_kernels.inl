// Operations on contiguous rows: RMS normalisation and softmax cross-entropy.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/rows.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

/// The lanes below `count`.
template <class T>
LAB_INLINE Mask<T> firstLanes(int count) {
    Mask<T> lane{};
    for (int i = 0; i < kLanes<T>; ++i) {
        lane[i] = i;
    }
    return lane < static_cast<typename SimdTypes<T>::Integer>(count);
}
/// Calls body(i, n) for each vector of a row of `width`: its place and its number of lanes in use.
template <class T, class Body>
LAB_INLINE void forEachVector(int width, const Body& body) {
    int i = 0;
    for (; i + kLanes<T> <= width; i += kLanes<T>) {
        body(i, kLanes<T>);
    }
    if (i < width) {
        body(i, width - i);
    }
}
template <class T>
LAB_INLINE Vec<T> loadLanes(const T* from, int count) {
    return count == kLanes<T> ? load<T>(from) : loadPartial<T>(from, count);
}
template <class T>
LAB_INLINE void storeLanes(T* to, Vec<T> v, int count) {
    if (count == kLanes<T>) {
        store<T>(to, v);
    } else {
        storePartial<T>(to, v, count);
    }
}

template <class T>
void normForwardRows(const cpu::NormJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    for (std::int64_t row = begin; row < end; ++row) {
        const T* const x = job.x + row * job.inputStride;
        T* const y = job.y + row * job.outputStride;
        Vec<T> squares{};
        forEachVector<T>(job.width, [&](int i, int n) {
            const Vec<T> v = loadLanes<T>(x + i, n);
            squares = fma<T>(v, v, squares);
        });
        const Vec<T> mean = broadcast<T>(sum<T>(squares) / static_cast<T>(job.width) + job.epsilon);
        const Vec<T> inverse = broadcast<T>(T(1)) / squareRoot<T>(mean);
        forEachVector<T>(job.width, [&](int i, int n) {
            Vec<T> v = loadLanes<T>(x + i, n) * inverse;
            if (job.weight != nullptr) {
                v = v * loadLanes<T>(job.weight + i, n);
            }
            storeLanes<T>(y + i, v, n);
        });
        if (job.inverse != nullptr) {
            job.inverse[row] = inverse[0];
        }
    }
}

/// dx = inverse (w dy - x inverse^2 <w dy, x> / width); dw = sum over rows of dy x inverse.
template <class T>
void normBackwardBlock(const cpu::NormJob<T>& job, std::int64_t block) {
    const FlushDenormals flush;
    const std::int64_t begin = block * job.rowsPerBlock;
    const std::int64_t end =
        begin + job.rowsPerBlock < job.rows ? begin + job.rowsPerBlock : job.rows;
    T* const partial = job.partial == nullptr ? nullptr : job.partial + block * job.width;
    for (int i = 0; partial != nullptr && i < job.width; ++i) {
        partial[i] = T(0);
    }
    for (std::int64_t row = begin; row < end; ++row) {
        const T* const x = job.x + row * job.inputStride;
        const T* const dy = job.gradY + row * job.outputStride;
        const T inverse = job.savedInverse[row];
        Vec<T> along{};
        forEachVector<T>(job.width, [&](int i, int n) {
            const Vec<T> xi = loadLanes<T>(x + i, n);
            Vec<T> wdy = loadLanes<T>(dy + i, n);
            if (partial != nullptr) {
                const Vec<T> old = loadLanes<T>(partial + i, n);
                storeLanes<T>(partial + i, fma<T>(wdy, xi * inverse, old), n);
            }
            if (job.weight != nullptr) {
                wdy = wdy * loadLanes<T>(job.weight + i, n);
            }
            along = fma<T>(wdy, xi, along);
        });
        const T factor = inverse * inverse * (sum<T>(along) / static_cast<T>(job.width));
        if (job.gradX != nullptr) {
            T* const dx = job.gradX + row * job.inputStride;
            forEachVector<T>(job.width, [&](int i, int n) {
                Vec<T> wdy = loadLanes<T>(dy + i, n);
                if (job.weight != nullptr) {
                    wdy = wdy * loadLanes<T>(job.weight + i, n);
                }
                storeLanes<T>(dx + i, (wdy - loadLanes<T>(x + i, n) * factor) * inverse, n);
            });
        }
    }
}

/// One row: loss, gradient and whether the first largest logit is the target.
template <class T>
LAB_INLINE void crossEntropyRow(const cpu::CrossEntropyJob<T>& job, std::int64_t row) {
    const T* const x = job.x + row * job.classes;
    T* const dx = job.gradX == nullptr ? nullptr : job.gradX + row * job.classes;
    const std::int64_t target = job.target[row];
    const T infinity = static_cast<T>(__builtin_inf());
    Vec<T> most = broadcast<T>(-infinity);
    forEachVector<T>(job.classes, [&](int i, int n) {
        const Vec<T> v = loadLanes<T>(x + i, n);
        const Vec<T> least = broadcast<T>(-infinity);
        most = larger<T>(n == kLanes<T> ? v : select<T>(firstLanes<T>(n), v, least), most);
    });
    const T top = largest<T>(most);
    const T atTarget = x[target];
    if (job.correct != nullptr) {
        bool first = atTarget == top;
        for (std::int64_t i = 0; first && i < target; ++i) {
            first = x[i] != top;
        }
        job.correct[row] = first ? 1 : 0;
    }
    Vec<T> total{};
    forEachVector<T>(job.classes, [&](int i, int n) {
        const Vec<T> e = exponential<T>(loadLanes<T>(x + i, n) - top);
        total += n == kLanes<T> ? e : select<T>(firstLanes<T>(n), e, Vec<T>{});
        if (dx != nullptr) {
            storeLanes<T>(dx + i, e, n);
        }
    });
    const T mass = sum<T>(total);
    job.loss[row] = static_cast<T>(__builtin_log(static_cast<double>(mass))) + top - atTarget;
    if (dx != nullptr) {
        const T weight = job.weight == nullptr ? T(1) : job.weight[row];
        const T factor = weight / mass;
        forEachVector<T>(job.classes, [&](int i, int n) {
            storeLanes<T>(dx + i, loadLanes<T>(dx + i, n) * factor, n);
        });
        dx[target] -= weight;
    }
}

template <class T>
void crossEntropyRows(const cpu::CrossEntropyJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    for (std::int64_t row = begin; row < end; ++row) {
        if (job.target[row] >= 0) {
            crossEntropyRow<T>(job, row);
            continue;
        }
        job.loss[row] = T(0);
        if (job.correct != nullptr) {
            job.correct[row] = 0;
        }
        for (int i = 0; job.gradX != nullptr && i < job.classes; ++i) {
            job.gradX[row * job.classes + i] = T(0);
        }
    }
}

}  // namespace
}  // namespace lab::kernels
