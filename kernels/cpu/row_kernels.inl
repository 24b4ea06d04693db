// Operations on contiguous rows: norms, SiLU gates and softmax cross-entropy.
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

/// Mean of a row, summed vector by vector.
template <class T>
LAB_INLINE T meanOf(const T* x, int width) {
    Vec<T> total{};
    forEachVector<T>(width, [&](int i, int n) { total += loadLanes<T>(x + i, n); });
    return sum<T>(total) / static_cast<T>(width);
}
/// x - mean in the lanes in use, zero in the others.
template <class T, bool kCentred>
LAB_INLINE Vec<T> loadCentred(const T* x, int count, T mean) {
    if constexpr (kCentred) {
        const Vec<T> v = loadLanes<T>(x, count) - mean;
        return count == kLanes<T> ? v : select<T>(firstLanes<T>(count), v, Vec<T>{});
    } else {
        return loadLanes<T>(x, count);
    }
}

template <class T, bool kCentred>
void normForwardRows(const cpu::NormJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    for (std::int64_t row = begin; row < end; ++row) {
        const T* const x = job.x + row * job.inputStride;
        T* const y = job.y + row * job.outputStride;
        const T mean = kCentred ? meanOf<T>(x, job.width) : T(0);
        Vec<T> squares{};
        forEachVector<T>(job.width, [&](int i, int n) {
            const Vec<T> v = loadCentred<T, kCentred>(x + i, n, mean);
            squares = fma<T>(v, v, squares);
        });
        const Vec<T> root = broadcast<T>(sum<T>(squares) / job.divisor + job.epsilon);
        const Vec<T> inverse = broadcast<T>(T(1)) / squareRoot<T>(root);
        forEachVector<T>(job.width, [&](int i, int n) {
            Vec<T> v = loadCentred<T, kCentred>(x + i, n, mean) * inverse;
            if (job.weight != nullptr) {
                v = v * loadLanes<T>(job.weight + i, n);
            }
            if (job.bias != nullptr) {
                v = v + loadLanes<T>(job.bias + i, n);
            }
            storeLanes<T>(y + i, v, n);
        });
        if (job.inverse != nullptr) {
            job.inverse[row] = inverse[0];
        }
        if (kCentred && job.mean != nullptr) {
            job.mean[row] = mean;
        }
    }
}

/// With z = (x - mean) inverse and g = w dy:
///   dx = inverse (g - mean(g) - z <g, z> / divisor), without mean(g) unless centred;
///   dw = sum over rows of dy z, db = sum over rows of dy.
template <class T, bool kCentred>
void normBackwardBlock(const cpu::NormJob<T>& job, std::int64_t block) {
    const FlushDenormals flush;
    const std::int64_t begin = block * job.rowsPerBlock;
    const std::int64_t end =
        begin + job.rowsPerBlock < job.rows ? begin + job.rowsPerBlock : job.rows;
    T* const partial = job.partial == nullptr ? nullptr : job.partial + 2 * block * job.width;
    for (int i = 0; partial != nullptr && i < 2 * job.width; ++i) {
        partial[i] = T(0);
    }
    for (std::int64_t row = begin; row < end; ++row) {
        const T* const x = job.x + row * job.inputStride;
        const T* const dy = job.gradY + row * job.outputStride;
        const T inverse = job.savedInverse[row];
        const T mean = kCentred ? job.savedMean[row] : T(0);
        Vec<T> along{}, total{};
        forEachVector<T>(job.width, [&](int i, int n) {
            const Vec<T> xi = loadCentred<T, kCentred>(x + i, n, mean);
            Vec<T> g = loadLanes<T>(dy + i, n);
            if (partial != nullptr) {
                const Vec<T> old = loadLanes<T>(partial + i, n);
                storeLanes<T>(partial + i, fma<T>(g, xi * inverse, old), n);
                storeLanes<T>(partial + job.width + i, loadLanes<T>(partial + job.width + i, n) + g,
                              n);
            }
            if (job.weight != nullptr) {
                g = g * loadLanes<T>(job.weight + i, n);
            }
            along = fma<T>(g, xi, along);
            if (kCentred) {
                total += g;
            }
        });
        const T factor = inverse * inverse * (sum<T>(along) / job.divisor);
        const T common = kCentred ? sum<T>(total) / job.divisor : T(0);
        if (job.gradX != nullptr) {
            T* const dx = job.gradX + row * job.inputStride;
            forEachVector<T>(job.width, [&](int i, int n) {
                Vec<T> g = loadLanes<T>(dy + i, n);
                if (job.weight != nullptr) {
                    g = g * loadLanes<T>(job.weight + i, n);
                }
                if (kCentred) {
                    g = g - common;
                }
                const Vec<T> xi = loadCentred<T, kCentred>(x + i, n, mean);
                storeLanes<T>(dx + i, (g - xi * factor) * inverse, n);
            });
        }
    }
}

/// out = silu(gate) up; without `up` silu(gate).
template <class T>
void gateForwardRows(const cpu::GateJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    for (std::int64_t row = begin; row < end; ++row) {
        forEachVector<T>(static_cast<int>(job.width), [&](int i, int n) {
            const Vec<T> x = loadLanes<T>(job.gate + row * job.gateStride + i, n);
            Vec<T> y = x * sigmoid<T>(x);
            if (job.up != nullptr) {
                y = y * loadLanes<T>(job.up + row * job.upStride + i, n);
            }
            storeLanes<T>(job.out + row * job.outStride + i, y, n);
        });
    }
}

/// With s = sigmoid(gate):  dgate = dout up s (1 + gate (1 - s)),  dup = dout gate s.
template <class T>
void gateBackwardRows(const cpu::GateJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    const Vec<T> one = broadcast<T>(T(1));
    for (std::int64_t row = begin; row < end; ++row) {
        forEachVector<T>(static_cast<int>(job.width), [&](int i, int n) {
            const Vec<T> x = loadLanes<T>(job.gate + row * job.gateStride + i, n);
            const Vec<T> dy = loadLanes<T>(job.gradOut + row * job.outStride + i, n);
            const Vec<T> s = sigmoid<T>(x);
            Vec<T> dx = dy * (s * fma<T>(x, one - s, one));
            if (job.up != nullptr) {
                dx = dx * loadLanes<T>(job.up + row * job.upStride + i, n);
                if (job.gradUp != nullptr) {
                    storeLanes<T>(job.gradUp + row * job.upStride + i, dy * (x * s), n);
                }
            }
            if (job.gradGate != nullptr) {
                storeLanes<T>(job.gradGate + row * job.gateStride + i, dx, n);
            }
        });
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
