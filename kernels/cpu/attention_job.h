// One call of causal attention as the ISA files see it.
#pragma once

#include "kernels/cpu/strided.h"

namespace lab::kernels::cpu {

constexpr int kQueryBlock = 24;  ///< queries worked on together

template <class T>
struct AttentionJob {
    std::int64_t steps, keySteps, heads, groups;
    int keyDim, valueDim, window;
    T scale;
    const T* rotary;  ///< [S][2][K/2]: cosines, sines; null: no rotation
    Strided<const T> q, k, v;
    // forward
    Strided<T> o;
    T* logSum;
    // backward
    Strided<const T> savedO, gradO;
    const T* savedLogSum;
    Strided<T> gradQ, gradK, gradV;
};

/// Scratch of one worker, in elements of T. Rows are padded to whole vectors; `place` is the padded
/// number of key places.
struct AttentionScratch {
    int keyRow, valueRow;
    std::int64_t place;
    std::size_t keys, values;                         ///< [S, keyRow], [S, valueRow]
    std::size_t keysAcross, valuesAcross;             ///< [K, place], [V, place]: transposed
    std::size_t query, weights, out;                  ///< [block, .]: q; p; o or dq
    std::size_t outGrad, slopes, keyGrad, valueGrad;  ///< backward
    std::size_t size;
};

[[maybe_unused]] static constexpr AttentionScratch attentionScratch(std::int64_t keySteps,
                                                                    int keyDim, int valueDim,
                                                                    int lanes, bool backward) {
    AttentionScratch s{};
    s.keyRow = paddedTo(lanes, keyDim);
    s.valueRow = paddedTo(lanes, valueDim);
    // One vector more than needed: rows that lie a power of two apart share few cache sets.
    s.place = (keySteps + lanes - 1) / lanes * lanes + lanes;
    const auto places = static_cast<std::size_t>(s.place);
    const auto key = static_cast<std::size_t>(s.keyRow);
    const auto value = static_cast<std::size_t>(s.valueRow);
    const std::size_t wide = key > value ? key : value;
    std::size_t at = 0;
    const auto take = [&at](std::size_t count) {
        const std::size_t start = at;
        at += (count + 15) / 16 * 16;
        return start;
    };
    s.keys = take(places * key);
    s.values = take(places * value);
    s.keysAcross = take(static_cast<std::size_t>(keyDim) * places);
    s.query = take(kQueryBlock * key);
    s.weights = take(kQueryBlock * places);
    s.out = take(kQueryBlock * wide);
    if (backward) {
        s.valuesAcross = take(static_cast<std::size_t>(valueDim) * places);
        s.outGrad = take(kQueryBlock * value);
        s.slopes = take(kQueryBlock * places);
        s.keyGrad = take(places * key);
        s.valueGrad = take(places * value);
    }
    s.size = at;
    return s;
}

}  // namespace lab::kernels::cpu
