#include "core/training/cpu_clock.h"

#include <ATen/Parallel.h>

#include <array>
#include <ctime>
#include <numeric>

namespace lab::training {

double threadCpuSeconds() noexcept {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double teamCpuSeconds() {
    const int threads = at::get_num_threads();
    if (threads <= 1) {
        return threadCpuSeconds();
    }
    std::array<double, 256> seconds{};  // by worker; the spec allows at most 256
    at::parallel_for(0, threads, 1, [&](std::int64_t, std::int64_t) {
        seconds.at(static_cast<std::size_t>(at::get_thread_num())) = threadCpuSeconds();
    });
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

}  // namespace lab::training
