// Weighted softmax cross-entropy of rows of logits, with its gradient in the same pass.
//
//   loss_r = logsumexp(x_r) - x_r[target_r];   gradX_r = weight_r (softmax(x_r) - onehot(target_r))
//
// x [rows, classes] contiguous; target < 0: no loss, zero gradient; target >= classes: kBadShape.
// weight null: 1. gradX null: not wanted; it may be x itself. `correct` (null: not wanted) is 1
// where the first largest logit is the target. Rows are independent; the caller reduces.
#pragma once

#include <cstdint>

#include "kernels/cpu_features.h"
#include "kernels/status.h"
#include "kernels/view.h"

namespace lab::kernels {

template <class T>
[[nodiscard]] Status crossEntropy(std::int64_t rows, int classes, const T* x,
                                  const std::int64_t* target, const T* weight, T* loss, T* gradX,
                                  std::uint8_t* correct, Isa isa = bestIsa(),
                                  const Exec& exec = {}) noexcept;

}  // namespace lab::kernels
