// Short convolution and cross-entropy as their formulas say, in float64: oracles for
// tests and benches. Contiguous arrays; an empty vector is an absent argument.
#pragma once

#include <cstdint>
#include <vector>

namespace lab::kernels::reference {

using Numbers = std::vector<double>;

struct ConvProblem {
    int batch = 1, steps = 0, channels = 1, width = 1;
    bool silu = false;
    Numbers x{}, weight{}, bias{}, initialState{};  ///< [B,T,C], [C,W], [C], [B,C,W-1]
    Numbers gradY{}, gradFinalState{};              ///< upstream; empty: zero
};
struct ConvAnswer {
    Numbers y, finalState;
    Numbers gradX, gradWeight, gradBias, gradInitialState;
};
[[nodiscard]] ConvAnswer shortConv(const ConvProblem& problem);

struct CrossEntropyAnswer {
    Numbers loss, gradX;
    std::vector<std::uint8_t> correct;
};
[[nodiscard]] CrossEntropyAnswer crossEntropy(int classes, const Numbers& x,
                                              const std::vector<std::int64_t>& target,
                                              const Numbers& weight);

}  // namespace lab::kernels::reference
