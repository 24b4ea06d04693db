// Linear attention whose state decays by a diagonal, for one (batch, group of heads):
// kernels/gated_linear_attention.h and kernels/ssd.h have the mathematics.
//
// Tiles of tokens as in delta_rule.inl. Backward makes three sweeps and never sums across lanes:
// reverse with dS as [K, V] for dv = dS^T k, reverse with dS as [V, K] for dk = dS v, and forward
// with S as [V, K] rebuilt for dq = S do. The decay of a step is applied by the pass that comes
// after it in the direction of the sweep.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/panel.inl"
#include "kernels/cpu/rows.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

template <class T, int K, int V>
struct LinearAttentionItem {
    using KeyRows = Rows<T, K>;
    using ValueRows = Rows<T, V>;
    static constexpr int kKeyVectors = (K + kLanes<T> - 1) / kLanes<T>;
    static constexpr int kValueVectors = (V + kLanes<T> - 1) / kLanes<T>;
    const cpu::LinearAttentionJob<T>& job;
    std::int64_t b, g;
    std::int64_t h = 0;  ///< the head at work
    int keyDim, valueDim, keyRow, valueRow;
    bool gated, ssd;
    cpu::LinearAttentionScratch at;
    T* scratch;

    LAB_INLINE LinearAttentionItem(const cpu::LinearAttentionJob<T>& call, std::int64_t item,
                                   T* memory, bool backward)
        : job(call),
          b(item / call.groups),
          g(item % call.groups),
          keyDim(K > 0 ? K : call.keyDim),
          valueDim(V > 0 ? V : call.valueDim),
          keyRow(cpu::paddedTo(kLanes<T>, keyDim)),
          valueRow(cpu::paddedTo(kLanes<T>, valueDim)),
          gated(call.gate.data != nullptr),
          ssd(call.rate != nullptr),
          at(cpu::linearAttentionScratch(
              {call.steps, keyDim, valueDim, call.tileSteps, kLanes<T>, call.vectorGate},
              backward)),
          scratch(memory) {}

    [[nodiscard]] LAB_INLINE T* table(std::size_t offset) const { return scratch + offset; }
    [[nodiscard]] LAB_INLINE std::int64_t stateOffset() const {
        return (b * job.heads + h) * keyDim * valueDim;
    }
    [[nodiscard]] LAB_INLINE const T* orNull(const T* states) const {
        return states == nullptr ? nullptr : states + stateOffset();
    }

    /// Decays e^g of the tokens from `first` on; 1 behind the last token.
    void packGates(std::int64_t first, int tokens) const {
        T* const gates = table(at.gate);
        const int here = first + tokens > job.steps ? static_cast<int>(job.steps - first) : tokens;
        const int count = tokens * at.gateRow;
        const T* const from = rowOf(job.gate, b, first, h);
        if (job.vectorGate) {
            KeyRows::pack(gates, from, job.gate.stride[1], job.gate.stride[3], here, keyDim, T(1));
        } else {
            const T factor = ssd ? job.rate[h] : T(1);
            for (int t = 0; t < here; ++t) {
                gates[t] = factor * from[t * job.gate.stride[1]];
            }
        }
        for (int i = here * at.gateRow; i < count; ++i) {
            gates[i] = T(0);
        }
        for (int i = 0; i < count; i += kLanes<T>) {
            store<T>(gates + i, exponential<T>(load<T>(gates + i)));
        }
    }
    void packKeys(std::int64_t first, int tokens, int ahead) const {
        KeyRows::pack(table(at.q), rowOf(job.q, b, first, g), job.q.stride[1], job.q.stride[3],
                      tokens, keyDim, T(1), ahead);
        KeyRows::pack(table(at.k), rowOf(job.k, b, first, g), job.k.stride[1], job.k.stride[3],
                      tokens, keyDim, T(1), ahead);
    }
    void packValues(std::int64_t first, int tokens, int ahead) const {
        const T* const from = rowOf(job.v, b, first, h);
        T* const values = table(at.value);
        if (!ssd) {
            ValueRows::pack(values, from, job.v.stride[1], job.v.stride[3], tokens, valueDim, T(1),
                            ahead);
            return;
        }
        const T* delta = rowOf(job.gate, b, first, h);
        for (int t = 0; t < tokens; ++t, delta += job.gate.stride[1]) {
            table(at.delta)[t] = *delta;
        }
        ValueRows::pack(table(at.input), from, job.v.stride[1], job.v.stride[3], tokens, valueDim,
                        T(1), ahead);
        ValueRows::scale(values, table(at.input), table(at.delta), tokens, valueDim);
    }
    void packOutGrad(std::int64_t first, int tokens, int ahead) const {
        ValueRows::pack(
            table(at.outGrad), job.gradO.data == nullptr ? nullptr : rowOf(job.gradO, b, first, h),
            job.gradO.stride[1], job.gradO.stride[3], tokens, valueDim, job.scale, ahead);
    }

