// The operations of recurrent.h, one step after the other in LibTorch's plain operators.
#include "core/ops/recurrent_loops.h"

#include "core/ops/recurrent_steps.h"

namespace lab::ops {

LstmResult lstmLoop(const at::Tensor& x, const at::Tensor& recurrent, const at::Tensor& h0,
                    const at::Tensor& c0) {
    at::Tensor h = h0;
    at::Tensor c = c0;
    std::vector<at::Tensor> hs;
    std::vector<at::Tensor> cs;
    std::vector<at::Tensor> gates;
    for (const at::Tensor& step : stepsOf(x)) {
        const auto pre = at::addmm(step, h, recurrent.t()).chunk(4, 1);
        const at::Tensor i = at::sigmoid(pre[0]);
        const at::Tensor f = at::sigmoid(pre[1]);
        const at::Tensor g = at::tanh(pre[2]);
        const at::Tensor o = at::sigmoid(pre[3]);
        c = f * c + i * g;
        h = o * at::tanh(c);
        hs.push_back(h);
        cs.push_back(c);
        gates.push_back(at::cat({i, f, g, o}, 1).detach());
    }
    return {.h = at::stack(hs, 1), .c = at::stack(cs, 1), .gates = at::stack(gates, 1)};
}

GruResult gruLoop(const at::Tensor& x, const at::Tensor& recurrent, const at::Tensor& candidateBias,
                  const at::Tensor& h0) {
    at::Tensor h = h0;
    std::vector<at::Tensor> hs;
    std::vector<at::Tensor> gates;
    for (const at::Tensor& step : stepsOf(x)) {
        const auto fromX = step.chunk(3, 1);
        const auto fromH = at::mm(h, recurrent.t()).chunk(3, 1);
        const at::Tensor r = at::sigmoid(fromX[0] + fromH[0]);
        const at::Tensor z = at::sigmoid(fromX[1] + fromH[1]);
        const at::Tensor n = at::tanh(fromX[2] + r * (fromH[2] + candidateBias));
        h = (1 - z) * n + z * h;
        hs.push_back(h);
        gates.push_back(at::cat({r, z, n}, 1).detach());
    }
    return {.h = at::stack(hs, 1), .gates = at::stack(gates, 1)};
}

at::Tensor tanhRnnLoop(const at::Tensor& x, const at::Tensor& recurrent, const at::Tensor& h0) {
    at::Tensor h = h0;
    std::vector<at::Tensor> hs;
    for (const at::Tensor& step : stepsOf(x)) {
        h = at::tanh(at::addmm(step, h, recurrent.t()));
        hs.push_back(h);
    }
    return at::stack(hs, 1);
}

}  // namespace lab::ops
