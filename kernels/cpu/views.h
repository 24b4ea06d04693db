// Checks on views, and their plain form for the ISA files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "kernels/cpu/jobs.h"
#include "kernels/view.h"

namespace lab::kernels::cpu {

template <class T>
[[nodiscard]] Strided<T> plain(const View<T>& view) {
    return {view.data, {view.stride[0], view.stride[1], view.stride[2], view.stride[3]}};
}

template <class T>
[[nodiscard]] bool hasNegativeStride(const View<T>& view) {
    return std::any_of(std::begin(view.stride), std::end(view.stride),
                       [](std::int64_t stride) { return stride < 0; });
}

/// An absent output is fine; else strides are >= 0, and 1 along the channels. `channels` 0: none.
template <class T>
[[nodiscard]] bool isWritable(const View<T>& view, int channels) {
    return !view || (!hasNegativeStride(view) && (channels <= 1 || view.stride[3] == 1));
}

}  // namespace lab::kernels::cpu
