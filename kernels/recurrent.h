// LSTM, GRU and tanh RNN: the recurrence behind the input projection.
//
//   rec = R h_{t-1} + b_h
//   LSTM  i, f, g, o = pre + rec;  c = s(f) c + s(i) tanh(g);  h = s(o) tanh(c)
//   GRU   r, z = s(pre + rec);  n = tanh(pre_n + r rec_n);  h = (1 - z) n + z h
//   tanh  h = tanh(pre + rec)                                             s: logistic function
//
// Shapes, all contiguous: pre [B,T,G d] = W x_t + b_i with the gates in torch's order (i f g o;
// r z n); R [G d, d]; b_h [G d] or null; h [B,T,d]; states [B,d]. G = 4, 3, 1. The input projection
// and its gradients are plain matrix products and not part of this. Forward leaves what backward
// needs in `saved` (savedElements numbers). Gradients of R and b_h are sums over batch and time.
// Bitwise repeatable for any number of threads; a batch entry does not depend on its neighbours.
// Sources: Hochreiter and Schmidhuber (1997) with the forget gate of Gers et al. (2000); Cho et al.
// (1406.1078) with the reset gate after the product, as cuDNN and torch have it.
#pragma once

#include <cstdint>

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

enum class Cell { kLstm, kGru, kTanh };

[[nodiscard]] constexpr int gatesOf(Cell cell) {
    return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1;
}

struct RecurrentShape {
    int batch = 0, steps = 0, hidden = 0;
};

struct RecurrentPlan : Plan {
    Cell cell = Cell::kLstm;
    RecurrentShape shape;
    std::size_t savedElements = 0;
};

template <class T>
struct RecurrentInputs {
    const T* pre = nullptr;
    const T* r = nullptr;
    const T* bias = nullptr;
    const T* initialH = nullptr;  ///< null: zero
    const T* initialC = nullptr;  ///< LSTM
};

template <class T>
struct RecurrentOutputs {
    T* h = nullptr;
    T* finalH = nullptr;  ///< null: not wanted
    T* finalC = nullptr;
    T* saved = nullptr;  ///< null: no backward will follow
};

template <class T>
struct RecurrentGradients {
    const T* gradH = nullptr;  ///< null: zero
    const T* gradFinalH = nullptr;
    const T* gradFinalC = nullptr;
    T* gradPre = nullptr;  ///< required
    T* gradR = nullptr;    ///< null: not wanted
    T* gradBias = nullptr;
    T* gradInitialH = nullptr;
    T* gradInitialC = nullptr;
};

[[nodiscard]] RecurrentPlan recurrentPlan(Cell cell, RecurrentShape shape, Isa isa = bestIsa(),
                                          bool doublePrecision = false) noexcept;
template <class T>
[[nodiscard]] Status recurrentForward(const RecurrentPlan& plan, const RecurrentInputs<T>& in,
                                      const RecurrentOutputs<T>& out, void* workspace,
                                      const Exec& exec = {}) noexcept;
/// `h` as forward wrote it.
template <class T>
[[nodiscard]] Status recurrentBackward(const RecurrentPlan& plan, const RecurrentInputs<T>& in,
                                       const T* h, const T* saved,
                                       const RecurrentGradients<T>& grad, void* workspace,
                                       const Exec& exec = {}) noexcept;
/// Without the input projection.
[[nodiscard]] Cost recurrentForwardCost(Cell cell, const RecurrentShape& shape) noexcept;
[[nodiscard]] Cost recurrentBackwardCost(Cell cell, const RecurrentShape& shape) noexcept;

}  // namespace lab::kernels
