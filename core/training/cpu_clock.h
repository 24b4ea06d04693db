// CPU time of a training thread and of the workers that LibTorch's operators use from it.
#pragma once

namespace lab::training {

/// Seconds of CPU that the calling thread has used so far.
[[nodiscard]] double threadCpuSeconds() noexcept;

/// The same, plus the workers of the calling thread's team when at::get_num_threads() is above 1.
/// Workers that spin while they wait count: they keep a core busy.
[[nodiscard]] double teamCpuSeconds();

}  // namespace lab::training
