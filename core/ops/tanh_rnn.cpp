#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/kernel_call.h"
#include "core/ops/recurrent.h"
#include "core/ops/recurrent_loops.h"
#include "core/ops/recurrent_steps.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct TanhNode : torch::autograd::Function<TanhNode> {
    static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x, const at::Tensor& r,
                              const at::Tensor& h0) {
        const at::Tensor h = x.clone(at::MemoryFormat::Contiguous);
        const at::Tensor rt = r.t();
        at::Tensor before = h0;
        for (at::Tensor& step : stepsOf(h)) {
            step.addmm_(before, rt).tanh_();
            before = step;
        }
        ctx->save_for_backward({r, h0, h});
        return h;
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("tanhRnn");
        const auto saved = ctx->get_saved_variables();
        const at::Tensor& r = saved[0];
        const at::Tensor& h0 = saved[1];
        const at::Tensor slope = at::rsub(saved[2] * saved[2], 1);
        const at::Tensor gradPre = upstream[0] * slope;
        const auto slopes = stepsOf(slope);
        const auto steps = stepsOf(gradPre);
        at::Tensor gradH = at::zeros(h0.sizes(), h0.options());
        for (std::size_t t = steps.size(); t-- > 0;) {
            at::Tensor step = steps[t];
            step.addcmul_(gradH, slopes[t]);
            at::mm_out(gradH, step, r);
        }
        return {gradPre, recurrentGradient(gradPre, shifted(h0, saved[2])), gradH};
    }
};

}  // namespace

at::Tensor tanhRnn(const at::Tensor& x, const at::Tensor& recurrent, const at::Tensor& h0) {
    TORCH_CHECK(x.dim() == 3 && x.size(1) > 0 && x.size(2) == recurrent.size(0),
                "tanhRnn: x must be [batch, steps, width], got ", x.sizes());
    return x.is_cpu() ? TanhNode::apply(x, recurrent, h0) : tanhRnnLoop(x, recurrent, h0);
}

}  // namespace lab::ops
