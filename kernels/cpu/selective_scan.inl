// The selective scan: kernels/selective_scan.h has the mathematics.
//
// Channels are lanes, the states of a channel follow one another in registers (N = 16) or memory.
// Forward works on one (batch, vector of channels). Backward works on one batch entry, tile by tile
// from the end and inside a tile block by block, so that the gradients of B and C, which sum over
// all channels, are finished with the tile.
#pragma once

#include "kernels/cpu/channels.inl"
#include "kernels/cpu/jobs.h"
#include "kernels/cpu/rows.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

/// N: states a channel, 0 when known at run time only.
template <class T, int N>
struct SelectiveScanItem {
    static constexpr int kLaneCount = kLanes<T>;
    const cpu::SelectiveScanJob<T>& job;
    std::int64_t b, blocks, tiles;
    std::int64_t block = 0, channel = 0;
    int lanes = 0;  ///< in use in this block
    int states;
    cpu::SelectiveScanScratch at;
    T* scratch;

    LAB_INLINE SelectiveScanItem(const cpu::SelectiveScanJob<T>& call, std::int64_t batch,
                                 T* memory, bool backward)
        : job(call),
          b(batch),
          blocks((call.channels + kLaneCount - 1) / kLaneCount),
          tiles((call.steps + cpu::kScanTile - 1) / cpu::kScanTile),
          states(N > 0 ? N : call.states),
          at(cpu::selectiveScanScratch(states, call.channels, kLaneCount, backward)),
          scratch(memory) {}

    [[nodiscard]] LAB_INLINE T* table(std::size_t offset) const { return scratch + offset; }
    [[nodiscard]] LAB_INLINE T* savedState(std::int64_t tile) const {
        return job.saved + ((b * blocks + block) * tiles + tile) * states * kLaneCount;
    }
    [[nodiscard]] LAB_INLINE Vec<T> channels(const cpu::Strided<const T>& view,
                                             std::int64_t t) const {
        return loadChannels<T>(rowOf(view, b, t, 0) + channel * view.stride[3], view.stride[3],
                               lanes);
    }
    LAB_INLINE void give(const cpu::Strided<T>& view, std::int64_t t, Vec<T> value) const {
        if (view.data != nullptr) {
            storeChannels<T>(rowOf(view, b, t, 0) + channel, 1, value, lanes);
        }
    }
    [[nodiscard]] LAB_INLINE Vec<T> weight(const T* of) const {
        return of == nullptr ? Vec<T>{} : loadChannels<T>(of + channel, 1, lanes);
    }
    /// The N numbers of B_t or C_t side by side; `room` when they are not.
    [[nodiscard]] LAB_INLINE const T* numbers(const cpu::Strided<const T>& view, std::int64_t t,
                                              T* room) const {
        const T* const from = rowOf(view, b, t, 0);
        if (view.stride[3] == 1) {
            return from;
        }
        for (int n = 0; n < states; ++n) {
            room[n] = from[n * view.stride[3]];
        }
        return room;
    }

    LAB_INLINE void enter(std::int64_t which) {
        block = which;
        channel = which * kLaneCount;
        lanes = job.channels - channel < kLaneCount ? static_cast<int>(job.channels - channel)
                                                    : kLaneCount;
    }
    /// A log2(e) of the block at work.
    LAB_INLINE void packRate(T* to) const {
        const Vec<T> toBaseTwo = broadcast<T>(T(1.44269504088896340736));
        for (int n = 0; n < states; ++n) {
            store<T>(to + n * kLaneCount,
                     toBaseTwo * loadChannels<T>(job.a + channel * states + n, states, lanes));
        }
    }
    /// A [lanes, N] of states to and from vectors of lanes.
    LAB_INLINE void loadStates(T* to, const T* from) const {
        for (int n = 0; n < states; ++n) {
            const Vec<T> v = from == nullptr
                                 ? Vec<T>{}
                                 : loadChannels<T>(from + (b * job.channels + channel) * states + n,
                                                   states, lanes);
            store<T>(to + n * kLaneCount, v);
        }
    }
    LAB_INLINE void storeStates(T* to, const T* from) const {
        for (int n = 0; to != nullptr && n < states; ++n) {
            storeChannels<T>(to + (b * job.channels + channel) * states + n, states,
                             load<T>(from + n * kLaneCount), lanes);
        }
    }
    [[nodiscard]] LAB_INLINE Vec<T> deltaOf(Vec<T> raw) const {
        return job.softplus ? softplus<T>(raw) : raw;
    }

