#include "core/ops/delta_rule_peers.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace lab::ops {
namespace {

at::Tensor unitRows(const at::Tensor& x, double epsilon) {
    return epsilon < 0 ? x : x * at::rsqrt((x * x).sum(-1, true) + epsilon);
}

at::Tensor stateOf(const DeltaArguments& in) {
    return in.initialState.defined()
               ? in.initialState
               : at::zeros({in.q.size(0), in.q.size(2), in.k.size(3), in.v.size(3)},
                           in.q.options());
}

/// S^T x for every (batch, head): x [B,H,K] -> [B,H,V].
at::Tensor read(const at::Tensor& state, const at::Tensor& x, LoopForm form) {
    return form == LoopForm::kMatmul ? at::matmul(x.unsqueeze(-2), state).squeeze(-2)
                                     : (x.unsqueeze(-1) * state).sum(-2);
}

/// [B, T, H, width] -> [T / C, B H, C, width]
at::Tensor toChunks(const at::Tensor& x, std::int64_t chunk) {
    const auto batch = x.size(0);
    const auto heads = x.size(2);
    const auto chunks = x.size(1) / chunk;
    return x.reshape({batch, chunks, chunk, heads, x.size(3)})
        .permute({1, 0, 3, 2, 4})
        .reshape({chunks, batch * heads, chunk, x.size(3)});
}

at::Tensor fromChunks(const at::Tensor& x, std::int64_t batch) {
    const auto heads = x.size(1) / batch;
    return x.reshape({x.size(0), batch, heads, x.size(2), x.size(3)})
        .permute({1, 0, 3, 2, 4})
        .reshape({batch, x.size(0) * x.size(2), heads, x.size(3)});
}

/// Zero rows at the end of the time axis: with beta = 0 and gate 0 they leave the state as it is.
at::Tensor padTime(const at::Tensor& x, std::int64_t rows) {
    if (rows == 0) {
        return x;
    }
    auto sizes = x.sizes().vec();
    sizes[1] = rows;
    return at::cat({x, at::zeros(sizes, x.options())}, 1);
}

/// What a chunk needs beside the state, for all chunks at once: axis 0 counts them.
struct ChunkTerms {
    at::Tensor queries{};  ///< Q, with gates decayed from the chunk's start
    at::Tensor scores{};   ///< causal (Q K^T), [C, n C]
    at::Tensor u{}, w{};   ///< L^-1 beta V and L^-1 beta K: the writes are u - w S
    at::Tensor keys{};     ///< K^T, with gates decayed to the chunk's end
    at::Tensor decay{};    ///< of the state over the chunk; undefined without gates
};

ChunkTerms chunkTerms(const DeltaArguments& in, std::int64_t chunk, std::int64_t factors) {
    const auto rows = chunk * factors;
    const at::Tensor q = toChunks(in.q, chunk);
    const at::Tensor k = toChunks(in.k, rows);
    const at::Tensor v = toChunks(in.v, rows);
    const at::Tensor beta = toChunks(in.beta.unsqueeze(-1), rows);
    const auto index = q.options().dtype(at::kLong);
    const at::Tensor row = at::arange(rows, index).unsqueeze(1);
    const at::Tensor column = at::arange(rows, index).unsqueeze(0);
    const at::Tensor strict = row.gt(column);
    const at::Tensor causal =
        at::arange(chunk, index).unsqueeze(1).ge(column.floor_divide(factors));

    at::Tensor inner = strict.to(q.scalar_type());
    at::Tensor outer = causal.to(q.scalar_type());
    at::Tensor keysIn = k;
    ChunkTerms terms{.queries = q, .keys = k};
    if (in.gate.defined()) {
        // Differences of cumulative logs, masked before the exponential: no factor exceeds one.
        const at::Tensor sum = toChunks(in.gate.unsqueeze(-1), chunk).cumsum(-2);
        const at::Tensor sumByRow = sum.repeat_interleave(factors, -2);
        const at::Tensor last = sum.narrow(-2, chunk - 1, 1);
        const double lowest = -std::numeric_limits<double>::infinity();
        inner = (sumByRow - sumByRow.mT()).masked_fill(strict.logical_not(), lowest).exp();
        outer = (sum - sumByRow.mT()).masked_fill(causal.logical_not(), lowest).exp();
        keysIn = k * sumByRow.exp();
        terms.queries = q * sum.exp();
        terms.keys = k * (last - sumByRow).exp();
        terms.decay = last.exp();
    }
    const at::Tensor system = at::matmul(beta * k, k.mT()) * inner;
    const at::Tensor solved = at::linalg_solve_triangular(
        system, at::cat({beta * v, beta * keysIn}, -1), /*upper=*/false, /*left=*/true,
        /*unitriangular=*/true);
    terms.scores = at::matmul(q, k.mT()) * outer;
    terms.u = solved.narrow(-1, 0, v.size(-1));
    terms.w = solved.narrow(-1, v.size(-1), k.size(-1));
    terms.keys = terms.keys.mT();
    return terms;
}

}  // namespace

