// Every operation of the kernels against what the machine can do at most.
#pragma once

#include "core/bench.h"

namespace lab::bench {

/// For each instruction set and operation the shapes B x T x (H, D) with B in {32, 128, 512}, T in
/// {16, 64, 256}, (H, D) in {(8,16), (4,32), (2,64)} and at most 2^13 tokens; forward and
/// backward apart. Google Benchmark runs them interleaved with a probe of the multiply-add rate.
///
/// share = bound / time, both the best of the repetitions, bound = max(flops / F, bytes / B,
/// exponentials / E). F: the best multiply-add rate of the run, that of the probe or of the matrix
/// product; E: the best rate of the exponential; B: the best rate of a copy as large as the
/// operation's traffic. All are measured in the same run, on as many threads.
[[nodiscard]] BenchReport roofline(const BenchOptions& options);

}  // namespace lab::bench
