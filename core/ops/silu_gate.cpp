#include "core/ops/silu_gate.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "kernels/gate.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

at::Tensor forwardOf(const at::Tensor& gate, const at::Tensor& up, const Execution& execution) {
    const at::Tensor out = at::empty({gate.size(0), gate.size(1)}, gate.options());
    const kernels::GateShape shape{gate.size(0), gate.size(1), gate.stride(0), up.stride(0),
                                   gate.size(1)};
    withElement(gate, [&](auto zero) {
        using T = decltype(zero);
        require(kernels::siluGateForward<T>(shape, dataOf<T>(gate), dataOf<T>(up),
                                            mutableDataOf<T>(out), kernels::bestIsa(),
                                            execOf(execution)),
                "siluGate");
    });
    return out;
}

/// Gradients with the strides of gate and up.
void backwardOf(const at::Tensor& gate, const at::Tensor& up, const at::Tensor& gradOut,
                const at::Tensor& gradGate, const at::Tensor& gradUp, const Execution& execution) {
    const kernels::GateShape shape{gate.size(0), gate.size(1), gate.stride(0), up.stride(0),
                                   gate.size(1)};
    withElement(gate, [&](auto zero) {
        using T = decltype(zero);
        require(
            kernels::siluGateBackward<T>(shape, dataOf<T>(gate), dataOf<T>(up), dataOf<T>(gradOut),
                                         mutableDataOf<T>(gradGate), mutableDataOf<T>(gradUp),
                                         kernels::bestIsa(), execOf(execution)),
            "siluGate, backward");
    });
}

struct GateNode : torch::autograd::Function<GateNode> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& gate, const at::Tensor& up,
                              const Execution& execution) {
        ctx->save_for_backward({gate, up});
        carry(ctx, execution);
        return forwardOf(gate, up, execution);
    }
    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("siluGate");
        const auto saved = ctx->get_saved_variables();
        const at::Tensor gate = saved[0].contiguous(), up = saved[1].contiguous();
        const at::Tensor gradGate = at::empty_like(gate), gradUp = at::empty_like(up);
        backwardOf(gate, up, upstream[0].contiguous(), gradGate, gradUp, carried<Execution>(ctx));
        return {gradGate, gradUp, {}};
    }
};

struct HalvesNode : torch::autograd::Function<HalvesNode> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& both,
                              const Execution& execution) {
        ctx->save_for_backward({both});
        carry(ctx, execution);
        const auto halves = both.chunk(2, 1);
        return forwardOf(halves[0], halves[1], execution);
    }
    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("siluGate");
        const at::Tensor both = ctx->get_saved_variables()[0];
        const at::Tensor grad = at::empty(both.sizes(), both.options());
        const auto halves = both.chunk(2, 1), into = grad.chunk(2, 1);
        backwardOf(halves[0], halves[1], upstream[0].contiguous(), into[0], into[1],
                   carried<Execution>(ctx));
        return {grad, {}};
    }
};

at::Tensor withContiguousRows(const at::Tensor& x) {
    return x.stride(1) == 1 || x.size(1) == 1 ? x : x.contiguous();
}

}  // namespace

at::Tensor siluGate(const at::Tensor& gate, const at::Tensor& up, const Execution& execution) {
    TORCH_CHECK(gate.dim() == 2 && gate.sizes() == up.sizes(), "siluGate: the gate is ",
                gate.sizes(), ", the other factor ", up.sizes());
    return usesOperators(execution, gate)
               ? at::silu(gate) * up
               : GateNode::apply(withContiguousRows(gate), withContiguousRows(up), execution);
}

at::Tensor siluGate(const at::Tensor& both, const Execution& execution) {
    TORCH_CHECK(both.dim() == 2 && both.size(1) % 2 == 0,
                "siluGate: expected [rows, 2 width], got ", both.sizes());
    if (usesOperators(execution, both)) {
        const auto halves = both.chunk(2, 1);
        return at::silu(halves[0]) * halves[1];
    }
    return HalvesNode::apply(both.contiguous(), execution);
}

}  // namespace lab::ops
