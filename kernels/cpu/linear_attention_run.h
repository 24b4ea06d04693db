// Runs a LinearAttentionJob: what gated linear attention and SSD have in common on the CPU.
#pragma once

#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/jobs.h"

namespace lab::kernels::cpu {

constexpr int kLinearAttentionTile = 16;  ///< tokens packed at a time

/// Extents are countable, with room for padding and element sizes.
[[nodiscard]] inline bool isCountable(std::int64_t batch, std::int64_t heads, std::int64_t steps,
                                      int keyDim, int valueDim) {
    const double widest = static_cast<double>(std::max(keyDim, valueDim)) + 16;
    const double rows = std::max(1.0, static_cast<double>(batch)) *
                        std::max(1.0, static_cast<double>(heads)) *
                        std::max(static_cast<double>(steps), widest);
    return rows * widest < 0x1p56 && static_cast<double>(keyDim) * valueDim < 0x1p30;
}

template <class T>
[[nodiscard]] std::size_t linearAttentionElements(const Plan& plan,
                                                  const LinearAttentionJob<T>& job, bool backward) {
    return linearAttentionScratch(
               {job.steps, job.keyDim, job.valueDim, job.tileSteps, lanesOf(plan), job.vectorGate},
               backward)
        .size;
}

template <class T>
void runLinearAttention(const Plan& plan, const LinearAttentionJob<T>& job, std::int64_t batch,
                        bool backward, void* workspace, const Exec& exec) {
    const auto* const table = tableFor<T>(plan.isa);
    const int variant = squareVariant(job.keyDim, job.valueDim);
    runItems(
        backward ? table->linearAttentionBackward[variant] : table->linearAttentionForward[variant],
        job, batch * job.groups, linearAttentionElements(plan, job, backward), workspace, exec);
}

}  // namespace lab::kernels::cpu
