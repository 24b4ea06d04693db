// A thin vector layer: one register of T, as wide as the including file says in LAB_SIMD_BYTES.
//
// Everything is in an anonymous namespace and inlined by force, so that a file compiled for AVX-512
// never donates a function to a program that runs on an older CPU. Every operation is elementwise
// or has a fixed order, and nothing is contracted behind our back (-ffp-contract=off), so a result
// depends on the register width alone.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstdint>

#ifndef LAB_SIMD_BYTES
#define LAB_SIMD_BYTES 16
#endif

#define LAB_INLINE inline __attribute__((always_inline))
#define LAB_NOINLINE __attribute__((noinline))
#define LAB_LAMBDA_INLINE __attribute__((always_inline))  ///< behind the parameters of a lambda

namespace lab::kernels {
namespace {

template <class T>
struct SimdTypes;
template <>
struct SimdTypes<float> {
    using Vector __attribute__((vector_size(LAB_SIMD_BYTES))) = float;
    using Mask __attribute__((vector_size(LAB_SIMD_BYTES))) = std::int32_t;
    using Integer = std::int32_t;
    static constexpr int kMantissaBits = 23, kBias = 127, kExpTerms = 7;
    static constexpr float kRoundMagic = 12582912.0F;  // 1.5 * 2^23: adding it rounds to integers
    static constexpr float kExpLow = -86.5F, kExpHigh = 88.8F;
    static constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F;
};
template <>
struct SimdTypes<double> {
    using Vector __attribute__((vector_size(LAB_SIMD_BYTES))) = double;
    using Mask __attribute__((vector_size(LAB_SIMD_BYTES))) = std::int64_t;
    using Integer = std::int64_t;
    static constexpr int kMantissaBits = 52, kBias = 1023, kExpTerms = 13;
    static constexpr double kRoundMagic = 6755399441055744.0;  // 1.5 * 2^52
    static constexpr double kExpLow = -707.5, kExpHigh = 709.8;
    static constexpr double kLn2High = 6.93145751953125e-1, kLn2Low = 1.42860682030941723212e-6;
};

template <class T>
using Vec = typename SimdTypes<T>::Vector;
template <class T>
using Mask = typename SimdTypes<T>::Mask;
template <class T>
constexpr int kLanes = LAB_SIMD_BYTES / static_cast<int>(sizeof(T));

template <class T>
LAB_INLINE Vec<T> load(const T* from) {
    Vec<T> v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
template <class T>
LAB_INLINE void store(T* to, Vec<T> v) {
    __builtin_memcpy(to, &v, sizeof v);
}
template <class T>
LAB_INLINE Vec<T> broadcast(T x) {
    return x - Vec<T>{};  // x - 0 keeps the sign of zero
}

/// a * b + c: one rounding where the machine has it, else two.
template <class T>
LAB_INLINE Vec<T> fma(Vec<T> a, Vec<T> b, Vec<T> c) {
#if defined(__FMA__)
    if constexpr (sizeof(T) == 4) {
#if LAB_SIMD_BYTES == 64
        return _mm512_fmadd_ps(a, b, c);
#elif LAB_SIMD_BYTES == 32
        return _mm256_fmadd_ps(a, b, c);
#else
        return _mm_fmadd_ps(a, b, c);
#endif
    } else {
#if LAB_SIMD_BYTES == 64
        return _mm512_fmadd_pd(a, b, c);
#elif LAB_SIMD_BYTES == 32
        return _mm256_fmadd_pd(a, b, c);
#else
        return _mm_fmadd_pd(a, b, c);
#endif
    }
#else
    return a * b + c;
#endif
}

template <class T>
LAB_INLINE Vec<T> select(Mask<T> where, Vec<T> yes, Vec<T> no) {
    return where ? yes : no;
}
template <class T>
LAB_INLINE Vec<T> larger(Vec<T> a, Vec<T> b) {  // b when one of them is NaN
    return select<T>(a > b, a, b);
}

template <class T>
LAB_INLINE Vec<T> squareRoot(Vec<T> x) {
#if defined(__SSE2__)
    if constexpr (sizeof(T) == 4) {
#if LAB_SIMD_BYTES == 64
        return _mm512_maskz_sqrt_ps(0xffff, x);  // the plain one warns in g++ 12
#elif LAB_SIMD_BYTES == 32
        return _mm256_sqrt_ps(x);
#else
        return _mm_sqrt_ps(x);
#endif
    } else {
#if LAB_SIMD_BYTES == 64
        return _mm512_maskz_sqrt_pd(0xff, x);
#elif LAB_SIMD_BYTES == 32
        return _mm256_sqrt_pd(x);
#else
        return _mm_sqrt_pd(x);
#endif
    }
#else
    for (int i = 0; i < kLanes<T>; ++i) {
        x[i] = sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(static_cast<float>(x[i])))
                              : static_cast<T>(__builtin_sqrt(x[i]));
    }
    return x;
#endif
}

/// The first `count` lanes from memory, the others zero. Reads nothing behind them.
template <class T>
LAB_INLINE Vec<T> loadPartial(const T* from, int count) {
#if LAB_SIMD_BYTES == 64
    if constexpr (sizeof(T) == 4) {
        return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1U), from);
    } else {
        return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), from);
    }
