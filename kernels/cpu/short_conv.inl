// The short convolution of one batch entry and one vector of channels, walked in time with the last
// W inputs in registers.
#pragma once

#include "kernels/cpu/channels.inl"
#include "kernels/cpu/jobs.h"
#include "kernels/cpu/rows.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

/// One item. W: taps, 0 when known at run time only (then at most 64).
template <class T, int W>
struct ConvItem {
    static constexpr int kMaxTaps = W > 0 ? W : cpu::kMaxConvTaps;
    const cpu::ConvJob<T>& job;
    std::int64_t b, c;
    int count, taps;
    Vec<T> tap[kMaxTaps];
    Vec<T> window[kMaxTaps];  ///< x[t - W + 1 .. t]
    Vec<T> bias{};

    LAB_INLINE ConvItem(const cpu::ConvJob<T>& call, std::int64_t item) : job(call) {
        const std::int64_t blocks = (job.channels + kLanes<T> - 1) / kLanes<T>;
        b = item / blocks;
        c = item % blocks * kLanes<T>;
        count = job.channels - c < kLanes<T> ? static_cast<int>(job.channels - c) : kLanes<T>;
        taps = W > 0 ? W : job.width;
        for (int w = 0; w < taps; ++w) {
            tap[w] = loadChannels<T>(job.weight + c * taps + w, taps, count);
            // One step behind: advance() shifts before it reads.
            window[w] = w > 0 && job.initialState != nullptr
                            ? loadChannels<T>(job.initialState + stateAt(w - 1), taps - 1, count)
                            : Vec<T>{};
        }
        if (job.bias != nullptr) {
            bias = loadChannels<T>(job.bias + c, 1, count);
        }
    }

    /// Where carried input `w` (0 = oldest) of the first channel lies; channels are W - 1 apart.
    [[nodiscard]] LAB_INLINE std::int64_t stateAt(int w) const {
        return (b * job.channels + c) * (taps - 1) + w;
    }
    /// Rows lie far apart, where no prefetcher of the hardware follows: the row kAhead tokens on is
    /// called for.
    [[nodiscard]] LAB_INLINE Vec<T> channels(const cpu::Strided<const T>& from,
                                             std::int64_t t) const {
        constexpr std::int64_t kAhead = 12;
        const T* const row = rowOf(from, b, t, 0) + c * from.stride[3];
        __builtin_prefetch(row + kAhead * from.stride[1]);
        return loadChannels<T>(row, from.stride[3], count);
    }
    static LAB_INLINE void shiftIn(Vec<T>* rows, int n, Vec<T> newest) {
        for (int w = 0; w + 1 < kMaxTaps && w + 1 < n; ++w) {
            rows[w] = rows[w + 1];
        }
        rows[n - 1] = newest;
    }
    /// Takes x[t] in; the value before the activation.
    LAB_INLINE Vec<T> advance(std::int64_t t) {
        shiftIn(window, taps, channels(job.x, t));
        Vec<T> total = bias;
        for (int w = 0; w < taps; ++w) {
            total = fma<T>(tap[w], window[w], total);
        }
        return total;
    }

    LAB_INLINE void forward() {
        for (std::int64_t t = 0; t < job.steps; ++t) {
            Vec<T> y = advance(t);
            if (job.silu) {
                y = y * sigmoid<T>(y);
            }
            storeChannels<T>(rowOf(job.y, b, t, 0) + c * job.y.stride[3], job.y.stride[3], y,
                             count);
        }
        for (int w = 0; job.finalState != nullptr && w + 1 < taps; ++w) {
            storeChannels<T>(job.finalState + stateAt(w), taps - 1, window[w + 1], count);
        }
    }

