#include "core/ops/scan_loops.h"

#include <ATen/ATen.h>

#include <vector>

namespace lab::ops {
namespace {

/// S <- decay S + k v^T, then q reads: [B,H,K] and [B,H,V] a token; decay [B,H,K] or [B,H,1].
struct Matrix {
    at::Tensor state;
    std::vector<at::Tensor> reads, norms;

    void step(const at::Tensor& decay, const at::Tensor& k, const at::Tensor& v,
              const at::Tensor& q) {
        state = decay.unsqueeze(-1) * state + k.unsqueeze(-1) * v.unsqueeze(-2);
        reads.push_back((q.unsqueeze(-1) * state).sum(-2));
        norms.push_back(state.detach().flatten(2).norm(2, 2).to(at::kFloat));
    }
};

at::Tensor startOf(const at::Tensor& initial, const at::Tensor& like, at::IntArrayRef sizes) {
    return initial.defined() ? initial : at::zeros(sizes, like.options());
}

}  // namespace

ScanResult gatedLinearAttentionLoop(const GlaArguments& in) {
    Matrix matrix{
        startOf(in.initialState, in.q, {in.q.size(0), in.q.size(2), in.q.size(3), in.v.size(3)}),
        {},
        {}};
    const at::Tensor decay = (in.gate.dim() == 4 ? in.gate : in.gate.unsqueeze(-1)).exp();
    const auto q = in.q.unbind(1), k = in.k.unbind(1), v = in.v.unbind(1), d = decay.unbind(1);
    for (std::size_t t = 0; t < q.size(); ++t) {
        matrix.step(d[t], k[t], v[t], in.scale * q[t]);
    }
    return {at::stack(matrix.reads, 1), matrix.state, at::stack(matrix.norms, 1)};
}

ScanResult ssdLoop(const SsdArguments& in) {
    const auto heads = in.x.size(2);
    const auto perGroup = heads / in.b.size(2);
    Matrix matrix{
        startOf(in.initialState, in.x, {in.x.size(0), heads, in.b.size(3), in.x.size(3)}), {}, {}};
    const at::Tensor decay = (in.delta * in.a).exp().unsqueeze(-1);
    const auto d = decay.unbind(1), x = (in.delta.unsqueeze(-1) * in.x).unbind(1);
    const auto b = in.b.repeat_interleave(perGroup, 2).unbind(1);
    const auto c = in.c.repeat_interleave(perGroup, 2).unbind(1);
    for (std::size_t t = 0; t < x.size(); ++t) {
        matrix.step(d[t], b[t], x[t], c[t]);
    }
    return {at::stack(matrix.reads, 1) + in.d.unsqueeze(-1) * in.x, matrix.state,
            at::stack(matrix.norms, 1)};
}

SelectiveScanResult selectiveScanLoop(const SelectiveScanArguments& in) {
    at::Tensor state = startOf(in.initialState, in.u, {in.u.size(0), in.a.size(0), in.a.size(1)});
    const at::Tensor delta = at::softplus(in.raw + in.bias);
    const auto steps = delta.unsqueeze(-1).unbind(1);
    const auto written = (delta * in.u).unsqueeze(-1).unbind(1);
    const auto b = in.b.unsqueeze(2).unbind(1), c = in.c.unsqueeze(2).unbind(1);
    std::vector<at::Tensor> reads;
    for (std::size_t t = 0; t < steps.size(); ++t) {
        state = (steps[t] * in.a).exp() * state + written[t] * b[t];
        reads.push_back((state * c[t]).sum(-1));
    }
    return {(at::stack(reads, 1) + in.d * in.u) * at::silu(in.z), state};
}

}  // namespace lab::ops
