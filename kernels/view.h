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

/// How a kernel's independent work items are spread over threads. Results never depend on it: an
/// item is computed the same way wherever it runs, and sums over items are taken in a fixed order.
struct Exec {
    int threads = 1;
    /// Runs body(context, chunk) once for every chunk in [0, chunks), in any order, and waits.
    /// `pool` is handed through. Null: everything on the calling thread.
    void (*parallelFor)(void* pool, int chunks, void (*body)(void* context, int chunk),
                        void* context) = nullptr;
    void* pool = nullptr;
};

}  // namespace lab::kernels
