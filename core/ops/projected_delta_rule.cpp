// The batch is worked off in tiles of a few sequences: what a matrix product wrote is still in the
// cache when the rule reads it, and backward needs the gradient of one tile's projection at a time.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "core/ops/delta_call.h"
#include "core/ops/kernel_call.h"

namespace lab::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// Rows of a tile, about: three arrays of this many rows of 200 floats stay in 1 MB.
constexpr std::int64_t kTileRows = 512;

/// The projection in memory: for each token n_h segments of equal stride,
/// [q | k_1 | v_1 | x_1], [unused | k_2 | v_2 | x_2], ..., so that every factor of q, k, v and x is
/// one strided view. Segments begin on a cache line.
class Layout {
public:
    Layout(const ProjectedDelta& shape, const at::Tensor& like)
        : m_shape(shape),
          m_queries(shape.heads * shape.keyDim),
          m_values(shape.heads * shape.valueDim),
          m_factor(m_queries + m_values + shape.heads) {
        const auto line = 64 / static_cast<std::int64_t>(like.element_size());
        m_stride = (m_queries + m_factor + line - 1) / line * line;
    }

    /// [sequences steps, n_h, stride]
    [[nodiscard]] at::Tensor allocate(std::int64_t sequences, const at::Tensor& like) const {
        return at::empty({sequences * m_shape.steps, m_shape.householders, m_stride},
                         like.options());
    }
    /// What one matrix product writes: the columns of factor j, with the queries for the first.
    [[nodiscard]] at::Tensor segment(const at::Tensor& buffer, std::int64_t j) const {
        const at::Tensor all = buffer.select(1, j);
        return j == 0 ? all.narrow(1, 0, m_queries + m_factor) : all.narrow(1, m_queries, m_factor);
    }
    /// The rows of W that make segment j.
    [[nodiscard]] at::Tensor weightRows(const at::Tensor& weight, std::int64_t j) const {
        return j == 0 ? weight.narrow(0, 0, m_queries + m_factor)
                      : weight.narrow(0, m_queries + j * m_factor, m_factor);
    }

    [[nodiscard]] at::Tensor q(const at::Tensor& buffer) const {
        return buffer.select(1, 0)
            .narrow(1, 0, m_queries)
            .view({-1, m_shape.steps, m_shape.heads, m_shape.keyDim});
    }
    [[nodiscard]] at::Tensor k(const at::Tensor& buffer) const {
        return slice(buffer, m_queries, m_shape.keyDim);
    }
    [[nodiscard]] at::Tensor v(const at::Tensor& buffer) const {
        return slice(buffer, 2 * m_queries, m_shape.valueDim);
    }
    /// [sequences, steps n, heads]
    [[nodiscard]] at::Tensor x(const at::Tensor& buffer) const {
        return slice(buffer, 2 * m_queries + m_values, 1).squeeze(3);
    }

private:
    [[nodiscard]] at::Tensor slice(const at::Tensor& buffer, std::int64_t from,
                                   std::int64_t width) const {
        return buffer.view({-1, m_shape.steps * m_shape.householders, m_stride})
            .narrow(2, from, m_shape.heads * width)
            .unflatten(2, {m_shape.heads, width});
    }

    ProjectedDelta m_shape;
    std::int64_t m_queries, m_values;
    std::int64_t m_factor;  ///< columns of k, v and x of one factor
    std::int64_t m_stride;
};

/// Sequences first, first + 1, ... of a batch; undefined tensors stay so.
struct Tile {
    std::int64_t first, count, steps;

    [[nodiscard]] at::Tensor sequences(const at::Tensor& x) const {
        return x.defined() ? x.narrow(0, first, count) : x;
    }
    [[nodiscard]] at::Tensor rows(const at::Tensor& x) const {
        return x.narrow(0, first * steps, count * steps);
    }
};

std::int64_t tileSequences(const ProjectedDelta& shape) {
    return std::clamp<std::int64_t>(kTileRows / std::max<std::int64_t>(shape.steps, 1), 1,
                                    std::max<std::int64_t>(shape.batch, 1));
}

