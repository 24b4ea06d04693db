// What makes each cell of kernels/recurrent.h: one step of a vector of units, and its slopes.
//
// `acc`: R h + b; `pre`: W x + b. kCells vectors are carried beside h, the first kGradCells of them
// with a gradient; those end the rows that are saved. kNoUnit: what m starts from.
#pragma once

#include "kernels/simd.h"

namespace lab::kernels {
namespace {

template <class T>
struct LstmCell {
    static constexpr int kGates = 4, kSaved = 5;  // i f g o c
    static constexpr int kRows = LAB_SIMD_BYTES == 64 ? 6 : 2;
    static constexpr int kCells = 1, kGradCells = 1;
    static constexpr bool kOwnRecGrad = false;
    static constexpr T kNoUnit = T(0);

    static LAB_INLINE Vec<T> step(const Vec<T>* acc, const Vec<T>* pre, Vec<T>, Vec<T>* cells,
                                  Vec<T>* saved) {
        Vec<T>& c = cells[0];
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
    static LAB_INLINE void slopes(const Vec<T>* saved, const Vec<T>* before, Vec<T>, Vec<T> dh,
                                  Vec<T>* gradCells, Vec<T>* pre, Vec<T>*, Vec<T>&) {
        Vec<T>& dc = gradCells[0];
        const Vec<T> one = broadcast<T>(T(1));
        const Vec<T> i = saved[0], f = saved[1], g = saved[2], o = saved[3];
        const Vec<T> bent = hyperbolicTangent<T>(saved[4]);
        dc = fma<T>(dh * o, one - bent * bent, dc);
        pre[0] = dc * g * i * (one - i);
        pre[1] = dc * before[0] * f * (one - f);
        pre[2] = dc * i * (one - g * g);
        pre[3] = dh * bent * o * (one - o);
        dc = dc * f;
    }
};

template <class T>
struct GruCell {
    static constexpr int kGates = 3, kSaved = 4;  // r z n, R_n h + b_n
    static constexpr int kRows = LAB_SIMD_BYTES == 64 ? 8 : 4;
    static constexpr int kCells = 0, kGradCells = 0;
    static constexpr bool kOwnRecGrad = true;
    static constexpr T kNoUnit = T(0);

    static LAB_INLINE Vec<T> step(const Vec<T>* acc, const Vec<T>* pre, Vec<T> h, Vec<T>*,
                                  Vec<T>* saved) {
        const Vec<T> r = sigmoid<T>(acc[0] + pre[0]), z = sigmoid<T>(acc[1] + pre[1]);
        const Vec<T> n = hyperbolicTangent<T>(fma<T>(r, acc[2], pre[2]));
        saved[0] = r;
        saved[1] = z;
        saved[2] = n;
        saved[3] = acc[2];
        return fma<T>(z, h - n, n);
    }
    static LAB_INLINE void slopes(const Vec<T>* saved, const Vec<T>*, Vec<T> h, Vec<T> dh, Vec<T>*,
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
    static constexpr int kCells = 0, kGradCells = 0;
    static constexpr bool kOwnRecGrad = false;
    static constexpr T kNoUnit = T(0);

    static LAB_INLINE Vec<T> step(const Vec<T>* acc, const Vec<T>* pre, Vec<T>, Vec<T>*,
                                  Vec<T>* saved) {
        saved[0] = hyperbolicTangent<T>(acc[0] + pre[0]);
        return saved[0];
    }
    static LAB_INLINE void slopes(const Vec<T>* saved, const Vec<T>*, Vec<T>, Vec<T> dh, Vec<T>*,
                                  Vec<T>* pre, Vec<T>*, Vec<T>&) {
        pre[0] = dh * (broadcast<T>(T(1)) - saved[0] * saved[0]);
    }
};

template <class T>
struct SlstmCell {
    static constexpr int kGates = 4, kSaved = 7;  // i' f' z o s(-f) c n
    static constexpr int kRows = LAB_SIMD_BYTES == 64 ? 6 : 2;
    static constexpr int kCells = 3, kGradCells = 2;
    static constexpr bool kOwnRecGrad = false;
    static constexpr T kNoUnit = T(-1e30);

    static LAB_INLINE Vec<T> step(const Vec<T>* acc, const Vec<T>* pre, Vec<T>, Vec<T>* cells,
                                  Vec<T>* saved) {
        const Vec<T> enter = acc[0] + pre[0], keep = acc[1] + pre[1];
        const Vec<T> kept = cells[2] - softplus<T>(-keep);  // log s(f) + m
        const Vec<T> unit = larger<T>(kept, enter);
        const Vec<T> i = exponential<T>(enter - unit), f = exponential<T>(kept - unit);
        const Vec<T> z = hyperbolicTangent<T>(acc[2] + pre[2]), o = sigmoid<T>(acc[3] + pre[3]);
        cells[0] = fma<T>(f, cells[0], i * z);
        cells[1] = fma<T>(f, cells[1], i);
        cells[2] = unit;
        saved[0] = i;
        saved[1] = f;
        saved[2] = z;
        saved[3] = o;
        saved[4] = sigmoid<T>(-keep);
        saved[5] = cells[0];
        saved[6] = cells[1];
        return o * (cells[0] / cells[1]);
    }
    static LAB_INLINE void slopes(const Vec<T>* saved, const Vec<T>* before, Vec<T>, Vec<T> dh,
                                  Vec<T>* gradCells, Vec<T>* pre, Vec<T>*, Vec<T>&) {
        const Vec<T> one = broadcast<T>(T(1));
        const Vec<T> i = saved[0], f = saved[1], z = saved[2], o = saved[3];
        const Vec<T> read = saved[5] / saved[6], share = dh * o / saved[6];
        const Vec<T> dc = gradCells[0] + share, dn = gradCells[1] - share * read;
        pre[0] = fma<T>(dc, z, dn) * i;
        pre[1] = fma<T>(dc, before[0], dn * before[1]) * f * saved[4];
        pre[2] = dc * i * (one - z * z);
        pre[3] = dh * read * o * (one - o);
        gradCells[0] = dc * f;
        gradCells[1] = dn * f;
    }
};

}  // namespace
}  // namespace lab::kernels
