// Calls of the operations on rows and of the optimiser, as the ISA files see them.
#pragma once

#include <cstdint>

namespace lab::kernels::cpu {

template <class T>
struct NormJob {
    std::int64_t rows, inputStride, outputStride;
    int width;
    T epsilon;
    T divisor;  ///< of the sum of squares: width, or 1 for L2
    const T* x;
    const T* weight;
    const T* bias;
    T* y;
    T* inverse;
    T* mean;
    const T* savedInverse;
    const T* savedMean;
    const T* gradY;
    T* gradX;
    T* partial;  ///< [blocks, 2, width]: of the weight, of the bias; null: not wanted
    std::int64_t rowsPerBlock;
};

/// silu(gate) times up, row by row.
template <class T>
struct GateJob {
    std::int64_t width, gateStride, upStride, outStride;
    const T* gate;
    const T* up;
    T* out;
    const T* gradOut;
    T* gradGate;
    T* gradUp;
};

template <class T>
struct CrossEntropyJob {
    std::int64_t rows;
    int classes;
    const T* x;
    const std::int64_t* target;
    const T* weight;
    T* loss;
    T* gradX;
    std::uint8_t* correct;
};

/// One span of parameters; `keep` = 1 - rate decay, `step` = rate / (1 - b1^t), `root` = 1 / sqrt(1
/// - b2^t), one1 = 1 - b1.
template <class T>
struct AdamwJob {
    T* weight;
    const T* gradient;
    T* first;
    T* second;
    T beta1, beta2, one1, one2, epsilon, scale, step, root, keep;
};

}  // namespace lab::kernels::cpu
