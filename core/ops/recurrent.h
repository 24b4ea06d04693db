// LSTM, GRU, tanh RNN and sLSTM over whole sequences as one differentiable operation (formulas:
// kernels/recurrent.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <string>

#include "core/ops/execution.h"
#include "kernels/recurrent.h"

namespace lab::ops {

/// What is carried beside h, [batch, width] each: c of an LSTM; c, n, m of an sLSTM.
using CellStates = std::array<at::Tensor, kernels::kMaxCellStates>;

struct RecurrentArguments {
    at::Tensor x;          ///< [batch, steps, gates width]: W x + b of every step, gates in order
    at::Tensor recurrent;  ///< R [gates width, width]
    at::Tensor bias{};     ///< [gates width], added to R h; undefined: none
    at::Tensor h0;         ///< [batch, width]
    CellStates cell0{};
};

struct RecurrentResult {
    at::Tensor h;          ///< [batch, steps, width]
    CellStates finalCell;  ///< of an sLSTM without gradients
    at::Tensor gates;      ///< [batch, steps, gates width], activated, when asked for; no gradient.
                           ///< The tanh RNN has none.
    at::Tensor c;          ///< [batch, steps, width] of the cells that have one, when asked for; no
                           ///< gradient
};

/// CPU: our kernel. CUDA: the loop of recurrent_loops.h. x needs at least one step.
[[nodiscard]] RecurrentResult recurrent(kernels::Cell cell, const RecurrentArguments& in,
                                        const Execution& execution = {}, bool wantsGates = false);

/// Which variant of the kernel runs, e.g. "lstm.avx512.any".
[[nodiscard]] std::string recurrentKernelName(kernels::Cell cell, std::int64_t width,
                                              bool doublePrecision);

}  // namespace lab::ops
