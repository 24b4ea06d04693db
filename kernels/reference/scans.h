// The recurrences as their formulas say, in float64, with gradients from the tape: oracles for
// tests and benches. Shares nothing with the kernels, not even their types. Arrays are contiguous
// with the shapes of the kernel headers; an empty array is an absent argument, an empty upstream
// array is zero.
#pragma once

#include "kernels/reference/tape.h"

namespace lab::kernels::reference {

struct ScanExtent {
    int batch = 1, steps = 0, heads = 1, keyDim = 1, valueDim = 1, groups = 1;
};

/// Inputs q, k, v, log gate ([B,T,H,K], [B,T,H] or empty), initial state; outputs o, final state.
[[nodiscard]] Answer gatedLinearAttention(const ScanExtent& extent, double scale,
                                          const std::vector<Numbers>& inputs,
                                          const std::vector<Numbers>& upstream);

/// Inputs x, Delta, A, B, C, D, initial state; outputs y, final state. keyDim N, valueDim P.
[[nodiscard]] Answer ssd(const ScanExtent& extent, const std::vector<Numbers>& inputs,
                         const std::vector<Numbers>& upstream);

/// Inputs u, raw delta, z, A, B, C, D, bias, initial state; outputs out, final state. heads:
/// channels, keyDim: states a channel.
[[nodiscard]] Answer selectiveScan(const ScanExtent& extent, bool withSoftplus,
                                   const std::vector<Numbers>& inputs,
                                   const std::vector<Numbers>& upstream);

enum class CellKind { kLstm, kGru, kTanh, kSlstm };
/// Inputs pre, R, bias, h_0, c_0 (n_0, m_0); outputs h, final h, final c (LSTM), final c, n, m
/// (sLSTM, whose m counts as a constant). keyDim: hidden units.
[[nodiscard]] Answer recurrent(CellKind cell, const ScanExtent& extent,
                               const std::vector<Numbers>& inputs,
                               const std::vector<Numbers>& upstream);

/// Inputs q [B,T,H,K], k [B,T,G,K], v [B,T,G,V]; output o [B,T,H,V]. Head h reads group
/// h / (H / G); a query sees the last `window` keys, its own included (0: all before).
[[nodiscard]] Answer attention(const ScanExtent& extent, double scale, int window,
                               const std::vector<Numbers>& inputs,
                               const std::vector<Numbers>& upstream);

}  // namespace lab::kernels::reference
