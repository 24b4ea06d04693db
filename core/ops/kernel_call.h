// What every binding of a kernel needs: strided views of tensors, the thread pool, errors.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <optional>
#include <type_traits>
#include <utility>

#include "core/ops/execution.h"
#include "kernels/status.h"
#include "kernels/thread_pool.h"
#include "kernels/view.h"

namespace lab::ops {

inline void require(kernels::Status status, const char* operation) {
    TORCH_CHECK(status == kernels::Status::kOk, operation, ": ", kernels::describe(status));
}

/// Our operations have no second derivative; a silent zero would be worse than this.
inline void refuseDoubleBackward(const char* operation) {
    TORCH_CHECK(!c10::GradMode::is_enabled(), operation,
                ": gradients of gradients are not available; call backward without create_graph");
}

[[nodiscard]] inline kernels::Exec execOf(const Execution& execution) {
    return execution.pool ? execution.pool->exec() : kernels::Exec{};
}

/// Takes a plain value from forward to backward.
template <class T>
struct Carried : torch::CustomClassHolder {
    explicit Carried(T v) : value(std::move(v)) {}
    T value;
};
template <class T>
void carry(torch::autograd::AutogradContext* context, T value) {
    context->saved_data["carried"] =
        c10::IValue::make_capsule(c10::make_intrusive<Carried<T>>(std::move(value)));
}
template <class T>
[[nodiscard]] T carried(torch::autograd::AutogradContext* context) {
    const auto capsule = context->saved_data.at("carried").toCapsule();
    return static_cast<const Carried<T>&>(*capsule).value;
}

/// LibTorch takes an optional, not an undefined tensor, for an argument that may be absent.
[[nodiscard]] inline std::optional<at::Tensor> maybe(const at::Tensor& x) {
    return x.defined() ? std::optional(x) : std::nullopt;
}
[[nodiscard]] inline at::Tensor orUndefined(const std::optional<at::Tensor>& x) {
    return x.value_or(at::Tensor());
}

/// Room for the gradient of each input of a node, in order; undefined where the input is absent or
/// nobody wants its gradient. Absent inputs take no number among the edges of the graph.
[[nodiscard]] inline torch::autograd::tensor_list wantedGradients(
    const torch::autograd::AutogradContext* context, at::TensorList inputs) {
    torch::autograd::tensor_list gradients;
    std::size_t edge = 0;
    for (const at::Tensor& input : inputs) {
        const bool wanted = input.defined() && context->needs_input_grad(edge++);
        gradients.push_back(wanted ? at::empty(input.sizes(), input.options()) : at::Tensor());
    }
    return gradients;
}

/// Calls f with a value of the tensor's element type.
template <class F>
auto withElement(const at::Tensor& x, F&& f) {
    TORCH_CHECK(x.scalar_type() == at::kFloat || x.scalar_type() == at::kDouble,
                "expected float or double, got ", x.scalar_type());
    return x.scalar_type() == at::kFloat ? f(float{}) : f(double{});
}

/// Null for an undefined tensor.
template <class T>
[[nodiscard]] const T* dataOf(const at::Tensor& x) {
    return x.defined() ? x.const_data_ptr<T>() : nullptr;
}
template <class T>
[[nodiscard]] T* mutableDataOf(const at::Tensor& x) {
    return x.defined() ? x.mutable_data_ptr<T>() : nullptr;
}

/// [batch, time, head, channel], or [batch, time, head] whose channel stride is unused.
template <class T>
[[nodiscard]] kernels::View<T> viewOf(const at::Tensor& x) {
    kernels::View<T> view;
    if (!x.defined()) {
        return view;
    }
    if constexpr (std::is_const_v<T>) {
        view.data = x.const_data_ptr<std::remove_const_t<T>>();
    } else {
        view.data = x.mutable_data_ptr<T>();
    }
    for (std::int64_t axis = 0; axis < x.dim(); ++axis) {
        view.stride[axis] = x.stride(axis);
    }
    return view;
}

}  // namespace lab::ops
