// One call of the selective scan as the ISA files see it.
#pragma once

#include "kernels/cpu/strided.h"

namespace lab::kernels::cpu {

constexpr int kScanTile = 8;
constexpr int kMaxStates = 256;

/// A field is null where its argument is absent. View axes as ever, with one head.
template <class T>
struct SelectiveScanJob {
    std::int64_t steps, channels;
    int states;
    bool softplus;
    Strided<const T> u, raw, z, b, c;
    const T* a;
    const T* d;
    const T* bias;
    const T* initialState;
    T* saved;  ///< [B, blocks, tiles, N, lanes]: the state before each tile
    // forward
    Strided<T> out;
    T* finalState;
    // backward
    Strided<const T> gradOut;
    const T* gradFinalState;
    Strided<T> gradU, gradRaw, gradZ, gradB, gradC;
    T* gradA;     ///< [B, C, N]: of each batch entry, to be summed in order
    T* gradD;     ///< [B, C]
    T* gradBias;  ///< [B, C]
    T* gradInitialState;
};

/// Scratch of one worker, in elements of T; every table is of whole vectors of channels.
struct SelectiveScanScratch {
    std::size_t rate;     ///< [blocks, N]: A log2(e), transposed; forward of one block
    std::size_t decay;    ///< [tile, N]: backward, of one block
    std::size_t state;    ///< [tile + 1, N]: backward, of one block; forward [N] when N is not 16
    std::size_t adjoint;  ///< [blocks, N]: gradient of the state, kept from tile to tile
    std::size_t rateGrad, skipGrad, biasGrad;  ///< [blocks, N], [blocks], [blocks]
    std::size_t inputGrad, outputGrad;         ///< [tile, N]: of B and C, summed over blocks
    std::size_t size;
};

[[maybe_unused]] static constexpr SelectiveScanScratch selectiveScanScratch(int states,
                                                                            std::int64_t channels,
                                                                            int lanes,
                                                                            bool backward) {
    SelectiveScanScratch s{};
    const auto n = static_cast<std::size_t>(states) * static_cast<std::size_t>(lanes);
    const auto blocks = static_cast<std::size_t>((channels + lanes - 1) / lanes);
    std::size_t at = 0;
    const auto take = [&at](std::size_t count) {
        const std::size_t start = at;
        at += (count + 15) / 16 * 16;
        return start;
    };
    s.rate = take((backward ? blocks : 1) * n);
    s.state = take((backward ? kScanTile + 1 : 1) * n);
    if (backward) {
        s.decay = take(kScanTile * n);
        s.adjoint = take(blocks * n);
        s.rateGrad = take(blocks * n);
        s.skipGrad = take(blocks * static_cast<std::size_t>(lanes));
        s.biasGrad = take(blocks * static_cast<std::size_t>(lanes));
        s.inputGrad = take(kScanTile * n);
        s.outputGrad = take(kScanTile * n);
    }
    s.size = at;
    return s;
}

}  // namespace lab::kernels::cpu
