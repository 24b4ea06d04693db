// The delta rule of one (batch, head): kernels/delta_rule.h has the mathematics.
//
// Tokens are taken in tiles: rows are packed (and q, k normalised) into padded tables, a sweep runs
// over the tile with the state in a panel, results are unpacked. Backward makes three sweeps, so
// that no sum ever crosses lanes: reverse with dS as [K, V] for du = dS^T k, reverse once more with
// dS as [V, K] for dk = dS u (du is known by then), and forward with S as [V, K] rebuilt from the
// residuals for dk -= S dr and dq = S do. The rebuilt S has the bits of the forward one: its
// elements go through the same fused multiply-adds.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/panel.inl"
#include "kernels/cpu/rows.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

/// One item and its tables; K, V = 0: extents known at run time.
template <class T, int K, int V>
struct DeltaItem {
    using KeyRows = Rows<T, K>;
    using ValueRows = Rows<T, V>;
    static constexpr int kKeyVectors = (K + kLanes<T> - 1) / kLanes<T>;
    static constexpr int kValueVectors = (V + kLanes<T> - 1) / kLanes<T>;
    const cpu::DeltaJob<T>& job;
    std::int64_t b, h;
    int keyDim, valueDim, keyRow, valueRow, factors;
    bool gated, normalised;
    cpu::DeltaScratch at;
    T* scratch;

    LAB_INLINE DeltaItem(const cpu::DeltaJob<T>& call, std::int64_t item, T* memory, bool backward)
        : job(call),
          b(item / call.heads),
          h(item % call.heads),
          keyDim(K > 0 ? K : call.keyDim),
          valueDim(V > 0 ? V : call.valueDim),
          keyRow(cpu::paddedTo(kLanes<T>, keyDim)),
          valueRow(cpu::paddedTo(kLanes<T>, valueDim)),
          factors(call.householders),
          gated(call.gate.data != nullptr),
          normalised(call.epsilon >= T(0)),
          at(cpu::deltaScratch(
              {call.steps, keyDim, valueDim, call.householders, call.tileSteps, kLanes<T>},
              backward)),
          scratch(memory) {}

    [[nodiscard]] LAB_INLINE T* table(std::size_t offset) const { return scratch + offset; }
    [[nodiscard]] LAB_INLINE std::int64_t stateOffset() const {
        return (b * job.heads + h) * keyDim * valueDim;
    }
    /// Of row `t * factors + j` in the contiguous residual.
    [[nodiscard]] LAB_INLINE std::int64_t residualOffset(std::int64_t row) const {
        return ((b * job.steps * factors + row) * job.heads + h) * valueDim;
    }

    /// `count` numbers of a view without channels, from row `first` on.
    LAB_INLINE void packScalars(T* to, const cpu::Strided<const T>& from, std::int64_t first,
                                int count) const {
        const T* number = rowOf(from, b, first, h);
        for (int i = 0; i < count; ++i, number += from.stride[1]) {
            to[i] = *number;
        }
    }
    void packQueriesAndKeys(std::int64_t first, int tokens) const {
        const std::int64_t row = first * factors;
        const int rows = tokens * factors;
        KeyRows::pack(table(at.q), rowOf(job.q, b, first, h), job.q.stride[1], job.q.stride[3],
                      tokens, keyDim, T(1));
        KeyRows::pack(table(at.k), rowOf(job.k, b, row, h), job.k.stride[1], job.k.stride[3], rows,
                      keyDim, T(1));
        packScalars(table(at.beta), job.beta, row, rows);
        if (normalised) {
            KeyRows::normalise(table(at.q), tokens, keyDim, job.epsilon, table(at.inverseQ));
            KeyRows::normalise(table(at.k), rows, keyDim, job.epsilon, table(at.inverseK));
        }
        if (gated) {
            packScalars(table(at.gate), job.gate, first, tokens);
            for (int t = 0; t < tokens; t += kLanes<T>) {
                store<T>(table(at.gate) + t, exponential<T>(load<T>(table(at.gate) + t)));
            }
        }
    }
    LAB_INLINE void packValues(std::int64_t first, int tokens) const {
        ValueRows::pack(table(at.value), rowOf(job.v, b, first * factors, h), job.v.stride[1],
                        job.v.stride[3], tokens * factors, valueDim, T(1));
    }
    /// What the backward sweeps read besides q and k: scale dO, r, and u = beta r.
    void packBackward(std::int64_t first, int tokens) const {
        packQueriesAndKeys(first, tokens);
        ValueRows::pack(table(at.outGrad),
                        job.gradO.data == nullptr ? nullptr : rowOf(job.gradO, b, first, h),
                        job.gradO.stride[1], job.gradO.stride[3], tokens, valueDim, job.scale);
        ValueRows::pack(table(at.residual), job.savedResidual + residualOffset(first * factors),
                        job.heads * valueDim, 1, tokens * factors, valueDim, T(1));
        ValueRows::scale(table(at.update), table(at.residual), table(at.beta), tokens * factors,
                         valueDim);
    }