    /// Gradient of x[at], which lies in the carried inputs when at < 0. Carried outputs add theirs.
    LAB_INLINE void emit(std::int64_t at, Vec<T> gradient) const {
        if (at + (taps - 1) >= job.steps && job.gradFinalState != nullptr) {
            const int w = static_cast<int>(at + (taps - 1) - job.steps);
            gradient += loadChannels<T>(job.gradFinalState + stateAt(w), taps - 1, count);
        }
        if (at < 0) {
            if (job.gradInitialState != nullptr) {
                storeChannels<T>(job.gradInitialState + stateAt(static_cast<int>(at) + taps - 1),
                                 taps - 1, gradient, count);
            }
        } else if (job.gradX.data != nullptr) {
            storeChannels<T>(rowOf(job.gradX, b, at, 0) + c * job.gradX.stride[3],
                             job.gradX.stride[3], gradient, count);
        }
    }

    /// Takes x[t] in; the gradient before the activation.
    LAB_INLINE Vec<T> retreat(std::int64_t t) {
        const Vec<T> before = advance(t);
        Vec<T> grad{};
        if (job.gradY.data != nullptr) {
            grad = channels(job.gradY, t);
        }
        if (job.silu) {  // (x s)' = s (1 + x (1 - s))
            const Vec<T> s = sigmoid<T>(before);
            const Vec<T> one = broadcast<T>(T(1));
            grad = grad * s * fma<T>(before, one - s, one);
        }
        return grad;
    }

    LAB_INLINE void backward() {
        Vec<T> tapGrad[kMaxTaps];
        Vec<T> recent[kMaxTaps];  // gradients before the activation, of tokens t - W + 1 .. t
        Vec<T> biasGrad{};
        for (int w = 0; w < taps; ++w) {
            tapGrad[w] = Vec<T>{};
            recent[w] = Vec<T>{};
        }
        for (std::int64_t t = 0; t < job.steps + taps - 1; ++t) {
            Vec<T> grad{};
            if (t < job.steps) {
                grad = retreat(t);
                for (int w = 0; w < taps; ++w) {
                    tapGrad[w] = fma<T>(grad, window[w], tapGrad[w]);
                }
                biasGrad += grad;
            }
            shiftIn(recent, taps, grad);
            Vec<T> total{};  // x[t - W + 1] met tap w at time t - w
            for (int w = 0; w < taps; ++w) {
                total = fma<T>(tap[w], recent[taps - 1 - w], total);
            }
            emit(t - (taps - 1), total);
        }
        if (job.partial != nullptr) {
            storePartials(tapGrad, biasGrad);
        }
    }
    LAB_INLINE void storePartials(const Vec<T>* tapGrad, Vec<T> biasGrad) const {
        T* const to = job.partial + b * (taps + 1) * job.channels + c;
        for (int w = 0; w < taps; ++w) {
            storeChannels<T>(to + w * job.channels, 1, tapGrad[w], count);
        }
        storeChannels<T>(to + taps * job.channels, 1, biasGrad, count);
    }
};

template <class T, int W>
void convForwardWidth(const cpu::ConvJob<T>& job, std::int64_t item) {
    ConvItem<T, W>(job, item).forward();
}
template <class T, int W>
void convBackwardWidth(const cpu::ConvJob<T>& job, std::int64_t item) {
    ConvItem<T, W>(job, item).backward();
}

template <class T>
void convForwardItem(const cpu::ConvJob<T>& job, std::int64_t item) {
    const FlushDenormals flush;
    switch (job.width) {
        case 1: convForwardWidth<T, 1>(job, item); break;
        case 2: convForwardWidth<T, 2>(job, item); break;
        case 3: convForwardWidth<T, 3>(job, item); break;
        case 4: convForwardWidth<T, 4>(job, item); break;
        default: convForwardWidth<T, 0>(job, item);
    }
}
template <class T>
void convBackwardItem(const cpu::ConvJob<T>& job, std::int64_t item) {
    const FlushDenormals flush;
    switch (job.width) {
        case 1: convBackwardWidth<T, 1>(job, item); break;
        case 2: convBackwardWidth<T, 2>(job, item); break;
        case 3: convBackwardWidth<T, 3>(job, item); break;
        case 4: convBackwardWidth<T, 4>(job, item); break;
        default: convBackwardWidth<T, 0>(job, item);
    }
}

}  // namespace
}  // namespace lab::kernels
