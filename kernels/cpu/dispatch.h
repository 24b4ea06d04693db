// What the dispatchers share: alignment, scratch a worker, items over workers, names of variants.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "kernels/cpu/spread.h"
#include "kernels/cpu/tables.h"
#include "kernels/plan.h"

namespace lab::kernels::cpu {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kStepStackBytes = std::size_t{512} << 10U;  ///< scratch of a step

[[nodiscard]] inline int lanesOf(const Plan& plan) {
    const int bytes = plan.isa == Isa::kAvx512 ? 64 : plan.isa == Isa::kAvx2 ? 32 : 16;
    return bytes / (plan.doublePrecision ? 8 : 4);
}

/// 0: any extents; else the compiled K = V of KernelTable.
[[nodiscard]] inline int squareVariant(int keyDim, int valueDim) {
    if (keyDim != valueDim) {
        return 0;
    }
    switch (keyDim) {
        case 16: return 1;
        case 32: return 2;
        case 64: return 3;
        default: return 0;
    }
}

/// For `items` spread over at most kMaxWorkers, `elements` of scratch each.
[[nodiscard]] inline std::size_t workspaceBytes(const Plan& plan, std::int64_t items,
                                                std::size_t elements) {
    const auto workers = static_cast<std::size_t>(std::min<std::int64_t>(items, kMaxWorkers));
    return workers * elements * (plan.doublePrecision ? sizeof(double) : sizeof(float)) +
           kAlignment;
}

template <class T>
[[nodiscard]] T* aligned(void* workspace) {
    const auto address = reinterpret_cast<std::uintptr_t>(workspace);
    return static_cast<T*>(workspace) +
           ((address + kAlignment - 1) / kAlignment * kAlignment - address) / sizeof(T);
}

/// kernel(job, item, scratch of the worker) for every item.
template <class T, class Job>
void runItems(void (*kernel)(const Job&, std::int64_t, T*), const Job& job, std::int64_t items,
              std::size_t elements, void* workspace, const Exec& exec) {
    T* const scratch = aligned<T>(workspace);
    spread(exec, items, [&](int worker, std::int64_t begin, std::int64_t end) {
        for (std::int64_t item = begin; item < end; ++item) {
            kernel(job, item, scratch + static_cast<std::size_t>(worker) * elements);
        }
    });
}

/// What a step of one token refuses beforehand; its `bytes` of scratch come from the stack.
[[nodiscard]] inline Status checkStep(const Plan& plan, int steps, const void* state,
                                      std::size_t bytes) {
    if (plan.status == Status::kOk && steps != 1) {
        return Status::kBadShape;
    }
    if (state == nullptr) {
        return Status::kMissingArgument;
    }
    return plan.status == Status::kOk && bytes > kStepStackBytes ? Status::kWorkspaceTooSmall
                                                                 : Status::kOk;
}

/// to[i] = sum over the batch of partial[b][i], in order; null: not wanted.
template <class T>
void sumOverBatch(T* to, const T* partial, int batch, std::int64_t count) {
    for (std::int64_t i = 0; to != nullptr && i < count; ++i) {
        double total = 0.0;
        for (int b = 0; b < batch; ++b) {
            total += static_cast<double>(partial[b * count + i]);
        }
        to[i] = static_cast<T>(total);
    }
}

/// Fills status and name when this build and machine have the instruction set.
template <class P>
void choose(P& plan, const char* operation, int variant, const char* extents) {
    if (tableFor<float>(plan.isa) == nullptr) {
        plan.status = Status::kUnavailable;
        return;
    }
    plan.status = Status::kOk;
    (void)std::snprintf(plan.variant, sizeof plan.variant, "%s.%s%s.%s", operation,
                        nameOf(plan.isa), plan.doublePrecision ? ".f64" : "",
                        variant == 0 ? "any" : extents);
}

}  // namespace lab::kernels::cpu