    LAB_INLINE void loadState(T* state, const T* from) const {  // [K, padded V]
        ValueRows::pack(state, from, valueDim, 1, keyDim, valueDim, T(1));
    }
    LAB_INLINE void loadTransposed(T* state, const T* from) const {  // [V, padded K]
        KeyRows::pack(state, from, 1, valueDim, valueDim, keyDim, T(1));
    }

    template <int L>
    static LAB_INLINE LaneRow<T, L> everywhere(T number) {
        LaneRow<T, L> row;
        for (int l = 0; l < L; ++l) {
            row.v[l] = broadcast<T>(number);
        }
        return row;
    }
    /// M <- decay M + x y^T, M^T c with the decay of row t of the gates along the rows of M.
    template <class P, int L>
    LAB_INLINE LaneRow<T, L> keyedPass(P& panel, int t, const T* x, const LaneRow<T, L>& y,
                                       const T* c) const {
        if (!gated) {
            return panel.addAndRead(x, y, c);
        }
        return job.vectorGate
                   ? panel.decayRowsAddAndRead(table(at.gate) + t * keyRow, x, y, c)
                   : panel.decayLanesAddAndRead(everywhere<L>(table(at.gate)[t]), x, y, c);
    }
    /// The same with the keys along the lanes.
    template <class P, int L>
    LAB_INLINE LaneRow<T, L> lanedPass(P& panel, int t, int lane, const T* x,
                                       const LaneRow<T, L>& y, const T* c) const {
        if (!gated) {
            return panel.addAndRead(x, y, c);
        }
        const LaneRow<T, L> decay = job.vectorGate
                                        ? loadRow<T, L>(table(at.gate) + t * keyRow + lane)
                                        : everywhere<L>(table(at.gate)[t]);
        return panel.decayLanesAddAndRead(decay, x, y, c);
    }

    template <int L>
    void sweepForward(int lane, int tokens) const {
        Panel<T, K, L> state(table(at.state) + lane, keyDim, valueRow);
        const T skip = job.skip == nullptr ? T(0) : job.skip[h];
        for (int t = 0; t < tokens; ++t) {
            const T* const value = table(at.value) + t * valueRow + lane;
            const auto seen = keyedPass<Panel<T, K, L>, L>(
                state, t, table(at.k) + t * keyRow, loadRow<T, L>(value), table(at.q) + t * keyRow);
            auto out = scaled<T, L>(job.scale, seen);
            if (job.skip != nullptr) {
                const auto input = loadRow<T, L>(table(at.input) + t * valueRow + lane);
                for (int l = 0; l < L; ++l) {
                    out.v[l] = fma<T>(broadcast<T>(skip), input.v[l], out.v[l]);
                }
            }
            storeRow<T, L>(table(at.out) + t * valueRow + lane, out);
            if (job.stateNorm != nullptr) {
                table(at.norm)[t] += state.squaredNorm();
            }
        }
        state.flush();
    }
    /// Reverse, dS as [K, V]: gradients of the values, into the table of outputs.
    template <int L>
    void sweepValues(int lane, int tokens) const {
        Panel<T, K, L> grad(table(at.stateGrad) + lane, keyDim, valueRow);
        for (int t = tokens - 1; t >= 0; --t) {
            const auto outGrad = loadRow<T, L>(table(at.outGrad) + t * valueRow + lane);
            storeRow<T, L>(table(at.out) + t * valueRow + lane,
                           keyedPass<Panel<T, K, L>, L>(grad, t, table(at.q) + t * keyRow, outGrad,
                                                        table(at.k) + t * keyRow));
        }
        grad.flush();
    }
    /// Reverse, dS as [V, K]: gradients of the keys.
    template <int L>
    void sweepKeys(int lane, std::int64_t first, int tokens) const {
        Panel<T, V, L> grad(table(at.stateGradTransposed) + lane, valueDim, keyRow);
        for (int t = tokens - 1; t >= 0; --t) {
            const auto query = loadRow<T, L>(table(at.q) + t * keyRow + lane);
            storeRow<T, L>(
                table(at.allKeyGrad) + (first + t) * keyRow + lane,
                lanedPass<Panel<T, V, L>, L>(grad, t, lane, table(at.outGrad) + t * valueRow, query,
                                             table(at.value) + t * valueRow));
        }
        grad.flush();
    }
    /// Forward, S as [V, K] rebuilt: gradients of the queries.
    template <int L>
    void sweepRebuild(int lane, int tokens) const {
        Panel<T, V, L> state(table(at.state) + lane, valueDim, keyRow);
        for (int t = 0; t < tokens; ++t) {
            const auto key = loadRow<T, L>(table(at.k) + t * keyRow + lane);
            storeRow<T, L>(
                table(at.queryGrad) + t * keyRow + lane,
                lanedPass<Panel<T, V, L>, L>(state, t, lane, table(at.value) + t * valueRow, key,
                                             table(at.outGrad) + t * valueRow));
        }
        state.flush();
    }

