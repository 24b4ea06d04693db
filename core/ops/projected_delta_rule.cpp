#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/ops/delta_call.h"
#include "core/ops/kernel_call.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// The projection in memory: for each token n_h segments of equal stride,
/// [q | k_1 | v_1 | x_1], [unused | k_2 | v_2 | x_2], ..., so that every factor of q, k, v and x is
/// one strided view. Segments begin on a cache line.
struct Layout {
    const ProjectedDelta& shape;
    std::int64_t queries = shape.heads * shape.keyDim;
    std::int64_t values = shape.heads * shape.valueDim;
    std::int64_t factor = queries + values + shape.heads;  ///< k, v and x of one factor
    std::int64_t stride;
    std::int64_t rows = shape.batch * shape.steps;

    Layout(const ProjectedDelta& s, const at::Tensor& like) : shape(s) {
        const auto line = static_cast<std::int64_t>(64 / like.element_size());
        stride = (queries + factor + line - 1) / line * line;
    }

    [[nodiscard]] at::Tensor allocate(const at::Tensor& like) const {
        return at::empty({rows, shape.householders, stride}, like.options());
    }
    /// What one matrix product writes: the columns of factor j, with the queries for the first.
    [[nodiscard]] at::Tensor segment(const at::Tensor& buffer, std::int64_t j) const {
        const at::Tensor all = buffer.select(1, j);
        return j == 0 ? all.narrow(1, 0, queries + factor) : all.narrow(1, queries, factor);
    }
    /// The rows of W that make segment j.
    [[nodiscard]] at::Tensor weightRows(const at::Tensor& weight, std::int64_t j) const {
        return j == 0 ? weight.narrow(0, 0, queries + factor)
                      : weight.narrow(0, queries + j * factor, factor);
    }

    [[nodiscard]] at::Tensor q(const at::Tensor& buffer) const {
        return buffer.select(1, 0)
            .narrow(1, 0, queries)
            .view({shape.batch, shape.steps, shape.heads, shape.keyDim});
    }
    [[nodiscard]] at::Tensor k(const at::Tensor& buffer) const {
        return slice(buffer, queries, shape.keyDim);
    }
    [[nodiscard]] at::Tensor v(const at::Tensor& buffer) const {
        return slice(buffer, 2 * queries, shape.valueDim);
    }
    /// [batch, steps n, heads]
    [[nodiscard]] at::Tensor x(const at::Tensor& buffer) const {
        return slice(buffer, 2 * queries + values, 1).squeeze(3);
    }

private:
    [[nodiscard]] at::Tensor slice(const at::Tensor& buffer, std::int64_t from,
                                   std::int64_t width) const {
        return buffer.view({shape.batch, shape.steps * shape.householders, stride})
            .narrow(2, from, shape.heads * width)
            .unflatten(2, {shape.heads, width});
    }
};

/// [steps-major rows, heads] beside the bias of each factor and head.
at::Tensor betaOf(const ProjectedDelta& shape, const at::Tensor& x, const at::Tensor& bias) {
    const at::Tensor byFactor = x.unflatten(1, {shape.steps, shape.householders});
    return at::add(byFactor, bias.view({shape.householders, shape.heads}))
        .mul_(shape.betaSlope)
        .sigmoid_()
        .mul_(shape.betaRange)
        .view({shape.batch, shape.steps * shape.householders, shape.heads});
}

DeltaArguments argumentsOf(const Layout& layout, const at::Tensor& buffer, const at::Tensor& beta,
                           const at::Tensor& gate, const at::Tensor& initialState) {
    const ProjectedDelta& shape = layout.shape;
    DeltaArguments in{
        layout.q(buffer),      layout.k(buffer), layout.v(buffer), beta, gate, initialState, 1.0,
        shape.normaliseEpsilon};
    if (shape.silu) {
        in.q = at::silu(in.q);
        in.k = at::silu(in.k);
    }
    return in;
}

