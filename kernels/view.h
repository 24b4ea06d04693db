// A strided array of up to four axes, and how work is spread. No ownership.
#pragma once

#include <cstdint>

namespace lab::kernels {

/// Axes: batch, time, head, channel (an operation without heads leaves heads = 1). Strides in
/// elements; inputs may have stride 0 (expanded). data == nullptr: the argument is absent.
template <class T>
struct View {
    T* data = nullptr;
    std::int64_t stride[4] = {0, 0, 0, 0};

    [[nodiscard]] T* at(std::int64_t b, std::int64_t t, std::int64_t h) const {
        return data + b * stride[0] + t * stride[1] + h * stride[2];
    }
    [[nodiscard]] explicit operator bool() const { return data != nullptr; }
};

/// Runs body(context, begin, end) over a static partition of [0, count) and waits. Results never
/// depend on `threads`: work items are independent, and sums over them are reduced in a fixed
/// order.
struct Exec {
    int threads = 1;
    /// Called with the number of chunks; null: everything on the calling thread.
    void (*parallelFor)(int chunks, void (*body)(void* context, int chunk),
                        void* context) = nullptr;
};

}  // namespace lab::kernels
