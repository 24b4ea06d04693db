// CPU time of a stretch of training.
#pragma once

#include <chrono>

namespace lab::training {

/// Seconds of CPU that the calling thread has used so far.
[[nodiscard]] double threadCpuSeconds() noexcept;

/// Measures from its construction, on the same thread. One thread: that thread's CPU time, exact.
/// More: workers are shared with other runs and cannot be told apart, so the smaller of two upper
/// bounds, threads times wall time and the whole process's CPU time.
class CpuClock {
public:
    explicit CpuClock(int threads) noexcept;
    [[nodiscard]] double seconds() const noexcept;

private:
    int m_threads;
    double m_thread, m_process;
    std::chrono::steady_clock::time_point m_wall;
};

}  // namespace lab::training
