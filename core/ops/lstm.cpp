#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "core/ops/recurrent.h"
#include "core/ops/recurrent_loops.h"
#include "core/ops/recurrent_steps.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// One step of the reverse sweep at every unit of one sequence.
template <class T>
struct LstmStep {
    const T *gates, *before, *tanhC, *gradH, *gradC;  ///< of this step
    T *gradPre, *carriedH, *carriedC;

    void run(std::int64_t width) const {
        for (std::int64_t u = 0; u < width; ++u) {
            const T i = gates[u];
            const T f = gates[width + u];
            const T g = gates[2 * width + u];
            const T o = gates[3 * width + u];
            const T dh = gradH[u] + carriedH[u];
            const T dc = gradC[u] + carriedC[u] + dh * o * (1 - tanhC[u] * tanhC[u]);
            gradPre[u] = dc * g * i * (1 - i);
            gradPre[width + u] = dc * before[u] * f * (1 - f);
            gradPre[2 * width + u] = dc * i * (1 - g * g);
            gradPre[3 * width + u] = dh * tanhC[u] * o * (1 - o);
            carriedC[u] = dc * f;
        }
    }
};

struct LstmNode : torch::autograd::Function<LstmNode> {
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& r,
                               const at::Tensor& h0, const at::Tensor& c0) {
        const auto width = h0.size(1);
        const at::Tensor gates = x.clone(at::MemoryFormat::Contiguous);
        const at::Tensor h = at::empty({x.size(0), x.size(1), width}, x.options());
        const at::Tensor c = at::empty_like(h);
        const at::Tensor rt = r.t();
        const auto pre = stepsOf(gates);
        const auto inputForget = stepsOf(gates.narrow(2, 0, 2 * width));
        const auto candidate = stepsOf(gates.narrow(2, 2 * width, width));
        const auto output = stepsOf(gates.narrow(2, 3 * width, width));
        auto hs = stepsOf(h);
        auto cs = stepsOf(c);
        for (std::size_t t = 0; t < pre.size(); ++t) {
            pre[t].addmm_(t == 0 ? h0 : hs[t - 1], rt);
            inputForget[t].sigmoid_();
            candidate[t].tanh_();
            output[t].sigmoid_();
            at::mul_out(cs[t], inputForget[t].narrow(1, width, width), t == 0 ? c0 : cs[t - 1]);
            cs[t].addcmul_(inputForget[t].narrow(1, 0, width), candidate[t]);
            at::tanh_out(hs[t], cs[t]);
            hs[t].mul_(output[t]);
        }
        ctx->save_for_backward({r, h0, c0, gates, h, c});
        ctx->set_materialize_grads(false);
        ctx->mark_non_differentiable({gates});
        return {h, c, gates};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("lstm");
        const auto saved = ctx->get_saved_variables();
        const at::Tensor& r = saved[0];
        const at::Tensor& h = saved[4];
        const at::Tensor& c = saved[5];
        const at::Tensor before = shifted(saved[2], c);
        const at::Tensor tanhC = c.tanh();
        const at::Tensor gradH = packed(upstream[0], h);
        const at::Tensor gradC = packed(upstream[1], c);
        const at::Tensor gradPre = at::empty_like(saved[3]);
        at::Tensor carriedH = at::zeros({h.size(0), h.size(2)}, h.options());
        const at::Tensor carriedC = at::zeros_like(carriedH);
        const auto steps = stepsOf(gradPre);
        for (std::size_t t = steps.size(); t-- > 0;) {
            withElement(h, [&](auto zero) {
                using T = decltype(zero);
                const auto width = h.size(2);
                for (std::int64_t b = 0; b < h.size(0); ++b) {
                    const auto row = b * h.size(1) + static_cast<std::int64_t>(t);
                    LstmStep<T>{dataOf<T>(saved[3]) + 4 * row * width,
                                dataOf<T>(before) + row * width,
                                dataOf<T>(tanhC) + row * width,
                                dataOf<T>(gradH) + row * width,
                                dataOf<T>(gradC) + row * width,
                                mutableDataOf<T>(gradPre) + 4 * row * width,
                                mutableDataOf<T>(carriedH) + b * width,
                                mutableDataOf<T>(carriedC) + b * width}
                        .run(width);
                }
            });
            at::mm_out(carriedH, steps[t], r);
        }
        return {gradPre, recurrentGradient(gradPre, shifted(saved[1], h)), carriedH, carriedC};
    }
};

}  // namespace

LstmResult lstm(const at::Tensor& x, const at::Tensor& recurrent, const at::Tensor& h0,
                const at::Tensor& c0) {
    TORCH_CHECK(x.dim() == 3 && x.size(1) > 0 && x.size(2) == 4 * h0.size(1),
                "lstm: x must be [batch, steps, 4 width], got ", x.sizes());
    if (!x.is_cpu()) {
        return lstmLoop(x, recurrent, h0, c0);
    }
    const tensor_list out = LstmNode::apply(x, recurrent, h0, c0);
    return {.h = out[0], .c = out[1], .gates = out[2]};
}

}  // namespace lab::ops
