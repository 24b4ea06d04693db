// LSTM, GRU, tanh RNN and sLSTM: the recurrence behind the input projection.
//
//   rec = R h_{t-1} + b_h
//   LSTM  i, f, g, o = pre + rec;  c = s(f) c + s(i) tanh(g);  h = s(o) tanh(c)
//   GRU   r, z = s(pre + rec);  n = tanh(pre_n + r rec_n);  h = (1 - z) n + z h
//   tanh  h = tanh(pre + rec)                                             s: logistic function
//   sLSTM i, f, z, o = pre + rec;  m' = max(log s(f) + m, i);  i' = e^(i - m');
//         f' = e^(log s(f) + m - m');  c = f' c + i' tanh(z);  n = f' n + i';  h = s(o) c / n
//
// Shapes, all contiguous: pre [B,T,G d] = W x_t + b_i with the gates in torch's order (i f g o;
// r z n; sLSTM i f z o); R [G d, d]; b_h [G d] or null; h [B,T,d]; states [B,d]. G = 4, 3, 1, 4.
// The input projection and its gradients are plain matrix products and not part of this. Heads of
// their own are blocks on the diagonal of each gate's part of R.
//
// An sLSTM carries c, n and m. c e^m and n e^m are what they stand for, m is only their unit, so
// differentiation takes it as a constant: gradients of a chain of calls are those of one call.
// Without initial states m starts at kNoCellUnit, as good as -infinity: the first input gate is
// 1, and n >= 1 from then on.
// Forward leaves what backward
// needs in `saved` (savedElements numbers). Gradients of R and b_h are sums over batch and time.
// Bitwise repeatable for any number of threads; a batch entry does not depend on its neighbours.
// Sources: Hochreiter and Schmidhuber (1997) with the forget gate of Gers et al. (2000); Cho et al.
// (1406.1078) with the reset gate after the product, as cuDNN and torch have it; Beck et al.,
// "xLSTM" (2405.04517), eqs. 8-17.
#pragma once

#include <cstdint>

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

enum class Cell { kLstm, kGru, kTanh, kSlstm };

[[nodiscard]] constexpr int gatesOf(Cell cell) {
    return cell == Cell::kGru ? 3 : cell == Cell::kTanh ? 1 : 4;
}
/// Vectors carried beside h: c; c, n, m.
constexpr int kMaxCellStates = 3;
constexpr double kNoCellUnit = -1e30;  ///< m of an sLSTM that has read nothing
[[nodiscard]] constexpr int cellStatesOf(Cell cell) {
    return cell == Cell::kLstm ? 1 : cell == Cell::kSlstm ? 3 : 0;
}

/// Rows of `saved` a token, each padded to whole vectors: i f g o c; r z n (R_n h + b_n); h;
/// i' f' z o s(-f) c n.
[[nodiscard]] constexpr int savedRowsOf(Cell cell) {
    return cell == Cell::kLstm ? 5 : cell == Cell::kGru ? 4 : cell == Cell::kTanh ? 1 : 7;
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
    const T* initialH = nullptr;                ///< null: zero
    const T* initialCell[kMaxCellStates] = {};  ///< LSTM: c; sLSTM: c, n, m, all or none
};

template <class T>
struct RecurrentOutputs {
    T* h = nullptr;
    T* finalH = nullptr;  ///< null: not wanted
    T* finalCell[kMaxCellStates] = {};
    T* saved = nullptr;  ///< null: no backward will follow
};

template <class T>
struct RecurrentGradients {
    const T* gradH = nullptr;  ///< null: zero
    const T* gradFinalH = nullptr;
    const T* gradFinalCell[2] = {};  ///< c; c, n
    T* gradPre = nullptr;            ///< required
    T* gradR = nullptr;              ///< null: not wanted
    T* gradBias = nullptr;
    T* gradInitialH = nullptr;
    T* gradInitialCell[2] = {};
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
