// How an operation on tensors is carried out: by the project's kernels or by LibTorch's operators.
//
// Tensors on a CUDA device always go through LibTorch's operators: the kernels have no CUDA variant
// yet.
#pragma once

#include <ATen/core/Tensor.h>

namespace lab::ops {

struct Execution {
    int threads = 1;     ///< of our kernels; results do not depend on it
    bool plain = false;  ///< LibTorch's operators throughout: a peer to compare with
};

/// Whether `execution` uses LibTorch's operators on this tensor.
[[nodiscard]] inline bool usesOperators(const Execution& execution, const at::Tensor& x) {
    return execution.plain || !x.is_cpu();
}

}  // namespace lab::ops