    /// What the tokens of a tile bring, computed for all of them first: the chains of a softplus
    /// and a sigmoid are long, and tokens do not wait for each other here.
    struct TileInputs {
        Vec<T> u[cpu::kScanTile], raw[cpu::kScanTile], delta[cpu::kScanTile];
        Vec<T> z[cpu::kScanTile], open[cpu::kScanTile];  ///< open: sigmoid(z)
        Vec<T> outGrad[cpu::kScanTile];                  ///< backward
    };
    LAB_INLINE void prepare(TileInputs& tile, std::int64_t first, int tokens, Vec<T> bias) const {
        for (int t = 0; t < tokens; ++t) {
            tile.u[t] = channels(job.u, first + t);
            tile.raw[t] = channels(job.raw, first + t) + bias;
            tile.delta[t] = deltaOf(tile.raw[t]);
            tile.outGrad[t] =
                job.gradOut.data == nullptr ? Vec<T>{} : channels(job.gradOut, first + t);
        }
        for (int t = 0; job.z.data != nullptr && t < tokens; ++t) {
            tile.z[t] = channels(job.z, first + t);
            tile.open[t] = sigmoid<T>(tile.z[t]);
        }
    }

    using Held = Vec<T>[N > 0 ? N : 1];  ///< the states of a block, in registers

    /// One token: h <- decay h + delta u B, and y. States that are not held stand in memory.
    LAB_INLINE Vec<T> forwardToken(const TileInputs& tile, int t, const T* in, const T* out,
                                   Vec<T> skip, Held& held) const {
        const T* const rate = table(at.rate);
        const Vec<T> delta = tile.delta[t];
        const Vec<T> input = delta * tile.u[t];
        Vec<T> even = skip * tile.u[t], odd{};
        const auto advance = [&](int n, Vec<T> h, Vec<T>& y) LAB_LAMBDA_INLINE {
            const Vec<T> decay = powerOfTwo<T>(delta * load<T>(rate + n * kLaneCount));
            h = fma<T>(decay, h, input * broadcast<T>(in[n]));
            y = fma<T>(broadcast<T>(out[n]), h, y);
            return h;
        };
#pragma GCC unroll 16
        for (int n = 0; n < N; ++n) {
            held[n] = advance(n, held[n], n % 2 == 0 ? even : odd);
        }
        for (int n = 0; N == 0 && n < states; ++n) {
            T* const cell = table(at.state) + n * kLaneCount;
            store<T>(cell, advance(n, load<T>(cell), n % 2 == 0 ? even : odd));
        }
        const Vec<T> y = even + odd;
        return job.z.data == nullptr ? y : y * (tile.z[t] * tile.open[t]);
    }
    LAB_INLINE void keepStates(T* to, const Held& held) const {
#pragma GCC unroll 16
        for (int n = 0; n < N; ++n) {
            store<T>(to + n * kLaneCount, held[n]);
        }
        for (int n = 0; N == 0 && n < states; ++n) {
            store<T>(to + n * kLaneCount, load<T>(table(at.state) + n * kLaneCount));
        }
    }

    LAB_INLINE void forwardBlock() const {
        T roomB[cpu::kMaxStates], roomC[cpu::kMaxStates];
        T* const memory = table(at.state);
        loadStates(memory, job.initialState);
        Held held;
#pragma GCC unroll 16
        for (int n = 0; n < N; ++n) {
            held[n] = load<T>(memory + n * kLaneCount);
        }
        const Vec<T> skip = weight(job.d), bias = weight(job.bias);
        TileInputs tile;
        for (std::int64_t first = 0; first < job.steps; first += cpu::kScanTile) {
            const std::int64_t left = job.steps - first;
            const int tokens = left < cpu::kScanTile ? static_cast<int>(left) : cpu::kScanTile;
            if (job.saved != nullptr) {
                keepStates(savedState(first / cpu::kScanTile), held);
            }
            prepare(tile, first, tokens, bias);
            for (int t = 0; t < tokens; ++t) {
                give(job.out, first + t,
                     forwardToken(tile, t, numbers(job.b, first + t, roomB),
                                  numbers(job.c, first + t, roomC), skip, held));
            }
        }
        keepStates(memory, held);
        storeStates(job.finalState, memory);
    }

