// LSTM, GRU, tanh RNN and sLSTM: kernels/recurrent.h has the mathematics.
//
// A step is a product of the rows at work with R, whose panels hold all gates of a vector of units,
// so that the gates of a unit meet in registers and the cell is computed before anything is stored.
// Rows (batch entries) never meet: any split of the batch over threads gives the same bits.
#pragma once

#include "kernels/cpu/gemm.inl"
#include "kernels/cpu/jobs.h"
#include "kernels/cpu/recurrent_cells.inl"
#include "kernels/cpu/row_kernels.inl"
#include "kernels/cpu/rows.inl"
#include "kernels/cpu/tiles.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

/// Panel of the units from `block * lanes` on: for every k, a vector of units for each gate.
template <class T, template <class> class C>
void recurrentPack(const cpu::RecurrentJob<T>& job, std::int64_t block) {
    constexpr int kGates = C<T>::kGates;
    const std::int64_t first = block * kLanes<T>;
    const int count =
        job.hidden - first < kLanes<T> ? static_cast<int>(job.hidden - first) : kLanes<T>;
    T* to = job.panels + block * job.hidden * kGates * kLanes<T>;
    for (int k = 0; k < job.hidden; ++k) {
        for (int g = 0; g < kGates; ++g, to += kLanes<T>) {
            packRow<T>(to, job.r + (std::int64_t{g} * job.hidden + first) * job.hidden + k,
                       job.hidden, count, T(1));
        }
    }
}

template <class T, template <class> class C>
struct RecurrentRows {
    using Rule = C<T>;
    static constexpr int kGates = Rule::kGates, kSaved = Rule::kSaved;
    static constexpr int kCells = Rule::kCells, kGradCells = Rule::kGradCells;
    const cpu::RecurrentJob<T>& job;
    std::int64_t begin, end;

    [[nodiscard]] LAB_INLINE int unitsFrom(std::int64_t unit) const {
        return job.hidden - unit < kLanes<T> ? static_cast<int>(job.hidden - unit) : kLanes<T>;
    }
    [[nodiscard]] LAB_INLINE T* before(std::int64_t t) const {
        return job.hidden2 + (t % 2) * job.batch * job.width;
    }
    [[nodiscard]] LAB_INLINE T* savedRow(std::int64_t b, std::int64_t t) const {
        return job.saved + (b * job.steps + t) * kSaved * job.width;
    }
    [[nodiscard]] LAB_INLINE T* cell(int which) const {
        return job.cell + which * job.batch * job.width;
    }
    /// [B, hidden] (null: all of it `otherwise`) to [B, width].
    LAB_INLINE void widen(T* to, const T* from, T otherwise = T(0)) const {
        if (from == nullptr && otherwise != T(0)) {
            for (std::int64_t i = begin * job.width; i < end * job.width; ++i) {
                to[i] = otherwise;
            }
            return;
        }
        for (std::int64_t b = begin; b < end; ++b) {
            Rows<T, 0>::pack(to + b * job.width, from == nullptr ? nullptr : from + b * job.hidden,
                             0, 1, 1, job.hidden, T(1));
        }
    }
    LAB_INLINE void narrow(T* to, const T* from) const {
        for (std::int64_t b = begin; to != nullptr && b < end; ++b) {
            Rows<T, 0>::unpack(to + b * job.hidden, 0, from + b * job.width, 1, job.hidden);
        }
    }

    template <int M>
    LAB_INLINE void forwardTile(std::int64_t t, std::int64_t block, std::int64_t row) const {
        const std::int64_t unit = block * kLanes<T>;
        const int count = unitsFrom(unit);
        Tile<T, M, kGates> acc;
        for (int g = 0; g < kGates; ++g) {
            const Vec<T> bias = job.bias == nullptr
                                    ? Vec<T>{}
                                    : loadLanes<T>(job.bias + g * job.hidden + unit, count);
            for (int i = 0; i < M; ++i) {
                acc.v[i][g] = bias;
            }
        }
        multiplyInto<T, M, kGates>(acc, before(t) + row * job.width, job.width, 1,
                                   job.panels + block * job.hidden * kGates * kLanes<T>,
                                   kGates * kLanes<T>, job.hidden);
        for (int i = 0; i < M; ++i) {
            const std::int64_t b = row + i;
            Vec<T> pre[kGates], saved[kSaved];
            const T* const from = job.pre + (b * job.steps + t) * kGates * job.hidden + unit;
            for (int g = 0; g < kGates; ++g) {
                pre[g] = loadLanes<T>(from + g * job.hidden, count);
            }
            Vec<T> cells[kCells + 1];
            for (int c = 0; c < kCells; ++c) {
                cells[c] = load<T>(cell(c) + b * job.width + unit);
            }
            const Vec<T> h =
                Rule::step(acc.v[i], pre, load<T>(before(t) + b * job.width + unit), cells, saved);
            for (int c = 0; c < kCells; ++c) {
                store<T>(cell(c) + b * job.width + unit, cells[c]);
            }
            store<T>(before(t + 1) + b * job.width + unit, h);
            storeLanes<T>(job.h + (b * job.steps + t) * job.hidden + unit, h, count);
            for (int s = 0; job.saved != nullptr && s < kSaved; ++s) {
                store<T>(savedRow(b, t) + s * job.width + unit, saved[s]);
            }
        }
    }
    void forward() const {
        widen(before(0), job.initialH);
        for (int c = 0; c < kCells; ++c) {
            widen(cell(c), job.initialCell[c], c == 2 ? Rule::kNoUnit : T(0));
        }
        for (std::int64_t t = 0; t < job.steps; ++t) {
            for (std::int64_t block = 0; block < job.width / kLanes<T>; ++block) {
                forEachRowTile<Rule::kRows>(
                    begin, end, [&]<int M>(std::int64_t row) { forwardTile<M>(t, block, row); });
            }
        }
        narrow(job.finalH, before(job.steps));
        for (int c = 0; c < kCells; ++c) {
            narrow(job.finalCell[c], cell(c));
        }
    }

