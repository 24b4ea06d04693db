// A strip of a state matrix, and the one loop that every sweep of the delta rule is made of.
//
// R rows (0: known at run time) of L vectors. A pass over it may scale its rows or lanes, may add
// x y^T (x along the rows, y along the lanes) and may form M^T c (c along the rows) of the new M.
// Numbers along the rows are broadcast from memory, numbers along the lanes stay in registers, so
// nothing is ever summed across lanes. A strip that fits half the registers is held there for a
// whole tile of tokens.
#pragma once

#include "kernels/simd.h"

namespace lab::kernels {
namespace {

#if LAB_SIMD_BYTES == 64
constexpr int kHeldVectors = 16;  // of 32 registers
#else
constexpr int kHeldVectors = 0;
#endif

template <class T, int L>
struct LaneRow {
    Vec<T> v[L];
};

template <class T, int L>
LAB_INLINE LaneRow<T, L> loadRow(const T* from) {
    LaneRow<T, L> row;
    for (int l = 0; l < L; ++l) {
        row.v[l] = load<T>(from + l * kLanes<T>);
    }
    return row;
}
template <class T, int L>
LAB_INLINE void storeRow(T* to, const LaneRow<T, L>& row) {
    for (int l = 0; l < L; ++l) {
        store<T>(to + l * kLanes<T>, row.v[l]);
    }
}
template <class T, int L>
LAB_INLINE LaneRow<T, L> scaled(T factor, const LaneRow<T, L>& row) {
    LaneRow<T, L> result;
    for (int l = 0; l < L; ++l) {
        result.v[l] = broadcast<T>(factor) * row.v[l];
    }
    return result;
}
template <class T, int L>
LAB_INLINE LaneRow<T, L> difference(const LaneRow<T, L>& a, const LaneRow<T, L>& b) {
    LaneRow<T, L> result;
    for (int l = 0; l < L; ++l) {
        result.v[l] = a.v[l] - b.v[l];
    }
    return result;
}
template <class T, int L>
LAB_INLINE T dot(const LaneRow<T, L>& a, const LaneRow<T, L>& b) {
    Vec<T> products = a.v[0] * b.v[0];
    for (int l = 1; l < L; ++l) {
        products = fma<T>(a.v[l], b.v[l], products);
    }
    return sum<T>(products);
}

/// What a pass multiplies the panel by before it adds: a number a row, or a number a lane.
enum class Decay { kNone, kRows, kLanes };

template <class T, int R, int L>
struct Panel {
    using Row = LaneRow<T, L>;
    static constexpr bool kHeld = R > 0 && R* L <= kHeldVectors;
    static constexpr int kSums = L >= 4 ? 2 : 4;  ///< partial sums a lane, against FMA latency

    T* memory;
    int rows, stride;
    Vec<T> held[kHeld ? R * L : 1];

    LAB_INLINE Panel(T* where, int rowCount, int rowStride)
        : memory(where), rows(R > 0 ? R : rowCount), stride(rowStride) {
        if constexpr (kHeld) {
#pragma GCC unroll 16
            for (int r = 0; r < R * L; ++r) {
                held[r] = load<T>(memory + (r / L) * stride + (r % L) * kLanes<T>);
            }
        }
    }
    /// Back to memory; the panel may be used on.
    LAB_INLINE void flush() const {
        if constexpr (kHeld) {
#pragma GCC unroll 16
            for (int r = 0; r < R * L; ++r) {
                store<T>(memory + (r / L) * stride + (r % L) * kLanes<T>, held[r]);
            }
        }
    }

    LAB_INLINE Vec<T> get(int r, int l) const {
        if constexpr (kHeld) {
            return held[r * L + l];
        } else {
            return load<T>(memory + static_cast<std::int64_t>(r) * stride + l * kLanes<T>);
        }
    }
    LAB_INLINE void set(int r, int l, Vec<T> value) {
        if constexpr (kHeld) {
            held[r * L + l] = value;
        } else {
            store<T>(memory + static_cast<std::int64_t>(r) * stride + l * kLanes<T>, value);
        }
    }

    template <Decay kDecay, bool kAdd, bool kRead>
    LAB_INLINE void visit(int r, const T* rowDecay, const Row& laneDecay, const T* x, const Row& y,
                          const T* c, Row& total) {
        for (int l = 0; l < L; ++l) {
            Vec<T> m = get(r, l);
            if constexpr (kDecay == Decay::kRows) {
                m = broadcast<T>(rowDecay[r]) * m;
            }
            if constexpr (kDecay == Decay::kLanes) {
                m = laneDecay.v[l] * m;
            }
            if constexpr (kAdd) {
                m = fma<T>(broadcast<T>(x[r]), y.v[l], m);
                set(r, l, m);
            }
            if constexpr (kRead) {
                total.v[l] = fma<T>(broadcast<T>(c[r]), m, total.v[l]);
            }
        }
    }