    /// `state` [K, padded V] from a contiguous [K, V] (null: zero).
    LAB_INLINE void loadState(T* state, const T* from) const {
        ValueRows::pack(state, from, valueDim, 1, keyDim, valueDim, T(1));
    }
    /// `state` [V, padded K] from the same.
    LAB_INLINE void loadTransposed(T* state, const T* from) const {
        KeyRows::pack(state, from, 1, valueDim, valueDim, keyDim, T(1));
    }
    LAB_INLINE void storeState(T* to, const T* state) const {
        ValueRows::unpack(to, valueDim, state, keyDim, valueDim);
    }
    LAB_INLINE void storeTransposed(T* to, const T* state) const {
        for (int j = 0; j < valueDim; ++j) {
            for (int i = 0; i < keyDim; ++i) {
                to[i * valueDim + j] = state[j * keyRow + i];
            }
        }
    }
    LAB_INLINE void unpackTo(const cpu::Strided<T>& to, std::int64_t row, const T* from,
                             int rows) const {
        ValueRows::unpack(rowOf(to, b, row, h), to.stride[1], from, rows, valueDim);
    }

    template <int L>
    void sweepForward(int lane, int tokens) const {
        Panel<T, K, L> state(table(at.state) + lane, keyDim, valueRow);
        const bool wantsNorm = job.stateNorm != nullptr;
        for (int t = 0; t < tokens; ++t) {
            const T* key = table(at.k) + t * factors * keyRow;
            T* value = table(at.value) + t * factors * valueRow + lane;
            const T* const beta = table(at.beta) + t * factors;
            if (gated) {
                state.multiply(table(at.gate)[t]);
            }
            auto seen = state.read(key);
            for (int j = 0; j < factors; ++j) {
                const auto residual = difference<T, L>(loadRow<T, L>(value), seen);
                storeRow<T, L>(value, residual);
                const T* const next = j + 1 < factors ? key + keyRow : table(at.q) + t * keyRow;
                seen = state.addAndRead(key, scaled<T, L>(beta[j], residual), next);
                key += keyRow;
                value += valueRow;
            }
            storeRow<T, L>(table(at.out) + t * valueRow + lane, scaled<T, L>(job.scale, seen));
            if (wantsNorm) {
                table(at.norm)[t] += state.squaredNorm();
            }
        }
        state.flush();
    }

    /// Reverse, dS as [K, V]: residual gradients dr = beta du (they are dv) and dots = <du, r>.
    template <int L>
    void sweepValues(int lane, std::int64_t first, int tokens) const {
        Panel<T, K, L> grad(table(at.stateGrad) + lane, keyDim, valueRow);
        T* const allDr = table(at.allResidualGrad) + first * factors * valueRow + lane;
        for (int t = tokens - 1; t >= 0; --t) {
            int r = t * factors + factors - 1;
            const T* key = table(at.k) + r * keyRow;
            auto du = grad.addAndRead(table(at.q) + t * keyRow,
                                      loadRow<T, L>(table(at.outGrad) + t * valueRow + lane), key);
            for (int j = factors - 1; j >= 0; --j, --r) {
                const auto residual = loadRow<T, L>(table(at.residual) + r * valueRow + lane);
                table(at.dots)[r] += dot<T, L>(du, residual);
                const auto dr = scaled<T, L>(table(at.beta)[r], du);
                storeRow<T, L>(allDr + r * valueRow, dr);
                const auto minus = scaled<T, L>(-table(at.beta)[r], du);
                if (j > 0) {
                    du = grad.addAndRead(key, minus, key - keyRow);
                } else {
                    grad.add(key, minus);
                }
                key -= keyRow;
            }
            if (gated) {
                grad.multiply(table(at.gate)[t]);
            }
        }
        grad.flush();
    }

