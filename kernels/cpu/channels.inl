// A vector of channels to and from a strided array.
#pragma once

#include "kernels/simd.h"

namespace lab::kernels {
namespace {

template <class T>
LAB_INLINE Vec<T> loadChannels(const T* from, std::int64_t step, int count) {
    if (step == 1) {
        return count == kLanes<T> ? load<T>(from) : loadPartial<T>(from, count);
    }
    Vec<T> v{};
    for (int i = 0; i < count; ++i) {
        v[i] = from[i * step];
    }
    return v;
}
template <class T>
LAB_INLINE void storeChannels(T* to, std::int64_t step, Vec<T> v, int count) {
    if (step == 1 && count == kLanes<T>) {
        store<T>(to, v);
        return;
    }
    for (int i = 0; i < count; ++i) {
        to[i * step] = v[i];
    }
}

}  // namespace
}  // namespace lab::kernels