    void forwardTile(std::int64_t first, int tokens) const {
        packKeys(first, tokens, 1);
        packValues(first, tokens, 1);
        if (gated) {
            packGates(first, tokens);
        }
        for (int t = 0; t < tokens; ++t) {
            table(at.norm)[t] = T(0);
        }
        forEachStrip<T, kValueVectors>(valueRow / kLanes<T>,
                                       [&]<int L>(int lane) { sweepForward<L>(lane, tokens); });
        ValueRows::unpack(rowOf(job.o, b, first, h), job.o.stride[1], table(at.out), tokens,
                          valueDim);
        for (int t = 0; job.stateNorm != nullptr && t < tokens; ++t) {
            job.stateNorm[(b * job.steps + first + t) * job.heads + h] =
                static_cast<float>(__builtin_sqrt(static_cast<double>(table(at.norm)[t])));
        }
    }

    void reverseTile(std::int64_t first, int tokens) const {
        packKeys(first, tokens, -1);
        packValues(first, tokens, -1);
        packOutGrad(first, tokens, -1);
        if (gated) {
            packGates(first + 1, tokens);
        }
        forEachStrip<T, kValueVectors>(valueRow / kLanes<T>,
                                       [&]<int L>(int lane) { sweepValues<L>(lane, tokens); });
        forEachStrip<T, kKeyVectors>(keyRow / kLanes<T>,
                                     [&]<int L>(int lane) { sweepKeys<L>(lane, first, tokens); });
        if (ssd) {
            inputGradients(first, tokens);
        }
        if (job.gradV.data != nullptr) {
            ValueRows::unpack(rowOf(job.gradV, b, first, h), job.gradV.stride[1], table(at.out),
                              tokens, valueDim);
        }
    }
    /// dx = Delta dv' + D dy, and <dv', x> for Delta.
    void inputGradients(std::int64_t first, int tokens) const {
        T* const grad = table(at.out);
        for (int t = 0; t < tokens; ++t) {
            table(at.allDot)[first + t] =
                ValueRows::dot(grad + t * valueRow, table(at.input) + t * valueRow, valueDim);
        }
        ValueRows::scale(grad, grad, table(at.delta), tokens, valueDim);
        if (job.skip == nullptr) {
            return;
        }
        const Vec<T> skip = broadcast<T>(job.skip[h]);
        for (int i = 0; i < tokens * valueRow; i += kLanes<T>) {
            store<T>(grad + i, fma<T>(skip, load<T>(table(at.outGrad) + i), load<T>(grad + i)));
        }
        if (job.gradSkip != nullptr) {
            T& total = job.gradSkip[b * job.heads + h];
            total += ValueRows::dot(table(at.outGrad), table(at.input), valueDim);
            for (int t = 1; t < tokens; ++t) {
                total += ValueRows::dot(table(at.outGrad) + t * valueRow,
                                        table(at.input) + t * valueRow, valueDim);
            }
        }
    }

