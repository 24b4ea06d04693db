#include "core/ops/recurrent_loops.h"

#include <ATen/ATen.h>

#include <vector>

namespace lab::ops {
namespace {

using kernels::Cell;

/// The state of one step and what can be looked at.
struct Step {
    at::Tensor h;
    CellStates cell;
    at::Tensor gates;
};

at::Tensor product(const RecurrentArguments& in, const at::Tensor& h) {
    const at::Tensor rt = in.recurrent.t();
    return in.bias.defined() ? at::addmm(in.bias, h, rt) : at::mm(h, rt);
}

Step lstmStep(const RecurrentArguments& in, const at::Tensor& x, const Step& before) {
    const auto pre = (x + product(in, before.h)).chunk(4, 1);
    const at::Tensor i = at::sigmoid(pre[0]);
    const at::Tensor f = at::sigmoid(pre[1]);
    const at::Tensor g = at::tanh(pre[2]);
    const at::Tensor o = at::sigmoid(pre[3]);
    const at::Tensor c = f * before.cell[0] + i * g;
    return {o * at::tanh(c), {c}, at::cat({i, f, g, o}, 1).detach()};
}

Step gruStep(const RecurrentArguments& in, const at::Tensor& x, const Step& before) {
    const auto fromX = x.chunk(3, 1);
    const auto fromH = product(in, before.h).chunk(3, 1);
    const at::Tensor r = at::sigmoid(fromX[0] + fromH[0]);
    const at::Tensor z = at::sigmoid(fromX[1] + fromH[1]);
    const at::Tensor n = at::tanh(fromX[2] + r * fromH[2]);
    return {(1 - z) * n + z * before.h, {}, at::cat({r, z, n}, 1).detach()};
}

Step tanhStep(const RecurrentArguments& in, const at::Tensor& x, const Step& before) {
    return {at::tanh(x + product(in, before.h)), {}, {}};
}

Step slstmStep(const RecurrentArguments& in, const at::Tensor& x, const Step& before) {
    const auto pre = (x + product(in, before.h)).chunk(4, 1);
    const at::Tensor kept = at::log_sigmoid(pre[1]) + before.cell[2];
    const at::Tensor m = at::maximum(kept, pre[0]).detach();
    const at::Tensor i = at::exp(pre[0] - m);
    const at::Tensor f = at::exp(kept - m);
    const at::Tensor z = at::tanh(pre[2]);
    const at::Tensor o = at::sigmoid(pre[3]);
    const at::Tensor c = f * before.cell[0] + i * z;
    const at::Tensor n = f * before.cell[1] + i;
    return {o * c / n, {c, n, m}, at::cat({i, f, z, o}, 1).detach()};
}

}  // namespace

RecurrentResult recurrentLoop(Cell cell, const RecurrentArguments& in) {
    constexpr std::array kSteps{&lstmStep, &gruStep, &tanhStep, &slstmStep};
    const auto step = kSteps[static_cast<std::size_t>(cell)];
    Step now{in.h0, in.cell0, {}};
    std::vector<at::Tensor> h;
    std::vector<at::Tensor> c;
    std::vector<at::Tensor> gates;
    for (const at::Tensor& x : in.x.unbind(1)) {
        now = step(in, x, now);
        h.push_back(now.h);
        c.push_back(now.cell[0].defined() ? now.cell[0].detach() : now.cell[0]);
        gates.push_back(now.gates);
    }
    RecurrentResult out{.h = at::stack(h, 1), .finalCell = now.cell, .gates = {}, .c = {}};
    if (now.cell[0].defined()) {
        out.c = at::stack(c, 1);
    }
    if (now.gates.defined()) {
        out.gates = at::stack(gates, 1);
    }
    return out;
}

}  // namespace lab::ops
