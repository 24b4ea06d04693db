// What the dispatchers hand to the ISA files: plain data without member functions, since an inline
// function shared by files of different instruction sets could be linked in its AVX-512 form.
#pragma once

#include "kernels/cpu/attention_job.h"
#include "kernels/cpu/belief_filter_job.h"
#include "kernels/cpu/gemm_job.h"
#include "kernels/cpu/linear_attention_job.h"
#include "kernels/cpu/recurrent_job.h"
#include "kernels/cpu/row_jobs.h"
#include "kernels/cpu/selective_scan_job.h"
#include "kernels/cpu/strided.h"

namespace lab::kernels::cpu {

/// One call of the delta rule, forward or backward; a field is null where its argument is absent.
template <class T>
struct DeltaJob {
    std::int64_t steps, heads;
    int keyDim, valueDim, householders, tileSteps;
    T scale, epsilon;  ///< epsilon < 0: no normalisation
    Strided<const T> q, k, v, beta, gate;
    const T* initialState;
    // forward
    Strided<T> o;
    T* finalState;
    T* residual;
    float* stateNorm;
    // backward
    const T* savedResidual;
    Strided<const T> gradO;
    const T* gradFinalState;
    Strided<T> gradQ, gradK, gradV, gradBeta, gradGate;
    T* gradInitialState;
    T* rebuiltFinalState;
};

/// Scratch memory of one worker, in elements of T from an aligned base. Rows are padded to whole
/// vectors with zeros, tables hold one tile of tokens, except `allResidualGrad` and `allKeyGrad`,
/// which the first two backward sweeps hand to the third for the whole sequence.
struct DeltaScratch {
    int keyRow, valueRow;  ///< padded lengths
    std::size_t state, stateGrad, stateGradTransposed;
    std::size_t q, k, inverseQ, inverseK, beta, gate;
    std::size_t value;      ///< v; forward turns it into the residual
    std::size_t out, norm;  ///< forward
    std::size_t outGrad, residual, update, dots,
        queryGrad;  ///< backward: scale dO; r; beta r; dBeta; dq
    std::size_t allResidualGrad, allKeyGrad;
    std::size_t size;
};

struct DeltaExtent {
    std::int64_t steps;
    int keyDim, valueDim, householders, tileSteps, lanes;
};

[[maybe_unused]] static constexpr DeltaScratch deltaScratch(const DeltaExtent& e, bool backward) {
    DeltaScratch s{};
    s.keyRow = paddedTo(e.lanes, e.keyDim);
    s.valueRow = paddedTo(e.lanes, e.valueDim);
    const auto key = static_cast<std::size_t>(s.keyRow);
    const auto value = static_cast<std::size_t>(s.valueRow);
    const auto tokens = static_cast<std::size_t>(paddedTo(e.lanes, e.tileSteps));
    const auto rows = static_cast<std::size_t>(paddedTo(e.lanes, e.tileSteps * e.householders));
    const auto allRows =
        static_cast<std::size_t>(e.steps) * static_cast<std::size_t>(e.householders);
    std::size_t at = 0;
    const auto take = [&at](std::size_t count) {
        const std::size_t start = at;
        at += (count + 15) / 16 * 16;  // every table starts on a cache line
        return start;
    };
    const std::size_t wide = key * value;  // covers [K, padded V] and [V, padded K]
    s.state = take(wide);
    s.q = take(tokens * key);
    s.k = take(rows * key);
    s.inverseQ = take(tokens);
    s.inverseK = take(rows);
    s.beta = take(rows);
    s.gate = take(tokens);
    s.value = take(rows * value);
    if (!backward) {
        s.out = take(tokens * value);
        s.norm = take(tokens);
    } else {
        s.stateGrad = take(wide);
        s.stateGradTransposed = take(wide);
        s.outGrad = take(tokens * value);
        s.residual = take(rows * value);
        s.update = take(rows * value);
        s.dots = take(rows);
        s.queryGrad = take(tokens * key);
        s.allResidualGrad = take(allRows * value);
        s.allKeyGrad = take(allRows * key);
    }
    s.size = at;
    return s;
}

constexpr int kMaxConvTaps = 64;

template <class T>
struct ConvJob {
    std::int64_t batch, steps, channels;
    int width;
    bool silu;
    Strided<const T> x;
    const T* weight;
    const T* bias;
    const T* initialState;
    Strided<T> y;
    T* finalState;
    Strided<const T> gradY;
    const T* gradFinalState;
    Strided<T> gradX;
    T* gradInitialState;
    T* partial;  ///< [batch, width + 1, channels]: gradients of the weights, then of the bias
};

/// The kernels of one instruction set and number type. `variant`: 0 any extents, 1..3 the compiled
/// ones, K = V = 16, 32, 64.
template <class T>
struct KernelTable {
    static constexpr int kVariants = 4;
    int lanes;
    void (*deltaForward[kVariants])(const DeltaJob<T>&, std::int64_t item, T* scratch);
    void (*deltaBackward[kVariants])(const DeltaJob<T>&, std::int64_t item, T* scratch);
    /// item = (batch, group)
    void (*linearAttentionForward[kVariants])(const LinearAttentionJob<T>&, std::int64_t item,
                                              T* scratch);
    void (*linearAttentionBackward[kVariants])(const LinearAttentionJob<T>&, std::int64_t item,
                                               T* scratch);
    /// Variants: any number of states, 16. item = (batch, block of `lanes` channels); batch.
    void (*selectiveScanForward[2])(const SelectiveScanJob<T>&, std::int64_t item, T* scratch);
    void (*selectiveScanBackward[2])(const SelectiveScanJob<T>&, std::int64_t item, T* scratch);
    /// item = (batch, group)
    void (*attentionForward)(const AttentionJob<T>&, std::int64_t item, T* scratch);
    void (*attentionBackward)(const AttentionJob<T>&, std::int64_t item, T* scratch);
    void (*gemmPack)(const GemmJob<T>&, std::int64_t panel);
    void (*gemmRows)(const GemmJob<T>&, std::int64_t begin, std::int64_t end);
    void (*sumColumns)(const T* from, std::int64_t rows, std::int64_t columns, T* to);
    /// Cells in the order of kernels::Cell.
    void (*recurrentPack[4])(const RecurrentJob<T>&, std::int64_t block);
    void (*recurrentForward[4])(const RecurrentJob<T>&, std::int64_t begin, std::int64_t end);
    void (*recurrentBackward[4])(const RecurrentJob<T>&, std::int64_t begin, std::int64_t end);
    /// item = (batch, block of `lanes` channels)
    void (*convForward)(const ConvJob<T>&, std::int64_t item);
    void (*convBackward)(const ConvJob<T>&, std::int64_t item);
    /// 1: around the mean of a row
    void (*normForward[2])(const NormJob<T>&, std::int64_t begin, std::int64_t end);
    void (*normBackward[2])(const NormJob<T>&, std::int64_t block);
    void (*gateForward)(const GateJob<T>&, std::int64_t begin, std::int64_t end);
    void (*gateBackward)(const GateJob<T>&, std::int64_t begin, std::int64_t end);
    void (*crossEntropy)(const CrossEntropyJob<T>&, std::int64_t begin, std::int64_t end);
    void (*adamw)(const AdamwJob<T>&, std::int64_t begin, std::int64_t end);
    double (*sumOfSquares)(const T* x, std::int64_t count);
    /// item = batch
    void (*beliefForward)(const BeliefJob<T>&, std::int64_t item);
    void (*beliefBackward)(const BeliefJob<T>&, std::int64_t item, T* scratch);
    double (*probeFma)(std::int64_t rounds);
    double (*probeExp)(std::int64_t rounds);
    void (*probeCopy)(const T* from, T* to, std::int64_t count);
};

}  // namespace lab::kernels::cpu