struct ProjectedDeltaNode : torch::autograd::Function<ProjectedDeltaNode> {
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& h, const at::Tensor& weight,
                               const at::Tensor& betaBias, const std::optional<at::Tensor>& gate,
                               const std::optional<at::Tensor>& initialState,
                               const ProjectedDelta& shape, const Execution& execution,
                               bool wantsStateNorm, bool keeps) {
        const Layout layout(shape, h);
        const at::Tensor buffer = layout.allocate(h);
        for (std::int64_t j = 0; j < shape.householders; ++j) {
            at::Tensor segment = layout.segment(buffer, j);
            at::mm_out(segment, h, layout.weightRows(weight, j).t());
        }
        const at::Tensor beta = betaOf(shape, layout.x(buffer), betaBias);
        const auto in =
            argumentsOf(layout, buffer, beta, orUndefined(gate), orUndefined(initialState));
        DeltaForward out = callDeltaForward(in, execution, keeps ? Keep::kResidual : Keep::kNothing,
                                            wantsStateNorm);
        ctx->save_for_backward({h, weight, in.gate, in.initialState, buffer, beta, out.residual});
        ctx->set_materialize_grads(false);
        carry(ctx, std::pair(shape, execution));
        const at::Tensor norm = wantsStateNorm ? out.stateNorm : at::empty({0}, h.options());
        ctx->mark_non_differentiable({out.finalState, buffer, beta, norm});
        return {out.o.view({layout.rows, layout.values}), out.finalState, buffer, beta, norm};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("projectedDeltaRule");
        const auto saved = ctx->get_saved_variables();
        const auto [shape, execution] = carried<std::pair<ProjectedDelta, Execution>>(ctx);
        const at::Tensor& h = saved[0];
        const at::Tensor& weight = saved[1];
        const at::Tensor& buffer = saved[4];
        const at::Tensor& beta = saved[5];
        const Layout layout(shape, h);
        const auto in = argumentsOf(layout, buffer, beta, saved[2], saved[3]);

        const at::Tensor gradient = layout.allocate(h);
        DeltaGradientTensors into{layout.q(gradient),
                                  layout.k(gradient),
                                  layout.v(gradient),
                                  at::empty_like(beta),
                                  {},
                                  {}};
        if (saved[2].defined() && ctx->needs_input_grad(3)) {
            into.gate = at::empty(saved[2].sizes(), saved[2].options());
        }
        const at::Tensor gradO =
            upstream[0].reshape({shape.batch, shape.steps, shape.heads, shape.valueDim});
        callDeltaBackward(in, saved[6], gradO, {}, into, execution);
        if (shape.silu) {
            into.q.copy_(at::silu_backward(into.q, layout.q(buffer)));
            into.k.copy_(at::silu_backward(into.k, layout.k(buffer)));
        }
        // d beta / d x = slope beta (1 - beta / range)
        const at::Tensor gradX = into.beta.mul_(beta).mul_(
            at::rsub(beta * (1 / shape.betaRange), 1).mul_(shape.betaSlope));
        layout.x(gradient).copy_(gradX);
        const at::Tensor gradBias = gradX.view({layout.rows, -1}).sum(0);

        const at::Tensor gradWeight = at::empty_like(weight);
        at::Tensor gradH;
        for (std::int64_t j = 0; j < shape.householders; ++j) {
            const at::Tensor segment = layout.segment(gradient, j);
            const at::Tensor rows = layout.weightRows(weight, j);
            at::Tensor gradRows = layout.weightRows(gradWeight, j);
            at::mm_out(gradRows, segment.t(), h);
            gradH = j == 0 ? at::mm(segment, rows) : gradH.addmm_(segment, rows);
        }
        return {gradH, gradWeight, gradBias, into.gate, {}, {}, {}, {}, {}};
    }
};

}  // namespace

ProjectedDeltaResult projectedDeltaRule(const ProjectedDelta& shape, const at::Tensor& h,
                                        const at::Tensor& weight, const at::Tensor& betaBias,
                                        const at::Tensor& gate, const at::Tensor& initialState,
                                        const Execution& execution, bool wantsStateNorm) {
    TORCH_CHECK(h.dim() == 2 && h.size(0) == shape.batch * shape.steps,
                "projectedDeltaRule: h must be [batch steps, width], got ", h.sizes());
    TORCH_CHECK(weight.dim() == 2 && weight.size(0) == shape.projectionWidth() &&
                    weight.size(1) == h.size(1),
                "projectedDeltaRule: the weight must be [", shape.projectionWidth(), ", ",
                h.size(1), "], got ", weight.sizes());
    TORCH_CHECK(betaBias.numel() == shape.householders * shape.heads,
                "projectedDeltaRule: the bias of beta is ", betaBias.sizes());
    const tensor_list out = ProjectedDeltaNode::apply(h.contiguous(), weight, betaBias, maybe(gate),
                                                      maybe(initialState), shape, execution,
                                                      wantsStateNorm, c10::GradMode::is_enabled());
    const Layout layout(shape, h);
    return {.o = out[0],
            .finalState = out[1],
            .stateNorm = wantsStateNorm ? out[4] : at::Tensor(),
            .q = layout.q(out[2]),
            .k = layout.k(out[2]),
            .v = layout.v(out[2]),
            .beta = out[3]};
}

}  // namespace lab::ops