    void rebuildTile(std::int64_t first, int tokens) const {
        packKeys(first, tokens, 1);
        packValues(first, tokens, 1);
        packOutGrad(first, tokens, 1);
        if (gated) {
            packGates(first, tokens);
        }
        forEachStrip<T, kKeyVectors>(keyRow / kLanes<T>,
                                     [&]<int L>(int lane) { sweepRebuild<L>(lane, tokens); });
        const std::int64_t from = first * keyRow;
        if (job.gradGate.data != nullptr) {
            gateTerms(first, tokens);
        }
        addRows(table(at.groupQueryGrad) + from, table(at.queryGrad), tokens);
        addRows(table(at.groupKeyGrad) + from, table(at.allKeyGrad) + from, tokens);
    }
    LAB_INLINE void addRows(T* to, const T* from, int rows) const {
        for (int i = 0; i < rows * keyRow; i += kLanes<T>) {
            store<T>(to + i, load<T>(to + i) + load<T>(from + i));
        }
    }

    /// Gate gradients telescope, since o and S are linear in (S_0, v); for every key channel
    ///   dg_t = rowdot(dS_T, S_T) + sum_{s >= t} (q_s dq_s - k_s dk_s).
    /// Here the term of token s; finishGate takes the suffix sums.
    void gateTerms(std::int64_t first, int tokens) const {
        for (int t = 0; t < tokens; ++t) {
            const T* const q = table(at.q) + t * keyRow;
            const T* const dq = table(at.queryGrad) + t * keyRow;
            const T* const k = table(at.k) + t * keyRow;
            const T* const dk = table(at.allKeyGrad) + (first + t) * keyRow;
            if (!job.vectorGate) {
                table(at.allGate)[first + t] =
                    KeyRows::dot(q, dq, keyDim) - KeyRows::dot(k, dk, keyDim);
                continue;
            }
            T* const term = table(at.allGate) + (first + t) * keyRow;
            for (int i = 0; i < keyRow; i += kLanes<T>) {
                store<T>(term + i,
                         load<T>(q + i) * load<T>(dq + i) - load<T>(k + i) * load<T>(dk + i));
            }
        }
    }
    /// Suffix sums, compensated (Kahan): what was lost in rounding is carried along.
    void finishGate() const {
        const int row = at.gateRow;
        T* const suffix = table(at.suffix);
        T* const lost = table(at.lost);
        for (int i = 0; i < keyRow; ++i) {
            suffix[i] = lost[i] = T(0);
        }
        const T* const grad = orNull(job.gradFinalState);
        for (int i = 0; grad != nullptr && i < keyDim; ++i) {
            for (int j = 0; j < valueDim; ++j) {
                addKept(suffix[job.vectorGate ? i : 0], lost[job.vectorGate ? i : 0],
                        grad[i * valueDim + j] * table(at.state)[j * keyRow + i]);
            }
        }
        for (std::int64_t t = job.steps - 1; t >= 0; --t) {
            T* const term = table(at.allGate) + t * row;
            for (int i = 0; i < row; ++i) {
                addKept(suffix[i], lost[i], term[i]);
                term[i] = suffix[i];
            }
        }
        if (ssd) {
            finishDelta();
        } else if (job.vectorGate) {
            KeyRows::unpack(rowOf(job.gradGate, b, 0, h), job.gradGate.stride[1], table(at.allGate),
                            static_cast<int>(job.steps), keyDim);
        } else {
            for (std::int64_t t = 0; t < job.steps; ++t) {
                *rowOf(job.gradGate, b, t, h) = table(at.allGate)[t];
            }
        }
    }
    static LAB_INLINE void addKept(T& total, T& lost, T term) {
        const T wanted = term - lost;
        const T next = total + wanted;
        lost = (next - total) - wanted;
        total = next;
    }
    /// From the gradient of the log gate Delta A to those of Delta and A.
    void finishDelta() const {
        double rate = 0.0;
        for (std::int64_t t = 0; t < job.steps; ++t) {
            const T gate = table(at.allGate)[t];
            rate += static_cast<double>(gate) * static_cast<double>(*rowOf(job.gate, b, t, h));
            *rowOf(job.gradGate, b, t, h) = job.rate[h] * gate + table(at.allDot)[t];
        }
        if (job.gradRate != nullptr) {
            job.gradRate[b * job.heads + h] = static_cast<T>(rate);
        }
    }

