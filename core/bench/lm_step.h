// One training step of a small DeltaNet language model, the way such models are usually built: the
// whole-step row of `bench op`.
//
//   x += out(norm(delta(q, k, v, beta)));  q, k, v = silu(conv4(qkv(norm(x)))), q and k of unit
//   length, beta = 2 sigmoid(..);  x += down(silu(gate) up) of norm(x), hidden width 32
//   round(width / 12).  Vocabulary 64, untied head, no biases but the convolution's.
// Forward, mean cross-entropy, backward, AdamW (rate 1e-3, betas 0.9 and 0.999, decay 0.01 on
// everything, no clipping) on the same batch each time.
#pragma once

#include <memory>
#include <vector>

#include "core/bench/op_case.h"

namespace lab::bench {

enum class Precision { kSingle, kDouble };
enum class Path {
    kKernels,    ///< our operations
    kOperators,  ///< LibTorch's plain ones: the oracle in double
};

class LmStep {
public:
    LmStep(const LabShape& shape, int layers, int threads, Precision precision = Precision::kSingle,
           Path path = Path::kKernels);
    LmStep(const LmStep&) = delete;
    LmStep& operator=(const LmStep&) = delete;
    ~LmStep();

    /// One step; the loss before it.
    [[nodiscard]] double run();
    /// The matrix products of a step alone, forward and both gradients, on operands of their own.
    void runProducts();
    [[nodiscard]] double productFlops() const;
    /// Of every parameter, at the present weights, in order.
    [[nodiscard]] std::vector<Numbers> gradients();

private:
    struct Parts;
    std::unique_ptr<Parts> m;
};

}  // namespace lab::bench
