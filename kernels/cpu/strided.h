// A view as the ISA files see it, and the padding of rows. Plain data: see jobs.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lab::kernels::cpu {

/// A view without its manners. Axes: batch, time, head, channel.
template <class T>
struct Strided {
    T* data;
    std::int64_t stride[4];
};

/// Static and constexpr: internal to every file that uses it.
[[maybe_unused]] static constexpr int paddedTo(int lanes, int n) {
    return (n + lanes - 1) / lanes * lanes;
}

}  // namespace lab::kernels::cpu
