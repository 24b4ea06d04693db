// LSTM, GRU and tanh RNN: kernels/recurrent.h has the mathematics.
//
// A step is a product of the rows at work with R, whose panels hold all gates of a vector of units,
// so that the gates of a unit meet in registers and the cell is computed before anything is stored.
// Rows (batch entries) never meet: any split of the batch over threads gives the same bits.
#pragma once

#include "kernels/cpu/gemm.inl"
#include "kernels/cpu/jobs.h"
#include "kernels/cpu/rows.inl"
#include "kernels/cpu/tiles.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

/// What makes a cell. `acc`: R h + b; `pre`: W x + b; saved rows in the order of kSaved.
template <class T>
struct LstmCell {
    static constexpr int kGates = 4, kSaved = 5;  // i f g o c
    static constexpr int kRows = LAB_SIMD_BYTES == 64 ? 6 : 2;
    static constexpr bool kHasCell = true, kOwnRecGrad = false;

    static LAB_INLINE Vec<T> step(const Vec<T>* acc, const Vec<T>* pre, Vec<T>, Vec<T>& c,
                                  Vec<T>* saved) {
        const Vec<T> i = sigmoid<T>(acc[0] + pre[0]), f = sigmoid<T>(acc[1] + pre[1]);
        const Vec<T> g = hyperbolicTangent<T>(acc[2] + pre[2]), o = sigmoid<T>(acc[3] + pre[3]);
        c = fma<T>(f, c, i * g);
        saved[0] = i;
        saved[1] = f;
        saved[2] = g;
        saved[3] = o;
        saved[4] = c;
        return o * hyperbolicTangent<T>(c);
    }
    /// From dh and dc to the gradients of the gates; dc becomes that of c_{t-1}.
    static LAB_INLINE void slopes(const Vec<T>* saved, Vec<T> before, Vec<T>, Vec<T> dh, Vec<T>& dc,
                                  Vec<T>* pre, Vec<T>*, Vec<T>&) {
        const Vec<T> one = broadcast<T>(T(1));
        const Vec<T> i = saved[0], f = saved[1], g = saved[2], o = saved[3];
        const Vec<T> bent = hyperbolicTangent<T>(saved[4]);
        dc = fma<T>(dh * o, one - bent * bent, dc);
        pre[0] = dc * g * i * (one - i);
        pre[1] = dc * before * f * (one - f);
        pre[2] = dc * i * (one - g * g);
        pre[3] = dh * bent * o * (one - o);
        dc = dc * f;
    }
};

template <class T>
struct GruCell {
    static constexpr int kGates = 3, kSaved = 4;  // r z n, R_n h + b_n
    static constexpr int kRows = LAB_SIMD_BYTES == 64 ? 8 : 4;
    static constexpr bool kHasCell = false, kOwnRecGrad = true;

    static LAB_INLINE Vec<T> step(const Vec<T>* acc, const Vec<T>* pre, Vec<T> h, Vec<T>&,
                                  Vec<T>* saved) {
        const Vec<T> r = sigmoid<T>(acc[0] + pre[0]), z = sigmoid<T>(acc[1] + pre[1]);
        const Vec<T> n = hyperbolicTangent<T>(fma<T>(r, acc[2], pre[2]));
        saved[0] = r;
        saved[1] = z;
        saved[2] = n;
        saved[3] = acc[2];
        return fma<T>(z, h - n, n);
    }
    static LAB_INLINE void slopes(const Vec<T>* saved, Vec<T>, Vec<T> h, Vec<T> dh, Vec<T>&,
                                  Vec<T>* pre, Vec<T>* rec, Vec<T>& direct) {
        const Vec<T> one = broadcast<T>(T(1));
        const Vec<T> r = saved[0], z = saved[1], n = saved[2];
        pre[2] = dh * (one - z) * (one - n * n);
        pre[1] = dh * (h - n) * z * (one - z);
        pre[0] = pre[2] * saved[3] * r * (one - r);
        rec[0] = pre[0];
        rec[1] = pre[1];
        rec[2] = pre[2] * r;
        direct = dh * z;
    }
};

template <class T>
struct TanhCell {
    static constexpr int kGates = 1, kSaved = 1;  // h
    static constexpr int kRows = LAB_SIMD_BYTES == 64 ? 12 : 6;
    static constexpr bool kHasCell = false, kOwnRecGrad = false;

    static LAB_INLINE Vec<T> step(const Vec<T>* acc, const Vec<T>* pre, Vec<T>, Vec<T>&,
                                  Vec<T>* saved) {
        saved[0] = hyperbolicTangent<T>(acc[0] + pre[0]);
        return saved[0];
    }
    static LAB_INLINE void slopes(const Vec<T>* saved, Vec<T>, Vec<T>, Vec<T> dh, Vec<T>&,
                                  Vec<T>* pre, Vec<T>*, Vec<T>&) {
        pre[0] = dh * (broadcast<T>(T(1)) - saved[0] * saved[0]);
    }
};

