// Where device work is queued: a CUDA stream without CUDA's headers.
//
// A device launcher takes a Stream in place of an Exec, enqueues on it, never waits, and reports
// kUnavailable where the build or the machine has no device. No launcher exists yet.
#pragma once

namespace lab::kernels {

struct Stream {
    void* handle = nullptr;  ///< a cudaStream_t; null: the default stream
};

}  // namespace lab::kernels
