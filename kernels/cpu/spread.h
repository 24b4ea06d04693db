// Static partition of independent work items over the workers of an Exec.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/view.h"

namespace lab::kernels::cpu {

/// Workers beyond this number stay idle: it bounds the scratch memory that a plan asks for.
constexpr int kMaxWorkers = 32;

[[nodiscard]] inline int workersFor(const Exec& exec, std::int64_t items) {
    const int wanted = exec.parallelFor == nullptr ? 1 : std::clamp(exec.threads, 1, kMaxWorkers);
    return static_cast<int>(std::min<std::int64_t>(wanted, items));
}

/// Calls body(worker, begin, end) for a partition of [0, items) and waits.
template <class Body>
void spread(const Exec& exec, std::int64_t items, const Body& body) {
    struct Context {
        const Body* body;
        std::int64_t items;
        int workers;
    } context{&body, items, workersFor(exec, items)};
    if (context.workers <= 1) {
        body(0, std::int64_t{0}, items);
        return;
    }
    exec.parallelFor(
        exec.pool, context.workers,
        [](void* opaque, int worker) {
            const auto& call = *static_cast<const Context*>(opaque);
            (*call.body)(worker, call.items * worker / call.workers,
                         call.items * (worker + 1) / call.workers);
        },
        &context);
}

}  // namespace lab::kernels::cpu