DeltaResult deltaRuleLoop(const DeltaArguments& in, LoopForm form) {
    const auto steps = in.q.size(1);
    const auto factors = steps > 0 ? in.k.size(1) / steps : 1;
    at::Tensor state = stateOf(in);
    // unbind, not indexing: the gradient of x[:, t] is a full-size tensor of zeros for every t.
    const auto q = unitRows(in.q, in.normaliseEpsilon).unbind(1);
    const auto k = unitRows(in.k, in.normaliseEpsilon).unbind(1);
    const auto v = in.v.unbind(1);
    const auto beta = in.beta.unsqueeze(-1).unbind(1);
    std::vector<at::Tensor> decay;
    if (in.gate.defined()) {
        decay = in.gate.exp().unsqueeze(-1).unsqueeze(-1).unbind(1);
    }
    std::vector<at::Tensor> out;
    for (std::size_t t = 0; t < q.size(); ++t) {
        if (!decay.empty()) {
            state = decay[t] * state;
        }
        for (std::int64_t j = 0; j < factors; ++j) {
            const std::size_t row =
                t * static_cast<std::size_t>(factors) + static_cast<std::size_t>(j);
            const at::Tensor u = beta[row] * (v[row] - read(state, k[row], form));
            state = at::addcmul(state, k[row].unsqueeze(-1), u.unsqueeze(-2));
        }
        out.push_back(read(state, q[t], form));
    }
    const at::Tensor o =
        out.empty() ? at::empty({in.q.size(0), 0, in.q.size(2), in.v.size(3)}, in.q.options())
                    : at::stack(out, 1);
    return {.o = in.scale == 1.0 ? o : o * in.scale, .finalState = state};
}

DeltaResult deltaRuleChunk(const DeltaArguments& in, std::int64_t chunk) {
    const auto batch = in.q.size(0);
    const auto steps = in.q.size(1);
    if (steps == 0 || batch == 0) {
        return deltaRuleLoop(in, LoopForm::kSum);
    }
    const auto factors = in.k.size(1) / steps;
    chunk = std::min(chunk, steps);
    const auto missing = (chunk - steps % chunk) % chunk;
    DeltaArguments padded = in;
    padded.q = padTime(unitRows(in.q, in.normaliseEpsilon), missing);
    padded.k = padTime(unitRows(in.k, in.normaliseEpsilon), missing * factors);
    padded.v = padTime(in.v, missing * factors);
    padded.beta = padTime(in.beta, missing * factors);
    padded.gate = in.gate.defined() ? padTime(in.gate, missing) : in.gate;
    const ChunkTerms terms = chunkTerms(padded, chunk, factors);

    at::Tensor state = stateOf(in).flatten(0, 1);
    const auto u = terms.u.unbind(0);
    const auto w = terms.w.unbind(0);
    const auto keys = terms.keys.unbind(0);
    const auto decay = terms.decay.defined() ? terms.decay.unbind(0) : std::vector<at::Tensor>{};
    std::vector<at::Tensor> states;
    std::vector<at::Tensor> writes;
    for (std::size_t c = 0; c < u.size(); ++c) {
        states.push_back(state);
        writes.push_back(at::baddbmm(u[c], w[c], state, 1, -1));
        const at::Tensor carried = decay.empty() ? state : decay[c] * state;
        state = at::baddbmm(carried, keys[c], writes.back());
    }
    const at::Tensor o =
        at::matmul(terms.queries, at::stack(states)) + at::matmul(terms.scores, at::stack(writes));
    const at::Tensor trimmed = fromChunks(o, batch).narrow(1, 0, steps);
    return {.o = in.scale == 1.0 ? trimmed : trimmed * in.scale,
            .finalState = state.view({batch, in.q.size(2), in.k.size(3), in.v.size(3)})};
}

}  // namespace lab::ops
