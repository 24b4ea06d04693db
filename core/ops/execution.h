// How an operation on tensors is carried out: by the project's kernels or by LibTorch's operators.
//
// Tensors on a CUDA device always go through LibTorch's operators: the kernels have no CUDA variant
// yet.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

namespace lab::kernels {
class ThreadPool;
}

namespace lab::ops {

struct Execution {
    /// Of our kernels; null: the calling thread alone. Results do not depend on it.
    std::shared_ptr<kernels::ThreadPool> pool{};
    bool plain = false;  ///< LibTorch's operators throughout: a peer to compare with
};

/// Whether `execution` uses LibTorch's operators on this tensor.
[[nodiscard]] inline bool usesOperators(const Execution& execution, const at::Tensor& x) {
    return execution.plain || !x.is_cpu();
}

}  // namespace lab::ops