    /// States and decays of a tile from the state before it, with the forward's arithmetic.
    LAB_INLINE void rebuild(const TileInputs& tile, std::int64_t first, int tokens) const {
        T room[cpu::kMaxStates];
        const T* const rate = table(at.rate) + block * states * kLaneCount;
        T* before = table(at.state);
        T* decays = table(at.decay);
        const T* const saved = savedState(first / cpu::kScanTile);
        for (int n = 0; n < states; ++n) {
            store<T>(before + n * kLaneCount, load<T>(saved + n * kLaneCount));
        }
        for (int t = 0; t < tokens; ++t) {
            const Vec<T> delta = tile.delta[t];
            const Vec<T> input = delta * tile.u[t];
            const T* const in = numbers(job.b, first + t, room);
#pragma GCC unroll 16
            for (int n = 0; n < (N > 0 ? N : states); ++n) {
                const Vec<T> decay = powerOfTwo<T>(delta * load<T>(rate + n * kLaneCount));
                store<T>(decays + n * kLaneCount, decay);
                store<T>(
                    before + (states + n) * kLaneCount,
                    fma<T>(decay, load<T>(before + n * kLaneCount), input * broadcast<T>(in[n])));
            }
            before += states * kLaneCount;
            decays += states * kLaneCount;
        }
    }

    /// The gradient of y_t = sum_n C_n h_n + D u from that of the output; gives that of z.
    LAB_INLINE Vec<T> readoutGrad(const TileInputs& tile, std::int64_t first, int t, const T* out,
                                  const T* after, Vec<T> skip) const {
        const Vec<T> dy = tile.outGrad[t];
        if (job.z.data == nullptr) {
            return dy;
        }
        const Vec<T> z = tile.z[t], s = tile.open[t];
        if (job.gradZ.data != nullptr) {
            Vec<T> even = skip * tile.u[t], odd{};
#pragma GCC unroll 16
            for (int n = 0; n < (N > 0 ? N : states); ++n) {
                Vec<T>& y = n % 2 == 0 ? even : odd;
                y = fma<T>(broadcast<T>(out[n]), load<T>(after + n * kLaneCount), y);
            }
            const Vec<T> one = broadcast<T>(T(1));
            give(job.gradZ, first + t, dy * (even + odd) * s * (one + z * (one - s)));
        }
        return dy * (z * s);
    }

    /// What the tokens of a tile give to the gradients of this block of channels.
    LAB_INLINE void reverseTile(std::int64_t first, int tokens) const {
        T roomB[cpu::kMaxStates], roomC[cpu::kMaxStates];
        const Vec<T> skip = weight(job.d);
        TileInputs tile;
        prepare(tile, first, tokens, weight(job.bias));
        rebuild(tile, first, tokens);
        T* const adjoint = table(at.adjoint) + block * states * kLaneCount;
        T* const rateGrad = table(at.rateGrad) + block * states * kLaneCount;
        const T* const rate = table(at.rate) + block * states * kLaneCount;
        Vec<T> rawGrad[cpu::kScanTile];
        Vec<T> skipGrad = load<T>(table(at.skipGrad) + block * kLaneCount);
        Vec<T> biasGrad = load<T>(table(at.biasGrad) + block * kLaneCount);
        const Vec<T> ln2 = broadcast<T>(T(0.69314718055994530942));
        for (int t = tokens - 1; t >= 0; --t) {
            const Vec<T> u = tile.u[t], delta = tile.delta[t];
            const Vec<T> input = delta * u;
            const T* const in = numbers(job.b, first + t, roomB);
            const T* const out = numbers(job.c, first + t, roomC);
            const T* const before = table(at.state) + t * states * kLaneCount;
            const T* const after = before + states * kLaneCount;
            const Vec<T> dy = readoutGrad(tile, first, t, out, after, skip);
            Vec<T> seen{}, slope{};  // sum_n lambda B; sum_n lambda h_before decay A
            const T* const decays = table(at.decay) + t * states * kLaneCount;
            T* const inputGrad = table(at.inputGrad) + t * states * kLaneCount;
            T* const outputGrad = table(at.outputGrad) + t * states * kLaneCount;
#pragma GCC unroll 16
            for (int n = 0; n < (N > 0 ? N : states); ++n) {
                const int v = n * kLaneCount;
                const Vec<T> lambda = fma<T>(broadcast<T>(out[n]), dy, load<T>(adjoint + v));
                store<T>(outputGrad + v, fma<T>(dy, load<T>(after + v), load<T>(outputGrad + v)));
                store<T>(inputGrad + v, fma<T>(lambda, input, load<T>(inputGrad + v)));
                seen = fma<T>(lambda, broadcast<T>(in[n]), seen);
                const Vec<T> carried = lambda * load<T>(decays + v);
                const Vec<T> w = carried * load<T>(before + v);
                slope = fma<T>(w, load<T>(rate + v), slope);
                store<T>(rateGrad + v, fma<T>(w, delta, load<T>(rateGrad + v)));
                store<T>(adjoint + v, carried);
            }
            give(job.gradU, first + t, fma<T>(delta, seen, skip * dy));
            rawGrad[t] = fma<T>(slope, ln2, seen * u);
            skipGrad = fma<T>(dy, u, skipGrad);
        }
        for (int t = tokens - 1; t >= 0; --t) {
            if (job.softplus) {
                rawGrad[t] = rawGrad[t] * sigmoid<T>(tile.raw[t]);
            }
            give(job.gradRaw, first + t, rawGrad[t]);
            biasGrad += rawGrad[t];
        }
        store<T>(table(at.skipGrad) + block * kLaneCount, skipGrad);
        store<T>(table(at.biasGrad) + block * kLaneCount, biasGrad);
    }