    /// M <- decay M + x y^T, then M^T c.
    template <Decay kDecay, bool kAdd, bool kRead>
    LAB_INLINE Row pass(const T* rowDecay, const Row& laneDecay, const T* x, const Row& y,
                        const T* c) {
        Row total[kSums];
#pragma GCC unroll 4
        for (int s = 0; s < kSums; ++s) {  // one by one: g++ clears whole arrays with a slow loop
#pragma GCC unroll 4
            for (int l = 0; l < L; ++l) {
                total[s].v[l] = Vec<T>{};
            }
        }
        int r = 0;
        if constexpr (kHeld) {
#pragma GCC unroll 16
            for (; r < R; ++r) {
                visit<kDecay, kAdd, kRead>(r, rowDecay, laneDecay, x, y, c, total[r % kSums]);
            }
        } else {
            for (; r + kSums <= (R > 0 ? R : rows); r += kSums) {
#pragma GCC unroll 4
                for (int s = 0; s < kSums; ++s) {
                    visit<kDecay, kAdd, kRead>(r + s, rowDecay, laneDecay, x, y, c, total[s]);
                }
            }
        }
        if constexpr (!kHeld && (R == 0 || R % kSums != 0)) {
            for (int s = 0; r < rows; ++r, ++s) {
                visit<kDecay, kAdd, kRead>(r, rowDecay, laneDecay, x, y, c, total[s]);
            }
        }
        if constexpr (kRead) {
            for (int l = 0; l < L; ++l) {
                for (int half = kSums / 2; half > 0; half /= 2) {
                    for (int s = 0; s < half; ++s) {
                        total[s].v[l] += total[s + half].v[l];
                    }
                }
            }
        }
        return total[0];
    }
    LAB_INLINE Row read(const T* c) {
        return pass<Decay::kNone, false, true>(nullptr, Row{}, nullptr, Row{}, c);
    }
    LAB_INLINE void add(const T* x, const Row& y) {
        pass<Decay::kNone, true, false>(nullptr, Row{}, x, y, nullptr);
    }
    LAB_INLINE Row addAndRead(const T* x, const Row& y, const T* c) {
        return pass<Decay::kNone, true, true>(nullptr, Row{}, x, y, c);
    }
    LAB_INLINE Row decayRowsAddAndRead(const T* decay, const T* x, const Row& y, const T* c) {
        return pass<Decay::kRows, true, true>(decay, Row{}, x, y, c);
    }
    LAB_INLINE Row decayLanesAddAndRead(const Row& decay, const T* x, const Row& y, const T* c) {
        return pass<Decay::kLanes, true, true>(nullptr, decay, x, y, c);
    }

    LAB_INLINE void multiply(T factor) {
        for (int r = 0; r < (R > 0 ? R : rows); ++r) {
            for (int l = 0; l < L; ++l) {
                set(r, l, broadcast<T>(factor) * get(r, l));
            }
        }
    }
    LAB_INLINE T squaredNorm() const {
        Row squares{};
        for (int r = 0; r < (R > 0 ? R : rows); ++r) {
            for (int l = 0; l < L; ++l) {
                squares.v[l] = fma<T>(get(r, l), get(r, l), squares.v[l]);
            }
        }
        Vec<T> all = squares.v[0];
        for (int l = 1; l < L; ++l) {
            all += squares.v[l];
        }
        return sum<T>(all);
    }
};

/// Splits the lanes of a row (`vectors`; kVectors when known, else 0) into strips of 4, 2 and 1
/// vectors and calls sweep.template operator()<L>(first lane).
template <class T, int kVectors, class Sweep>
LAB_INLINE void forEachStrip(int vectors, const Sweep& sweep) {
    int at = 0;
    if constexpr (kVectors == 0 || kVectors >= 4) {
        for (; at + 4 <= vectors; at += 4) {
            sweep.template operator()<4>(at * kLanes<T>);
        }
    }
    if constexpr (kVectors == 0 || kVectors % 4 >= 2) {
        if (at + 2 <= vectors) {
            sweep.template operator()<2>(at * kLanes<T>);
            at += 2;
        }
    }
    if constexpr (kVectors == 0 || kVectors % 2 == 1) {
        if (at < vectors) {
            sweep.template operator()<1>(at * kLanes<T>);
        }
    }
}

}  // namespace
}  // namespace lab::kernels