/// Calls work(tile) for each; the split depends on the shape alone, so results are repeatable.
template <class F>
void forEachTile(const ProjectedDelta& shape, F&& work) {
    const auto count = tileSequences(shape);
    std::int64_t first = 0;
    do {
        work(Tile{first, std::min(count, shape.batch - first), shape.steps});
        first += count;
    } while (first < shape.batch);
}

/// beta = range sigmoid(slope (x + bias)), one bias a factor and head.
void writeBeta(const ProjectedDelta& shape, const at::Tensor& x, const at::Tensor& bias,
               const at::Tensor& beta) {
    const auto byFactor = [&](const at::Tensor& rows) {
        return rows.unflatten(1, {shape.steps, shape.householders});
    };
    at::Tensor out = byFactor(beta);
    at::add_out(out, byFactor(x), bias.view({shape.householders, shape.heads}));
    out.mul_(shape.betaSlope).sigmoid_().mul_(shape.betaRange);
}

/// What a pass works on, whole; `argumentsOf` takes the part of a tile.
struct Tensors {
    at::Tensor buffer, beta, gate, initialState;
};

DeltaArguments argumentsOf(const ProjectedDelta& shape, const Layout& layout, const Tensors& all,
                           const Tile& tile) {
    const at::Tensor buffer = tile.rows(all.buffer);
    DeltaArguments in{.q = layout.q(buffer),
                      .k = layout.k(buffer),
                      .v = layout.v(buffer),
                      .beta = tile.sequences(all.beta),
                      .gate = tile.sequences(all.gate),
                      .initialState = tile.sequences(all.initialState),
                      .normaliseEpsilon = shape.normaliseEpsilon};
    if (shape.silu) {
        in.q = at::silu(in.q);
        in.k = at::silu(in.k);
    }
    return in;
}

struct Settings {
    ProjectedDelta shape;
    Execution execution;
    bool wantsStateNorm, keeps;
};

/// The gradients that tiles add up or write their part of.
struct Gradients {
    at::Tensor h, weight, bias, gate;
};

/// d beta / d x = slope beta (1 - beta / range), times the gradient of beta.
at::Tensor gradientOfX(const ProjectedDelta& shape, const at::Tensor& beta, at::Tensor gradBeta) {
    return gradBeta.mul_(beta).mul_(
        at::rsub(beta * (1 / shape.betaRange), 1).mul_(shape.betaSlope));
}

/// From the gradient of a tile's projection to those of h, W and the bias.
void addProducts(const Settings& settings, const Layout& layout, const at::Tensor& gradient,
                 const at::Tensor& h, const at::Tensor& weight, at::Tensor gradH,
                 const Gradients& into) {
    for (std::int64_t j = 0; j < settings.shape.householders; ++j) {
        const at::Tensor segment = layout.segment(gradient, j);
        const at::Tensor rows = layout.weightRows(weight, j);
        layout.weightRows(into.weight, j).addmm_(segment.t(), h);
        if (j == 0) {
            at::mm_out(gradH, segment, rows);
        } else {
            gradH.addmm_(segment, rows);
        }
    }
}

