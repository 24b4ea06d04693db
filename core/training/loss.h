// The weighted next-token loss of a batch and what it says about each kind of token.
//
//   loss = sum_r weight_r ce_r / sum_r weight_r,   ce_r = logsumexp(x_r) - x_r[target_r]
// A position without a target (-1) is counted nowhere. Sums run in a fixed order in double.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "core/data/batch.h"
#include "core/ops/execution.h"
#include "core/values/token_kind.h"

namespace lab::training {

/// Of each position of a batch, [traces * steps].
struct TokenLosses {
    std::vector<float> nats;
    std::vector<std::uint8_t> correct;  ///< 1: the first largest logit is the target
};

struct BatchLoss {
    at::Tensor loss;  ///< scalar, what is minimised; carries the gradient when the logits do
    TokenLosses tokens;
};

/// logits [traces, steps, classes], on any device.
[[nodiscard]] BatchLoss batchLoss(const at::Tensor& logits, const data::Batch& batch,
                                  const ops::Execution& execution);

/// Means over the targets of a kind; NaN where the batch has none.
struct KindMeans {
    std::array<double, values::kTokenKindCount> loss{};
    std::array<double, values::kTokenKindCount> accuracy{};
};
[[nodiscard]] KindMeans meansByKind(const data::Batch& batch, const TokenLosses& losses);

/// The batch's tokens as int64 [traces, steps] on the CPU. Shares the batch's memory.
[[nodiscard]] at::Tensor tokensOf(const data::Batch& batch);

}  // namespace lab::training