    /// Reverse once more, dS as [V, K]: the first half of the key gradients, dS u.
    template <int L>
    void sweepKeys(int lane, std::int64_t first, int tokens) const {
        Panel<T, V, L> grad(table(at.stateGradTransposed) + lane, valueDim, keyRow);
        const T* const allDr = table(at.allResidualGrad) + first * factors * valueRow;
        T* const allDk = table(at.allKeyGrad) + first * factors * keyRow + lane;
        for (int t = tokens - 1; t >= 0; --t) {
            int r = t * factors + factors - 1;
            const T* update = table(at.update) + r * valueRow;
            auto dk = grad.addAndRead(table(at.outGrad) + t * valueRow,
                                      loadRow<T, L>(table(at.q) + t * keyRow + lane), update);
            for (int j = factors - 1; j >= 0; --j, --r) {
                storeRow<T, L>(allDk + r * keyRow, dk);
                const auto minus =
                    scaled<T, L>(T(-1), loadRow<T, L>(table(at.k) + r * keyRow + lane));
                update -= valueRow;
                if (j > 0) {
                    dk = grad.addAndRead(allDr + r * valueRow, minus, update);
                } else {
                    grad.add(allDr + r * valueRow, minus);
                }
            }
            if (gated) {
                grad.multiply(table(at.gate)[t]);
            }
        }
        grad.flush();
    }

    /// Forward, S as [V, K], rebuilt: dk -= S dr before each factor, dq = S (scale do) after them.
    template <int L>
    void sweepRebuild(int lane, std::int64_t first, int tokens) const {
        Panel<T, V, L> state(table(at.state) + lane, valueDim, keyRow);
        const T* dr = table(at.allResidualGrad) + first * factors * valueRow;
        T* dk = table(at.allKeyGrad) + first * factors * keyRow + lane;
        const T* key = table(at.k) + lane;
        const T* update = table(at.update);
        for (int t = 0; t < tokens; ++t) {
            if (gated) {
                state.multiply(table(at.gate)[t]);
            }
            auto seen = state.read(dr);
            for (int j = 0; j < factors; ++j) {
                storeRow<T, L>(dk, difference<T, L>(loadRow<T, L>(dk), seen));
                const T* const next =
                    j + 1 < factors ? dr + valueRow : table(at.outGrad) + t * valueRow;
                seen = state.addAndRead(update, loadRow<T, L>(key), next);
                dr += valueRow;
                dk += keyRow;
                key += keyRow;
                update += valueRow;
            }
            storeRow<T, L>(table(at.queryGrad) + t * keyRow + lane, seen);
        }
        state.flush();
    }

    void forwardTile(std::int64_t first, int tokens) const {
        packQueriesAndKeys(first, tokens);
        packValues(first, tokens);
        for (int t = 0; t < tokens; ++t) {
            table(at.norm)[t] = T(0);
        }
        forEachStrip<T, kValueVectors>(valueRow / kLanes<T>,
                                       [&]<int L>(int lane) { sweepForward<L>(lane, tokens); });
        unpackTo(job.o, first, table(at.out), tokens);
        for (int t = 0; job.stateNorm != nullptr && t < tokens; ++t) {
            job.stateNorm[(b * job.steps + first + t) * job.heads + h] =
                static_cast<float>(__builtin_sqrt(static_cast<double>(table(at.norm)[t])));
        }
        if (job.residual != nullptr) {
            ValueRows::unpack(job.residual + residualOffset(first * factors), job.heads * valueDim,
                              table(at.value), tokens * factors, valueDim);
        }
    }

    void reverseTile(std::int64_t first, int tokens, bool deep) const {
        packBackward(first, tokens);
        const std::int64_t row = first * factors;
        const int rows = tokens * factors;
        for (int r = 0; r < rows; ++r) {
            table(at.dots)[r] = T(0);
        }
        forEachStrip<T, kValueVectors>(
            valueRow / kLanes<T>, [&]<int L>(int lane) { sweepValues<L>(lane, first, tokens); });
        if (deep) {
            forEachStrip<T, kKeyVectors>(
                keyRow / kLanes<T>, [&]<int L>(int lane) { sweepKeys<L>(lane, first, tokens); });
        }
        if (job.gradV.data != nullptr) {
            unpackTo(job.gradV, row, table(at.allResidualGrad) + row * valueRow, rows);
        }
        for (int r = 0; job.gradBeta.data != nullptr && r < rows; ++r) {
            *rowOf(job.gradBeta, b, row + r, h) = table(at.dots)[r];
        }
    }

    void rebuildTile(std::int64_t first, int tokens) const {
        packBackward(first, tokens);
        forEachStrip<T, kKeyVectors>(
            keyRow / kLanes<T>, [&]<int L>(int lane) { sweepRebuild<L>(lane, first, tokens); });
        if (job.gradGate.data != nullptr) {
            gateTerms(first, tokens);
        }
        if (job.gradQ.data != nullptr) {
            giveKeyGradients(job.gradQ, first, table(at.queryGrad), table(at.q), table(at.inverseQ),
                             tokens);
        }
        if (job.gradK.data != nullptr) {
            const std::int64_t row = first * factors;
            giveKeyGradients(job.gradK, row, table(at.allKeyGrad) + row * keyRow, table(at.k),
                             table(at.inverseK), tokens * factors);
        }
    }
    LAB_INLINE void giveKeyGradients(const cpu::Strided<T>& to, std::int64_t row, T* gradient,
                                     const T* unit, const T* inverse, int rows) const {
        if (normalised) {
            KeyRows::normaliseGradients(gradient, unit, inverse, rows, keyDim);
        }
        KeyRows::unpack(rowOf(to, b, row, h), to.stride[1], gradient, rows, keyDim);
    }

