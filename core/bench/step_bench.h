// One whole training step, by our kernels and by LibTorch's plain operators.
#pragma once

#include "core/bench.h"

namespace lab::bench {

/// The model [-1,1] of the preset first-minute at its longest stage. In every round each
/// implementation starts from the same weights, moments and batch and makes one step: batch,
/// forward, backward, clipping, update. Rounds are interleaved; the first two are not counted.
/// Times are CPU time of the one thread.
[[nodiscard]] BenchReport stepBench(const BenchOptions& options);

}  // namespace lab::bench
