// One call of gated linear attention or of SSD, forward or backward, as the ISA files see it.
#pragma once

#include "kernels/cpu/strided.h"

namespace lab::kernels::cpu {

/// A group of heads shares its queries and keys (SSD); gated linear attention has one head a group.
/// A field is null where its argument is absent.
template <class T>
struct LinearAttentionJob {
    std::int64_t steps, heads, groups;
    int keyDim, valueDim, tileSteps;
    bool vectorGate;  ///< a gate for every key channel; else one number
    T scale;
    Strided<const T> q, k;  ///< head axis: groups
    Strided<const T> v;
    Strided<const T> gate;  ///< log gate; with `rate`: Delta > 0
    const T* rate;          ///< SSD: A [heads]; the log gate is Delta A, the values are Delta x
    const T* skip;          ///< SSD: D [heads]; o += D x
    const T* initialState;
    // forward
    Strided<T> o;
    T* finalState;
    float* stateNorm;
    // backward
    Strided<const T> gradO;
    const T* gradFinalState;
    Strided<T> gradQ, gradK, gradV, gradGate;
    T* gradRate;  ///< [batch, heads]: one number an item, to be summed in order
    T* gradSkip;
    T* gradInitialState;
    T* rebuiltFinalState;
};

/// Scratch of one worker in elements of T. Tables hold one tile of tokens; those called all... hold
/// the whole sequence.
struct LinearAttentionScratch {
    int keyRow, valueRow, gateRow;  ///< padded lengths
    std::size_t state, stateGrad, stateGradTransposed;
    std::size_t q, k, gate, value, input, delta;
    std::size_t out, norm;                    ///< forward
    std::size_t outGrad, queryGrad;           ///< backward
    std::size_t allKeyGrad, allGate, allDot;  ///< of this head: dk; gate terms; <dv', x>
    std::size_t groupQueryGrad, groupKeyGrad;
    std::size_t suffix, lost;  ///< running sum over time and its compensation
    std::size_t size;
};

struct LinearAttentionExtent {
    std::int64_t steps;
    int keyDim, valueDim, tileSteps, lanes;
    bool vectorGate;
};

[[maybe_unused]] static constexpr LinearAttentionScratch linearAttentionScratch(
    const LinearAttentionExtent& e, bool backward) {
    LinearAttentionScratch s{};
    s.keyRow = paddedTo(e.lanes, e.keyDim);
    s.valueRow = paddedTo(e.lanes, e.valueDim);
    s.gateRow = e.vectorGate ? s.keyRow : 1;
    const auto key = static_cast<std::size_t>(s.keyRow);
    const auto value = static_cast<std::size_t>(s.valueRow);
    const auto gate = static_cast<std::size_t>(s.gateRow);
    const auto tokens = static_cast<std::size_t>(paddedTo(e.lanes, e.tileSteps));
    const auto all = static_cast<std::size_t>(e.steps);
    std::size_t at = 0;
    const auto take = [&at](std::size_t count) {
        const std::size_t start = at;
        at += (count + 15) / 16 * 16;
        return start;
    };
    s.state = take(key * value);
    s.q = take(tokens * key);
    s.k = take(tokens * key);
    s.gate = take(tokens * gate);
    s.value = take(tokens * value);
    s.input = take(tokens * value);
    s.delta = take(tokens);
    s.out = take(tokens * value);
    if (!backward) {
        s.norm = take(tokens);
    } else {
        s.stateGrad = take(key * value);
        s.stateGradTransposed = take(key * value);
        s.outGrad = take(tokens * value);
        s.queryGrad = take(tokens * key);
        s.allKeyGrad = take(all * key);
        s.allGate = take(all * gate);
        s.allDot = take(all);
        s.groupQueryGrad = take(all * key);
        s.groupKeyGrad = take(all * key);
        s.suffix = take(key);
        s.lost = take(key);
    }
    s.size = at;
    return s;
}

}  // namespace lab::kernels::cpu
