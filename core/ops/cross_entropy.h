// Weighted softmax cross-entropy, and what the curves by token kind need, from one pass over the
// logits.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/ops/execution.h"

namespace lab::ops {

struct CrossEntropy {
    at::Tensor loss;  ///< scalar: sum_i weight_i loss_i / sum_i weight_i, in nats; 0 without weight
    at::Tensor byToken;  ///< [tokens] loss_i, whatever its weight; no gradient
    at::Tensor correct;  ///< [tokens] uint8, 1 where the first largest logit is the target
};

/// logits [tokens, classes]; targets int64 [tokens], negative: counts nowhere; weights [tokens] >=
/// 0.
[[nodiscard]] CrossEntropy weightedCrossEntropy(const at::Tensor& logits, const at::Tensor& targets,
                                                const at::Tensor& weights,
                                                const Execution& execution = {});

}  // namespace lab::ops
