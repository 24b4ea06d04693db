// The operations of recurrent.h in LibTorch's plain operators, differentiable by its own autograd:
// what runs on a CUDA device, and the slower honest method of the tests.
#pragma once

#include "core/ops/recurrent.h"

namespace lab::ops {

[[nodiscard]] LstmResult lstmLoop(const at::Tensor& x, const at::Tensor& recurrent,
                                  const at::Tensor& h0, const at::Tensor& c0);
[[nodiscard]] GruResult gruLoop(const at::Tensor& x, const at::Tensor& recurrent,
                                const at::Tensor& candidateBias, const at::Tensor& h0);
[[nodiscard]] at::Tensor tanhRnnLoop(const at::Tensor& x, const at::Tensor& recurrent,
                                     const at::Tensor& h0);

}  // namespace lab::ops
