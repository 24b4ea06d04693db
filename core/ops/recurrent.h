// LSTM, GRU and tanh RNN over whole sequences, each one differentiable operation.
//
// x holds the input projections of every step, biases included, [batch, steps, gates * width]; the
// recurrent matrix R is [gates * width, width]. Rows are in LibTorch's order:
//   LSTM i f g o:  c = sigmoid(f) c + sigmoid(i) tanh(g),  h = sigmoid(o) tanh(c)
//   GRU  r z n:    n = tanh(x_n + r (R_n h + b)),  h = (1 - z) n + z h
//   tanh:          h = tanh(x + R h)
// Source: Hochreiter and Schmidhuber, "Long Short-Term Memory" (1997), with forget gates of Gers et
// al. (2000); Cho et al. (1406.1078), the reset gate after the product as cuDNN has it; Elman
// (1990).
#pragma once

#include <ATen/core/Tensor.h>

namespace lab::ops {

struct LstmResult {
    at::Tensor h;      ///< [batch, steps, width]
    at::Tensor c;      ///< [batch, steps, width]
    at::Tensor gates;  ///< [batch, steps, 4 width], activated; no gradient
};
struct GruResult {
    at::Tensor h;
    at::Tensor gates;  ///< [batch, steps, 3 width], activated; no gradient
};

/// h0, c0 [batch, width].
[[nodiscard]] LstmResult lstm(const at::Tensor& x, const at::Tensor& recurrent,
                              const at::Tensor& h0, const at::Tensor& c0);
/// candidateBias [width] is b.
[[nodiscard]] GruResult gru(const at::Tensor& x, const at::Tensor& recurrent,
                            const at::Tensor& candidateBias, const at::Tensor& h0);
[[nodiscard]] at::Tensor tanhRnn(const at::Tensor& x, const at::Tensor& recurrent,
                                 const at::Tensor& h0);

}  // namespace lab::ops
