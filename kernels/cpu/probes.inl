// The ceilings of kernels/peaks.h.
#pragma once

#include "kernels/cpu/row_kernels.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

/// Sums in registers that wait for nothing but themselves: enough of them to fill the pipeline.
template <class T>
double probeFma(std::int64_t rounds) {
    constexpr int kSums = LAB_SIMD_BYTES == 64 ? 24 : 12;
    Vec<T> sums[kSums] = {};
    Vec<T> x = broadcast<T>(T(0.5)), y = broadcast<T>(T(1));
    for (Vec<T>& one : sums) {
        __asm__ volatile("" : "+x"(one));  // each unknown, or all would be computed as one
    }
    for (std::int64_t round = 0; round < rounds; ++round) {
        __asm__ volatile("" : "+x"(x), "+x"(y));  // not known beforehand
#pragma GCC unroll 24
        for (Vec<T>& one : sums) {
            one = fma<T>(one, x, y);
        }
    }
    for (Vec<T>& one : sums) {
        __asm__ volatile("" : : "x"(one));  // and needed afterwards
    }
    return 2.0 * kSums * kLanes<T> * static_cast<double>(rounds);
}

template <class T>
double probeExp(std::int64_t rounds) {
    constexpr int kCount = 2048;
    alignas(64) T x[kCount] = {};
    for (std::int64_t round = 0; round < rounds; ++round) {
        for (int i = 0; i < kCount; i += 4 * kLanes<T>) {
            Vec<T> v[4];
            for (int j = 0; j < 4; ++j) {
                v[j] = exponential<T>(-load<T>(x + i + j * kLanes<T>));
            }
            for (int j = 0; j < 4; ++j) {
                store<T>(x + i + j * kLanes<T>, v[j]);
            }
        }
        __asm__ volatile("" : : "r"(&x[0]) : "memory");
    }
    return static_cast<double>(rounds) * kCount;
}

template <class T>
void probeCopy(const T* from, T* to, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + 4 * kLanes<T> <= count; i += 4 * kLanes<T>) {
        Vec<T> v[4];
        for (int j = 0; j < 4; ++j) {
            v[j] = load<T>(from + i + j * kLanes<T>);
        }
        for (int j = 0; j < 4; ++j) {
            store<T>(to + i + j * kLanes<T>, v[j]);
        }
    }
    for (; i < count; ++i) {
        to[i] = from[i];
    }
}

}  // namespace
}  // namespace lab::kernels
