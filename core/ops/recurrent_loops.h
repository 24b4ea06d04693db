// The operation of recurrent.h in LibTorch's plain operators, differentiable by its own autograd:
// what runs on a CUDA device, and the slower honest method of the tests.
#pragma once

#include "core/ops/recurrent.h"

namespace lab::ops {

[[nodiscard]] RecurrentResult recurrentLoop(kernels::Cell cell, const RecurrentArguments& in);

}  // namespace lab::ops