#else
    Vec<T> v{};
    for (int i = 0; i < count; ++i) {
        v[i] = from[i];
    }
    return v;
#endif
}
template <class T>
LAB_INLINE void storePartial(T* to, Vec<T> v, int count) {
#if LAB_SIMD_BYTES == 64
    if constexpr (sizeof(T) == 4) {
        _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1U), v);
    } else {
        _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1U), v);
    }
#else
    for (int i = 0; i < count; ++i) {
        to[i] = v[i];
    }
#endif
}

/// The halves are added, then the halves of that, down to one number.
template <class T>
LAB_INLINE T sum(Vec<T> v) {
#if LAB_SIMD_BYTES > 16
    if constexpr (sizeof(T) == 4) {
#if LAB_SIMD_BYTES == 64
        const __m256 half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                            __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
#else
        const __m256 half = v;
#endif
        __m128 x = _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1);
        x = x + _mm_movehl_ps(x, x);
        return _mm_cvtss_f32(x + _mm_movehdup_ps(x));
    } else {
#if LAB_SIMD_BYTES == 64
        const __m256d half =
            __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
        const __m256d half = v;
#endif
        const __m128d x = _mm256_castpd256_pd128(half) + _mm256_extractf128_pd(half, 1);
        return _mm_cvtsd_f64(x + _mm_unpackhi_pd(x, x));
    }
#else
    if constexpr (sizeof(T) == 4) {
        return (v[0] + v[2]) + (v[1] + v[3]);
    } else {
        return v[0] + v[1];
    }
#endif
}
template <class T>
LAB_INLINE T largest(Vec<T> v) {
    T most = v[0];
    for (int i = 1; i < kLanes<T>; ++i) {
        most = v[i] > most ? v[i] : most;
    }
    return most;
}

#if LAB_SIMD_BYTES == 64
/// x 2^n for whole n; zero or infinity where it does not fit.
template <class T>
LAB_INLINE Vec<T> timesPowerOfTwo(Vec<T> x, Vec<T> n) {
    if constexpr (sizeof(T) == 4) {
        return _mm512_maskz_scalef_ps(0xffff, x, n);
    } else {
        return _mm512_maskz_scalef_pd(0xff, x, n);
    }
}
template <class T>
LAB_INLINE Vec<T> nearestInteger(Vec<T> x) {
    if constexpr (sizeof(T) == 4) {
        return _mm512_maskz_roundscale_ps(0xffff, x, 0);
    } else {
        return _mm512_maskz_roundscale_pd(0xff, x, 0);
    }
}
#endif

/// e^x to about one unit in the last place; exactly 1 at 0; 0 where the result would be denormal
/// (under FlushDenormals).
/// x = n ln 2 + r with |r| <= ln 2 / 2, then the Taylor polynomial of e^r times 2^n.
template <class T>
LAB_INLINE Vec<T> exponential(Vec<T> x) {
    using Types = SimdTypes<T>;
    const Vec<T> high = broadcast<T>(Types::kExpHigh);
#if LAB_SIMD_BYTES == 64
    x = larger<T>(broadcast<T>(T(1.25) * Types::kExpLow), x);  // flushed; NaN passes through
#else
    const Vec<T> low = broadcast<T>(Types::kExpLow);
    const Mask<T> vanishes = x < low;
    x = select<T>(vanishes, low, x);
#endif
    x = select<T>(x > high, high, x);
    const Vec<T> magic = broadcast<T>(Types::kRoundMagic);
    const Vec<T> shifted = fma<T>(x, broadcast<T>(T(1.44269504088896340736)), magic);
    const Vec<T> n = shifted - magic;
    Vec<T> r = fma<T>(n, broadcast<T>(-Types::kLn2High), x);
    r = fma<T>(n, broadcast<T>(-Types::kLn2Low), r);
    double factorial[Types::kExpTerms + 1] = {1.0};
    for (int i = 1; i <= Types::kExpTerms; ++i) {
        factorial[i] = factorial[i - 1] * i;
    }
    Vec<T> p = broadcast<T>(T(1.0 / factorial[Types::kExpTerms]));
#pragma GCC unroll 16
    for (int i = Types::kExpTerms - 1; i >= 0; --i) {
        p = fma<T>(p, r, broadcast<T>(T(1.0 / factorial[i])));
    }
#if LAB_SIMD_BYTES == 64
    return timesPowerOfTwo<T>(p, n);
#else
    // 2^(n-1) from the integer in the low bits of `shifted`, then once more 2: n may be 128.
    const auto bits = __builtin_bit_cast(Mask<T>, shifted) - __builtin_bit_cast(Mask<T>, magic);
    const auto scale = __builtin_bit_cast(
        Vec<T>, (bits + (Types::kBias - 1))
                    << static_cast<typename Types::Integer>(Types::kMantissaBits));
    return select<T>(vanishes, Vec<T>{}, p * scale * T(2));
#endif
}

