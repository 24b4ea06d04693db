// Threads and devices that LibTorch's operators may use.
#pragma once

#include <optional>
#include <string>

#include "core/values/experiment_spec.h"

namespace lab::training {

/// Sets LibTorch's thread count for the calling thread while it lives. LibTorch keeps one number
/// for the process, which only seeds new threads, and one a thread, which is what operators obey;
/// so runs with different counts do not disturb each other.
class ThreadCount {
public:
    explicit ThreadCount(int threads);
    ~ThreadCount();
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;

private:
    int m_before;
};

/// Opens LibTorch's CUDA library beside the CPU one (once) and asks for a device. Nothing: a device
/// is there. Else why not, in a sentence.
[[nodiscard]] std::optional<std::string> whyNoCuda();

/// LabError{kDevice} with the reason when the device of a spec is not there.
void requireDevice(values::Device device);

}  // namespace lab::training