    /// Gradients of B or C of a tile: sums over the lanes.
    LAB_INLINE void giveSums(const cpu::Strided<T>& to, std::int64_t first, int tokens,
                             std::size_t from) const {
        for (int t = 0; to.data != nullptr && t < tokens; ++t) {
            for (int n = 0; n < states; ++n) {
                rowOf(to, b, first + t, 0)[n] =
                    sum<T>(load<T>(table(from) + (t * states + n) * kLaneCount));
            }
        }
    }
    LAB_INLINE void clear(std::size_t offset, std::int64_t vectors) const {
        for (std::int64_t i = 0; i < vectors; ++i) {
            store<T>(table(offset) + i * kLaneCount, Vec<T>{});
        }
    }
    void backward() {
        for (std::int64_t i = 0; i < blocks; ++i) {
            enter(i);
            packRate(table(at.rate) + i * states * kLaneCount);
            loadStates(table(at.adjoint) + i * states * kLaneCount, job.gradFinalState);
        }
        clear(at.rateGrad, blocks * states);
        clear(at.skipGrad, blocks);
        clear(at.biasGrad, blocks);
        for (std::int64_t tile = tiles - 1; tile >= 0; --tile) {
            const std::int64_t first = tile * cpu::kScanTile;
            const std::int64_t left = job.steps - first;
            const int tokens = left < cpu::kScanTile ? static_cast<int>(left) : cpu::kScanTile;
            clear(at.inputGrad, cpu::kScanTile * states);
            clear(at.outputGrad, cpu::kScanTile * states);
            for (std::int64_t i = 0; i < blocks; ++i) {
                enter(i);
                reverseTile(first, tokens);
            }
            giveSums(job.gradB, first, tokens, at.inputGrad);
            giveSums(job.gradC, first, tokens, at.outputGrad);
        }
        for (std::int64_t i = 0; i < blocks; ++i) {
            enter(i);
            storeStates(job.gradInitialState, table(at.adjoint) + i * states * kLaneCount);
            storeStates(job.gradA, table(at.rateGrad) + i * states * kLaneCount);
            giveWeight(job.gradD, at.skipGrad);
            giveWeight(job.gradBias, at.biasGrad);
        }
    }
    LAB_INLINE void giveWeight(T* to, std::size_t from) const {
        if (to != nullptr) {
            storeChannels<T>(to + b * job.channels + channel, 1,
                             load<T>(table(from) + block * kLaneCount), lanes);
        }
    }
};

/// item = (batch, block of `lanes` channels)
template <class T, int N>
void selectiveScanForwardItem(const cpu::SelectiveScanJob<T>& job, std::int64_t index, T* scratch) {
    const FlushDenormals flush;
    const std::int64_t blocks = (job.channels + kLanes<T> - 1) / kLanes<T>;
    SelectiveScanItem<T, N> item(job, index / blocks, scratch, false);
    item.enter(index % blocks);
    item.packRate(item.table(item.at.rate));
    item.forwardBlock();
}
/// item = batch
template <class T, int N>
void selectiveScanBackwardItem(const cpu::SelectiveScanJob<T>& job, std::int64_t index,
                               T* scratch) {
    const FlushDenormals flush;
    SelectiveScanItem<T, N> item(job, index, scratch, true);
    item.backward();
}

}  // namespace
}  // namespace lab::kernels