    /// Gradients of the gates of one step; what is left of dh for h_{t-1} directly goes into
    /// `next`.
    LAB_INLINE void slopes(std::int64_t t, const T* dh, T* next) const {
        for (std::int64_t b = begin; b < end; ++b) {
            const std::int64_t row = (b * job.steps + t) * kGates * job.hidden;
            for (std::int64_t unit = 0; unit < job.hidden; unit += kLanes<T>) {
                const int count = unitsFrom(unit);
                const std::int64_t at = b * job.width + unit;
                Vec<T> up = load<T>(dh + at);
                if (job.gradH != nullptr) {
                    up += loadLanes<T>(job.gradH + (b * job.steps + t) * job.hidden + unit, count);
                }
                Vec<T> saved[kSaved], pre[kGates], rec[kGates];
                for (int s = 0; s < kSaved; ++s) {
                    saved[s] = load<T>(savedRow(b, t) + s * job.width + unit);
                }
                Vec<T> cells[kGradCells + 1], gradCells[kGradCells + 1], h{}, direct{};
                for (int c = 0; c < kGradCells; ++c) {
                    gradCells[c] = load<T>(cell(c) + at);
                    const int place = kSaved - kGradCells + c;
                    cells[c] =
                        t > 0 ? load<T>(savedRow(b, t - 1) + place * job.width + unit)
                        : job.initialCell[c] == nullptr
                            ? Vec<T>{}
                            : loadLanes<T>(job.initialCell[c] + b * job.hidden + unit, count);
                }
                if constexpr (Rule::kOwnRecGrad) {
                    h = t > 0 ? loadLanes<T>(
                                    job.savedH + (b * job.steps + t - 1) * job.hidden + unit, count)
                        : job.initialH == nullptr
                            ? Vec<T>{}
                            : loadLanes<T>(job.initialH + b * job.hidden + unit, count);
                }
                Rule::slopes(saved, cells, h, up, gradCells, pre, rec, direct);
                for (int c = 0; c < kGradCells; ++c) {
                    store<T>(cell(c) + at, gradCells[c]);
                }
                for (int g = 0; g < kGates; ++g) {
                    storeLanes<T>(job.gradPre + row + g * job.hidden + unit, pre[g], count);
                    if constexpr (Rule::kOwnRecGrad) {
                        storeLanes<T>(job.gradRec + row + g * job.hidden + unit, rec[g], count);
                    }
                }
                store<T>(next + at, direct);
            }
        }
    }
    void backward() const {
        const std::int64_t inner = std::int64_t{kGates} * job.hidden;
        widen(before(job.steps), job.gradFinalH);
        for (int c = 0; c < kGradCells; ++c) {
            widen(cell(c), job.gradFinalCell[c]);
        }
        for (std::int64_t t = job.steps - 1; t >= 0; --t) {
            T* const next = before(t);
            slopes(t, before(t + 1), next);
            const cpu::GemmJob<T> product{job.batch,
                                          job.hidden,
                                          inner,
                                          job.gradRec + t * inner,
                                          job.steps * inner,
                                          1,
                                          nullptr,
                                          0,
                                          0,
                                          next,
                                          job.width,
                                          true,
                                          job.panels};
            gemmRows<T>(product, begin, end);
        }
        narrow(job.gradInitialH, before(0));
        for (int c = 0; c < kGradCells; ++c) {
            narrow(job.gradInitialCell[c], cell(c));
        }
    }
};

template <class T, template <class> class C>
void recurrentForwardRows(const cpu::RecurrentJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    RecurrentRows<T, C>{job, begin, end}.forward();
}
template <class T, template <class> class C>
void recurrentBackwardRows(const cpu::RecurrentJob<T>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    RecurrentRows<T, C>{job, begin, end}.backward();
}

}  // namespace
}  // namespace lab::kernels