    /// Gate gradients telescope, since o and S are linear in (S_0, v):
    ///   dg_t = <dS_T, S_T> + sum_{s >= t} (<do_s, o_s> - sum_j <dv_sj, v_sj>).
    /// Here the term of token s, with <do, o> = <dq, q>; finishGate takes the suffix sums.
    void gateTerms(std::int64_t first, int tokens) const {
        packValues(first, tokens);
        for (int t = 0; t < tokens; ++t) {
            T term =
                KeyRows::dot(table(at.queryGrad) + t * keyRow, table(at.q) + t * keyRow, keyDim);
            for (int j = 0; j < factors; ++j) {
                const std::int64_t row = (first + t) * factors + j;
                term -= ValueRows::dot(table(at.allResidualGrad) + row * valueRow,
                                       table(at.value) + (t * factors + j) * valueRow, valueDim);
            }
            *rowOf(job.gradGate, b, first + t, h) = term;
        }
    }
    void finishGate() const {
        double suffix = 0.0;
        for (int i = 0; job.gradFinalState != nullptr && i < keyDim; ++i) {
            for (int j = 0; j < valueDim; ++j) {
                suffix +=
                    static_cast<double>(job.gradFinalState[stateOffset() + i * valueDim + j]) *
                    static_cast<double>(table(at.state)[j * keyRow + i]);
            }
        }
        for (std::int64_t t = job.steps - 1; t >= 0; --t) {
            T* const term = rowOf(job.gradGate, b, t, h);
            suffix += static_cast<double>(*term);
            *term = static_cast<T>(suffix);
        }
    }
};

template <class T, int K, int V>
void deltaForwardItem(const cpu::DeltaJob<T>& job, std::int64_t index, T* scratch) {
    const FlushDenormals flush;
    const DeltaItem<T, K, V> item(job, index, scratch, false);
    T* const state = item.table(item.at.state);
    item.loadState(state,
                   job.initialState == nullptr ? nullptr : job.initialState + item.stateOffset());
    for (std::int64_t first = 0; first < job.steps; first += job.tileSteps) {
        const std::int64_t left = job.steps - first;
        item.forwardTile(first, left < job.tileSteps ? static_cast<int>(left) : job.tileSteps);
    }
    if (job.finalState != nullptr) {
        item.storeState(job.finalState + item.stateOffset(), state);
    }
}

template <class T, int K, int V>
void deltaBackwardItem(const cpu::DeltaJob<T>& job, std::int64_t index, T* scratch) {
    const FlushDenormals flush;
    const DeltaItem<T, K, V> item(job, index, scratch, true);
    const T* const finalGrad =
        job.gradFinalState == nullptr ? nullptr : job.gradFinalState + item.stateOffset();
    const bool deep = job.gradQ.data != nullptr || job.gradK.data != nullptr ||
                      job.gradGate.data != nullptr || job.rebuiltFinalState != nullptr;
    item.loadState(item.table(item.at.stateGrad), finalGrad);
    item.loadTransposed(item.table(item.at.stateGradTransposed), finalGrad);
    const std::int64_t tiles = (job.steps + job.tileSteps - 1) / job.tileSteps;
    for (std::int64_t tile = tiles - 1; tile >= 0; --tile) {
        const std::int64_t first = tile * job.tileSteps;
        const std::int64_t left = job.steps - first;
        item.reverseTile(first, left < job.tileSteps ? static_cast<int>(left) : job.tileSteps,
                         deep);
    }
    if (job.gradInitialState != nullptr) {
        item.storeState(job.gradInitialState + item.stateOffset(), item.table(item.at.stateGrad));
    }
    if (!deep) {
        return;
    }
    item.loadTransposed(item.table(item.at.state), job.initialState == nullptr
                                                       ? nullptr
                                                       : job.initialState + item.stateOffset());
    for (std::int64_t first = 0; first < job.steps; first += job.tileSteps) {
        const std::int64_t left = job.steps - first;
        item.rebuildTile(first, left < job.tileSteps ? static_cast<int>(left) : job.tileSteps);
    }
    if (job.rebuiltFinalState != nullptr) {
        item.storeTransposed(job.rebuiltFinalState + item.stateOffset(), item.table(item.at.state));
    }
    if (job.gradGate.data != nullptr) {
        item.finishGate();
    }
}

}  // namespace
}  // namespace lab::kernels