template <class T>
LAB_INLINE Vec<T> loadUnits(const T* from, int count) {
    return count == kLanes<T> ? load<T>(from) : loadPartial<T>(from, count);
}
template <class T>
LAB_INLINE void storeUnits(T* to, Vec<T> v, int count) {
    if (count == kLanes<T>) {
        store<T>(to, v);
    } else {
        storePartial<T>(to, v, count);
    }
}

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
    /// [B, hidden] (null: zero) to [B, width].
    LAB_INLINE void widen(T* to, const T* from) const {
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
                                    : loadUnits<T>(job.bias + g * job.hidden + unit, count);
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
                pre[g] = loadUnits<T>(from + g * job.hidden, count);
            }
            Vec<T> c = Rule::kHasCell ? load<T>(job.cell + b * job.width + unit) : Vec<T>{};
            const Vec<T> h =
                Rule::step(acc.v[i], pre, load<T>(before(t) + b * job.width + unit), c, saved);
            if constexpr (Rule::kHasCell) {
                store<T>(job.cell + b * job.width + unit, c);
            }
            store<T>(before(t + 1) + b * job.width + unit, h);
            storeUnits<T>(job.h + (b * job.steps + t) * job.hidden + unit, h, count);
            for (int s = 0; job.saved != nullptr && s < kSaved; ++s) {
                store<T>(savedRow(b, t) + s * job.width + unit, saved[s]);
            }
        }
    }
    void forward() const {
        widen(before(0), job.initialH);
        if constexpr (Rule::kHasCell) {
            widen(job.cell, job.initialC);
        }
        for (std::int64_t t = 0; t < job.steps; ++t) {
            for (std::int64_t block = 0; block < job.width / kLanes<T>; ++block) {
                forEachRowTile<Rule::kRows>(
                    begin, end, [&]<int M>(std::int64_t row) { forwardTile<M>(t, block, row); });
            }
        }
        narrow(job.finalH, before(job.steps));
        if constexpr (Rule::kHasCell) {
            narrow(job.finalC, job.cell);
        }
    }

    /// Gradients of the gates of one step; what is left of dh for h_{t-1} directly goes into
    /// `next`.
    LAB_INLINE void slopes(std::int64_t t, const T* dh, T* next) const {
        for (std::int64_t b = begin; b < end; ++b) {
            const std::int64_t at = (b * job.steps + t) * kGates * job.hidden;
            for (std::int64_t unit = 0; unit < job.hidden; unit += kLanes<T>) {
                const int count = unitsFrom(unit);
                const std::int64_t cell = b * job.width + unit;
                Vec<T> up = load<T>(dh + cell);
                if (job.gradH != nullptr) {
                    up += loadUnits<T>(job.gradH + (b * job.steps + t) * job.hidden + unit, count);
                }
                Vec<T> saved[kSaved], pre[kGates], rec[kGates];
                for (int s = 0; s < kSaved; ++s) {
                    saved[s] = load<T>(savedRow(b, t) + s * job.width + unit);
                }
                Vec<T> c{}, h{}, direct{}, dc{};
                if constexpr (Rule::kHasCell) {
                    dc = load<T>(job.cell + cell);
                    c = t > 0 ? load<T>(savedRow(b, t - 1) + (kSaved - 1) * job.width + unit)
                        : job.initialC == nullptr
                            ? Vec<T>{}
                            : loadUnits<T>(job.initialC + b * job.hidden + unit, count);
                }
                if constexpr (Rule::kOwnRecGrad) {
                    h = t > 0 ? loadUnits<T>(
                                    job.savedH + (b * job.steps + t - 1) * job.hidden + unit, count)
                        : job.initialH == nullptr
                            ? Vec<T>{}
                            : loadUnits<T>(job.initialH + b * job.hidden + unit, count);
                }
                Rule::slopes(saved, c, h, up, dc, pre, rec, direct);
                if constexpr (Rule::kHasCell) {
                    store<T>(job.cell + cell, dc);
                }
                for (int g = 0; g < kGates; ++g) {
                    storeUnits<T>(job.gradPre + at + g * job.hidden + unit, pre[g], count);
                    if constexpr (Rule::kOwnRecGrad) {
                        storeUnits<T>(job.gradRec + at + g * job.hidden + unit, rec[g], count);
                    }
                }
                store<T>(next + cell, direct);
            }
        }
    }
    void backward() const {
        const std::int64_t inner = std::int64_t{kGates} * job.hidden;
        widen(before(job.steps), job.gradFinalH);
        if constexpr (Rule::kHasCell) {
            widen(job.cell, job.gradFinalC);
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
        if constexpr (Rule::kHasCell) {
            narrow(job.gradInitialC, job.cell);
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