struct ProjectedDeltaNode : torch::autograd::Function<ProjectedDeltaNode> {
    // Autograd takes each tensor as an argument of its own.
    // NOLINTNEXTLINE(readability-function-size)
    static tensor_list forward(AutogradContext* ctx, const at::Tensor& h, const at::Tensor& weight,
                               const at::Tensor& betaBias, const std::optional<at::Tensor>& gate,
                               const std::optional<at::Tensor>& initialState,
                               const Settings& settings) {
        const ProjectedDelta& shape = settings.shape;
        const Layout layout(shape, h);
        const Tensors all{
            .buffer = layout.allocate(shape.batch, h),
            .beta = at::empty({shape.batch, shape.steps * shape.householders, shape.heads},
                              h.options()),
            .gate = orUndefined(gate),
            .initialState = orUndefined(initialState)};
        const DeltaArguments whole{
            .q = layout.q(all.buffer), .k = layout.k(all.buffer), .v = layout.v(all.buffer)};
        const auto out = allocateDeltaOutputs(
            whole, settings.keeps ? Keep::kResidual : Keep::kNothing, settings.wantsStateNorm);
        forEachTile(shape, [&](const Tile& tile) {
            const at::Tensor buffer = tile.rows(all.buffer);
            for (std::int64_t j = 0; j < shape.householders; ++j) {
                at::Tensor segment = layout.segment(buffer, j);
                at::mm_out(segment, tile.rows(h), layout.weightRows(weight, j).t());
            }
            writeBeta(shape, layout.x(buffer), betaBias, tile.sequences(all.beta));
            callDeltaForward(argumentsOf(shape, layout, all, tile),
                             {tile.sequences(out.o), tile.sequences(out.finalState),
                              tile.sequences(out.residual), tile.sequences(out.stateNorm)},
                             settings.execution);
        });
        ctx->save_for_backward(
            {h, weight, all.gate, all.initialState, all.buffer, all.beta, out.residual});
        ctx->set_materialize_grads(false);
        carry(ctx, settings);
        const at::Tensor norm =
            settings.wantsStateNorm ? out.stateNorm : at::empty({0}, h.options());
        ctx->mark_non_differentiable({out.finalState, all.buffer, all.beta, norm});
        return {out.o.view({h.size(0), shape.heads * shape.valueDim}), out.finalState, all.buffer,
                all.beta, norm};
    }

    static tensor_list backward(AutogradContext* ctx, const tensor_list& upstream) {
        refuseDoubleBackward("projectedDeltaRule");
        const auto saved = ctx->get_saved_variables();
        const auto settings = carried<Settings>(ctx);
        const ProjectedDelta& shape = settings.shape;
        const at::Tensor& h = saved[0];
        const at::Tensor& weight = saved[1];
        const Tensors all{saved[4], saved[5], saved[2], saved[3]};
        const Layout layout(shape, h);
        const at::Tensor gradO =
            upstream[0].reshape({shape.batch, shape.steps, shape.heads, shape.valueDim});
        const at::Tensor tileGradient = layout.allocate(tileSequences(shape), h);
        const bool wantsGate = all.gate.defined() && ctx->needs_input_grad(3);
        const Gradients into{
            .h = at::empty_like(h),
            .weight = at::zeros_like(weight),
            .bias = at::zeros({shape.householders * shape.heads}, h.options()),
            .gate = wantsGate ? at::empty(all.gate.sizes(), all.gate.options()) : at::Tensor()};
        forEachTile(shape, [&](const Tile& tile) {
            const at::Tensor gradient = tileGradient.narrow(0, 0, tile.count * tile.steps);
            const DeltaArguments in = argumentsOf(shape, layout, all, tile);
            const DeltaGradientTensors grads{layout.q(gradient),        layout.k(gradient),
                                             layout.v(gradient),        at::empty_like(in.beta),
                                             tile.sequences(into.gate), {}};
            callDeltaBackward(in, tile.sequences(saved[6]), tile.sequences(gradO), {}, grads,
                              settings.execution);
            if (shape.silu) {
                const at::Tensor buffer = tile.rows(all.buffer);
                grads.q.copy_(at::silu_backward(grads.q, layout.q(buffer)));
                grads.k.copy_(at::silu_backward(grads.k, layout.k(buffer)));
            }
            const at::Tensor gradX = gradientOfX(shape, in.beta, grads.beta);
            layout.x(gradient).copy_(gradX);
            at::Tensor(into.bias).add_(gradX.view({-1, into.bias.size(0)}).sum(0));
            addProducts(settings, layout, gradient, tile.rows(h), weight, tile.rows(into.h), into);
        });
        return {into.h, into.weight, into.bias, into.gate, {}, {}};
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
    const tensor_list out = ProjectedDeltaNode::apply(
        h.contiguous(), weight, betaBias, maybe(gate), maybe(initialState),
        Settings{shape, execution, wantsStateNorm, c10::GradMode::is_enabled()});
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
