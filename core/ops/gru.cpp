#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "core/ops/recurrent.h"
#include "core/ops/recurrent_loops.h"
#include "core/ops/recurrent_steps.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// One step of the reverse sweep at every unit of one sequence. `product` is R_n h + b.
template <class T>
struct GruStep {
    const T *gates, *product, *before, *gradH;  ///< of this step
    T *gradX, *gradProduct;                     ///< with respect to x, and to R h
    T* carried;

    void run(std::int64_t width) const {
        for (std::int64_t u = 0; u < width; ++u) {
            const T r = gates[u];
            const T z = gates[width + u];
            const T n = gates[2 * width + u];
            const T dh = gradH[u] + carried[u];
            const T dn = dh * (1 - z) * (1 - n * n);
            const T dr = dn * product[u] * r * (1 - r);
            const T dz = dh * (before[u] - n) * z * (1 - z);
            gradX[u] = gradProduct[u] = dr;
            gradX[width + u] = gradProduct[width + u] = dz;
            gradX[2 * width + u] = dn;
            gradProduct[2 * width + u] = dn * r;
            carried[u] = dh * z;
        }
    }
};

struct GruNode : torch::autograd::Function<GruNode> {
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& r,
                               const at::Tensor& bias, const at::Tensor& h0) {
        const auto width = h0.size(1);
        const at::Tensor gates = x.clone(at::MemoryFormat::Contiguous);
        const at::Tensor h = at::empty({x.size(0), x.size(1), width}, x.options());
        const at::Tensor product = at::empty_like(h);
        const at::Tensor gateRows = r.narrow(0, 0, 2 * width).t();
        const at::Tensor candidateRows = r.narrow(0, 2 * width, width).t();
        const auto resetUpdate = stepsOf(gates.narrow(2, 0, 2 * width));
        const auto candidate = stepsOf(gates.narrow(2, 2 * width, width));
        auto products = stepsOf(product);
        auto hs = stepsOf(h);
        for (std::size_t t = 0; t < hs.size(); ++t) {
            const at::Tensor& before = t == 0 ? h0 : hs[t - 1];
            resetUpdate[t].addmm_(before, gateRows).sigmoid_();
            at::addmm_out(products[t], bias, before, candidateRows);
            candidate[t].addcmul_(resetUpdate[t].narrow(1, 0, width), products[t]).tanh_();
            at::lerp_out(hs[t], candidate[t], before, resetUpdate[t].narrow(1, width, width));
        }
        ctx->save_for_backward({r, h0, gates, h, product});
        ctx->set_materialize_grads(false);
        ctx->mark_non_differentiable({gates});
        return {h, gates};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("gru");
        const auto saved = ctx->get_saved_variables();
        const at::Tensor& r = saved[0];
        const at::Tensor& h = saved[3];
        const at::Tensor before = shifted(saved[1], h);
        const at::Tensor gradH = packed(upstream[0], h);
        const at::Tensor gradX = at::empty_like(saved[2]);
        const at::Tensor gradProduct = at::empty_like(saved[2]);
        at::Tensor carried = at::zeros({h.size(0), h.size(2)}, h.options());
        const auto steps = stepsOf(gradProduct);
        for (std::size_t t = steps.size(); t-- > 0;) {
            withElement(h, [&](auto zero) {
                using T = decltype(zero);
                const auto width = h.size(2);
                for (std::int64_t b = 0; b < h.size(0); ++b) {
                    const auto row = b * h.size(1) + static_cast<std::int64_t>(t);
                    GruStep<T>{dataOf<T>(saved[2]) + 3 * row * width,
                               dataOf<T>(saved[4]) + row * width,
                               dataOf<T>(before) + row * width,
                               dataOf<T>(gradH) + row * width,
                               mutableDataOf<T>(gradX) + 3 * row * width,
                               mutableDataOf<T>(gradProduct) + 3 * row * width,
                               mutableDataOf<T>(carried) + b * width}
                        .run(width);
                }
            });
            carried.addmm_(steps[t], r);
        }
        const auto width = h.size(2);
        return {gradX, recurrentGradient(gradProduct, before),
                gradProduct.narrow(2, 2 * width, width).sum(at::IntArrayRef{0, 1}), carried};
    }
};

}  // namespace

GruResult gru(const at::Tensor& x, const at::Tensor& recurrent, const at::Tensor& candidateBias,
              const at::Tensor& h0) {
    TORCH_CHECK(x.dim() == 3 && x.size(1) > 0 && x.size(2) == 3 * h0.size(1),
                "gru: x must be [batch, steps, 3 width], got ", x.sizes());
    if (!x.is_cpu()) {
        return gruLoop(x, recurrent, candidateBias, h0);
    }
    const tensor_list out = GruNode::apply(x, recurrent, candidateBias, h0);
    return {.h = out[0], .gates = out[1]};
}

}  // namespace lab::ops
