#include "core/training/cpu_clock.h"

#include <algorithm>
#include <ctime>

namespace lab::training {
namespace {

double read(clockid_t clock) noexcept {
    std::timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double threadCpuSeconds() noexcept {
    return read(CLOCK_THREAD_CPUTIME_ID);
}

CpuClock::CpuClock(int threads) noexcept
    : m_threads(threads),
      m_thread(threadCpuSeconds()),
      m_process(threads > 1 ? read(CLOCK_PROCESS_CPUTIME_ID) : 0),
      m_wall(std::chrono::steady_clock::now()) {}

double CpuClock::seconds() const noexcept {
    if (m_threads <= 1) {
        return threadCpuSeconds() - m_thread;
    }
    const auto wall = std::chrono::steady_clock::now() - m_wall;
    return std::min(m_threads * std::chrono::duration<double>(wall).count(),
                    read(CLOCK_PROCESS_CPUTIME_ID) - m_process);
}

}  // namespace lab::training
