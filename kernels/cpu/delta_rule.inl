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

    LAB_INLINE void packQueriesAndKeys(std::int64_t first, int tokens) const {
        for (int t = 0; t < tokens; ++t) {
            packRow<T>(table(at.q) + t * keyRow, rowOf(job.q, b, first + t, h), job.q.stride[3],
                       keyDim, T(1));
            if (gated) {
                table(at.gate)[t] = *rowOf(job.gate, b, first + t, h);
            }
        }
        for (int r = 0; r < tokens * factors; ++r) {
            const std::int64_t row = first * factors + r;
            packRow<T>(table(at.k) + r * keyRow, rowOf(job.k, b, row, h), job.k.stride[3], keyDim,
                       T(1));
            table(at.beta)[r] = *rowOf(job.beta, b, row, h);
        }
        if (normalised) {
            normaliseRows<T>(table(at.q), tokens, keyRow, job.epsilon, table(at.inverseQ));
            normaliseRows<T>(table(at.k), tokens * factors, keyRow, job.epsilon,
                             table(at.inverseK));
        }
        for (int t = 0; gated && t < tokens; t += kLanes<T>) {
            store<T>(table(at.gate) + t, exponential<T>(load<T>(table(at.gate) + t)));
        }
    }
    LAB_INLINE void packValues(std::int64_t first, int tokens) const {
        for (int r = 0; r < tokens * factors; ++r) {
            packRow<T>(table(at.value) + r * valueRow, rowOf(job.v, b, first * factors + r, h),
                       job.v.stride[3], valueDim, T(1));
        }
    }
    /// What the backward sweeps read besides q and k: scale dO, r, and u = beta r.
    LAB_INLINE void packBackward(std::int64_t first, int tokens) const {
        packQueriesAndKeys(first, tokens);
        for (int t = 0; t < tokens; ++t) {
            T* const to = table(at.outGrad) + t * valueRow;
            if (job.gradO.data != nullptr) {
                packRow<T>(to, rowOf(job.gradO, b, first + t, h), job.gradO.stride[3], valueDim,
                           job.scale);
            } else {
                zeroRow<T>(to, valueRow);
            }
        }
        for (int r = 0; r < tokens * factors; ++r) {
            T* const residual = table(at.residual) + r * valueRow;
            packRow<T>(residual, job.savedResidual + residualOffset(first * factors + r), 1,
                       valueDim, T(1));
            const Vec<T> beta = broadcast<T>(table(at.beta)[r]);
            for (int i = 0; i < valueRow; i += kLanes<T>) {
                store<T>(table(at.update) + r * valueRow + i, beta * load<T>(residual + i));
            }
        }
    }

    /// `state` [K, padded V] from a contiguous [K, V] (null: zero).
    LAB_INLINE void loadState(T* state, const T* from) const {
        for (int i = 0; i < keyDim; ++i) {
            if (from != nullptr) {
                packRow<T>(state + i * valueRow, from + i * valueDim, 1, valueDim, T(1));
            } else {
                zeroRow<T>(state + i * valueRow, valueRow);
            }
        }
    }
    /// `state` [V, padded K] from the same.
    LAB_INLINE void loadTransposed(T* state, const T* from) const {
        for (int j = 0; j < valueDim; ++j) {
            if (from != nullptr) {
                packRow<T>(state + j * keyRow, from + j, valueDim, keyDim, T(1));
            } else {
                zeroRow<T>(state + j * keyRow, keyRow);
            }
        }
    }
    LAB_INLINE void storeState(T* to, const T* state) const {
        for (int i = 0; i < keyDim; ++i) {
            unpackRow<T>(to + i * valueDim, state + i * valueRow, valueDim);
        }
    }
    LAB_INLINE void storeTransposed(T* to, const T* state) const {
        for (int j = 0; j < valueDim; ++j) {
            for (int i = 0; i < keyDim; ++i) {
                to[i * valueDim + j] = state[j * keyRow + i];
            }
        }
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
                const auto minus = scaled<T, L>(T(-1), dr);
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
        for (int t = 0; t < tokens; ++t) {
            unpackRow<T>(rowOf(job.o, b, first + t, h), table(at.out) + t * valueRow, valueDim);
            if (job.stateNorm != nullptr) {
                job.stateNorm[(b * job.steps + first + t) * job.heads + h] =
                    static_cast<float>(__builtin_sqrt(static_cast<double>(table(at.norm)[t])));
            }
        }
        for (int r = 0; job.residual != nullptr && r < tokens * factors; ++r) {
            unpackRow<T>(job.residual + residualOffset(first * factors + r),
                         table(at.value) + r * valueRow, valueDim);
        }
    }

    void reverseTile(std::int64_t first, int tokens, bool deep) const {
        packBackward(first, tokens);
        for (int r = 0; r < tokens * factors; ++r) {
            table(at.dots)[r] = T(0);
        }
        forEachStrip<T, kValueVectors>(
            valueRow / kLanes<T>, [&]<int L>(int lane) { sweepValues<L>(lane, first, tokens); });
        if (deep) {
            forEachStrip<T, kKeyVectors>(
                keyRow / kLanes<T>, [&]<int L>(int lane) { sweepKeys<L>(lane, first, tokens); });
        }
        for (int r = 0; r < tokens * factors; ++r) {
            const std::int64_t row = first * factors + r;
            if (job.gradV.data != nullptr) {
                unpackRow<T>(rowOf(job.gradV, b, row, h),
                             table(at.allResidualGrad) + row * valueRow, valueDim);
            }
            if (job.gradBeta.data != nullptr) {
                *rowOf(job.gradBeta, b, row, h) = table(at.dots)[r];
            }
        }
    }

    void rebuildTile(std::int64_t first, int tokens) const {
        packBackward(first, tokens);
        forEachStrip<T, kKeyVectors>(
            keyRow / kLanes<T>, [&]<int L>(int lane) { sweepRebuild<L>(lane, first, tokens); });
        if (job.gradGate.data != nullptr) {
            gateTerms(first, tokens);
        }
        for (int t = 0; job.gradQ.data != nullptr && t < tokens; ++t) {
            T* const row = table(at.queryGrad) + t * keyRow;
            if (normalised) {
                normaliseGradient<T>(row, table(at.q) + t * keyRow, keyRow, table(at.inverseQ)[t]);
            }
            unpackRow<T>(rowOf(job.gradQ, b, first + t, h), row, keyDim);
        }
        for (int r = 0; job.gradK.data != nullptr && r < tokens * factors; ++r) {
            T* const row = table(at.allKeyGrad) + (first * factors + r) * keyRow;
            if (normalised) {
                normaliseGradient<T>(row, table(at.k) + r * keyRow, keyRow, table(at.inverseK)[r]);
            }
            unpackRow<T>(rowOf(job.gradK, b, first * factors + r, h), row, keyDim);
        }
    }

    /// Gate gradients telescope, since o and S are linear in (S_0, v):
    ///   dg_t = <dS_T, S_T> + sum_{s >= t} (<do_s, o_s> - sum_j <dv_sj, v_sj>).
    /// Here the term of token s, with <do, o> = <dq, q>; finishGate takes the suffix sums.
    void gateTerms(std::int64_t first, int tokens) const {
        packValues(first, tokens);
        for (int t = 0; t < tokens; ++t) {
            T term = dotRows<T>(table(at.queryGrad) + t * keyRow, table(at.q) + t * keyRow, keyRow);
            for (int j = 0; j < factors; ++j) {
                const std::int64_t row = (first + t) * factors + j;
                term -= dotRows<T>(table(at.allResidualGrad) + row * valueRow,
                                   table(at.value) + (t * factors + j) * valueRow, valueRow);
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