/// 2^x for x <= 0, to two units in the last place; 0 where the result would be denormal
/// (under FlushDenormals).
template <class T>
LAB_INLINE Vec<T> powerOfTwo(Vec<T> x) {
    using Types = SimdTypes<T>;
    const Vec<T> low = broadcast<T>(T(1 - Types::kBias));
#if LAB_SIMD_BYTES == 64
    x = larger<T>(low, x);  // NaN passes through; 2^low is flushed with the other denormals
    const Vec<T> n = nearestInteger<T>(x);
    const Vec<T> f = x - n;
#else
    const Mask<T> vanishes = x < low;
    x = select<T>(vanishes, low, x);  // NaN passes through
    const Vec<T> magic = broadcast<T>(Types::kRoundMagic);
    const Vec<T> shifted = x + magic;
    const Vec<T> f = x - (shifted - magic);
#endif
    double term[Types::kExpTerms + 1] = {1.0};
    for (int i = 1; i <= Types::kExpTerms; ++i) {
        term[i] = term[i - 1] * 0.69314718055994530942 / i;
    }
    Vec<T> p = broadcast<T>(T(term[Types::kExpTerms]));
#pragma GCC unroll 16
    for (int i = Types::kExpTerms - 1; i >= 0; --i) {
        p = fma<T>(p, f, broadcast<T>(T(term[i])));
    }
#if LAB_SIMD_BYTES == 64
    return timesPowerOfTwo<T>(p, n);
#else
    const auto n = __builtin_bit_cast(Mask<T>, shifted) - __builtin_bit_cast(Mask<T>, magic);
    const auto power = __builtin_bit_cast(
        Vec<T>, (n + Types::kBias) << static_cast<typename Types::Integer>(Types::kMantissaBits));
    return select<T>(vanishes, Vec<T>{}, p * power);
#endif
}

template <class T>
LAB_INLINE Vec<T> sigmoid(Vec<T> x) {
    const Vec<T> one = broadcast<T>(T(1));
    return one / (one + exponential<T>(-x));
}

/// (1 - e) / (1 + e) with e = exp(-2 |x|): the error is relative to 1, not to small results.
template <class T>
LAB_INLINE Vec<T> hyperbolicTangent(Vec<T> x) {
    const Vec<T> one = broadcast<T>(T(1));
    const Vec<T> size = larger<T>(x, -x);
    const Vec<T> e = exponential<T>(size * T(-2));
    const Vec<T> t = (one - e) / (one + e);
    return select<T>(x < Vec<T>{}, -t, t);
}

/// log(1 + e^x) = max(x, 0) + log1p(y), y = exp(-|x|); log1p(y) = 2 atanh(y / (2 + y)) by its
/// series, whose argument is at most 1/3.
template <class T>
LAB_INLINE Vec<T> softplus(Vec<T> x) {
    constexpr int kTerms = sizeof(T) == 4 ? 8 : 17;
    const Vec<T> y = exponential<T>(-larger<T>(x, -x));
    const Vec<T> s = y / (y + T(2));
    const Vec<T> square = s * s;
    Vec<T> p = broadcast<T>(T(1.0 / (2 * kTerms + 1)));
#pragma GCC unroll 17
    for (int i = kTerms - 1; i >= 0; --i) {
        p = fma<T>(p, square, broadcast<T>(T(1.0 / (2 * i + 1))));
    }
    return larger<T>(x, Vec<T>{}) + (s + s) * p;
}

}  // namespace
}  // namespace lab::kernels