    template <class Tile>
    LAB_INLINE void forEachTile(const Tile& tile) const {
        for (std::int64_t first = 0; first < job.steps; first += job.tileSteps) {
            const std::int64_t left = job.steps - first;
            tile(first, left < job.tileSteps ? static_cast<int>(left) : job.tileSteps);
        }
    }
    void forwardHead() const {
        T* const state = table(at.state);
        loadState(state, orNull(job.initialState));
        forEachTile([&](std::int64_t first, int tokens) { forwardTile(first, tokens); });
        if (job.finalState != nullptr) {
            ValueRows::unpack(job.finalState + stateOffset(), valueDim, state, keyDim, valueDim);
        }
    }
    void backwardHead() const {
        if (job.gradSkip != nullptr) {
            job.gradSkip[b * job.heads + h] = T(0);
        }
        loadState(table(at.stateGrad), orNull(job.gradFinalState));
        loadTransposed(table(at.stateGradTransposed), orNull(job.gradFinalState));
        const std::int64_t tiles = (job.steps + job.tileSteps - 1) / job.tileSteps;
        for (std::int64_t tile = tiles - 1; tile >= 0; --tile) {
            const std::int64_t first = tile * job.tileSteps;
            const std::int64_t left = job.steps - first;
            reverseTile(first, left < job.tileSteps ? static_cast<int>(left) : job.tileSteps);
        }
        if (job.gradInitialState != nullptr) {
            storeInitialGradient();
        }
        loadTransposed(table(at.state), orNull(job.initialState));
        forEachTile([&](std::int64_t first, int tokens) { rebuildTile(first, tokens); });
        if (job.rebuiltFinalState != nullptr) {
            for (int i = 0; i < keyDim; ++i) {
                for (int j = 0; j < valueDim; ++j) {
                    job.rebuiltFinalState[stateOffset() + i * valueDim + j] =
                        table(at.state)[j * keyRow + i];
                }
            }
        }
        if (job.gradGate.data != nullptr) {
            finishGate();
        }
    }
    /// The decay of the first token is still to come.
    void storeInitialGradient() const {
        if (gated && job.steps > 0) {
            packGates(0, 1);
            for (int i = 0; i < keyDim; ++i) {
                const Vec<T> decay = broadcast<T>(table(at.gate)[job.vectorGate ? i : 0]);
                T* const row = table(at.stateGrad) + i * valueRow;
                for (int j = 0; j < valueRow; j += kLanes<T>) {
                    store<T>(row + j, decay * load<T>(row + j));
                }
            }
        }
        ValueRows::unpack(job.gradInitialState + stateOffset(), valueDim, table(at.stateGrad),
                          keyDim, valueDim);
    }
};

template <class T, int K, int V>
void linearAttentionForwardItem(const cpu::LinearAttentionJob<T>& job, std::int64_t index,
                                T* scratch) {
    const FlushDenormals flush;
    LinearAttentionItem<T, K, V> item(job, index, scratch, false);
    const std::int64_t perGroup = job.heads / job.groups;
    for (item.h = item.g * perGroup; item.h < (item.g + 1) * perGroup; ++item.h) {
        item.forwardHead();
    }
}

template <class T, int K, int V>
void linearAttentionBackwardItem(const cpu::LinearAttentionJob<T>& job, std::int64_t index,
                                 T* scratch) {
    const FlushDenormals flush;
    LinearAttentionItem<T, K, V> item(job, index, scratch, true);
    const int steps = static_cast<int>(job.steps);
    const auto clear = [&](std::size_t sums) {
        Rows<T, K>::pack(item.table(sums), nullptr, 0, 1, steps, item.keyDim, T(1));
    };
    clear(item.at.groupQueryGrad);
    clear(item.at.groupKeyGrad);
    const std::int64_t perGroup = job.heads / job.groups;
    for (item.h = item.g * perGroup; item.h < (item.g + 1) * perGroup; ++item.h) {
        item.backwardHead();
    }
    const auto give = [&](const cpu::Strided<T>& to, std::size_t sums) {
        if (to.data != nullptr) {
            Rows<T, K>::unpack(rowOf(to, item.b, 0, item.g), to.stride[1], item.table(sums), steps,
                               item.keyDim);
        }
    };
    give(job.gradQ, item.at.groupQueryGrad);
    give(job.gradK, item.at.groupKeyGrad);
}

}  // namespace
}  // namespace lab::kernels
