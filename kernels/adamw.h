// AdamW over all parameters at once, with clipping by the norm of all gradients together.
//
//   g <- scale g;  m <- b1 m + (1 - b1) g;  v <- b2 v + (1 - b2) g^2
//   w <- w (1 - rate decay) - rate / (1 - b1^t) m / (sqrt(v / (1 - b2^t)) + epsilon)
//
// Parameters are a list of spans; one flat buffer is a list of one. An update reads w, g, m, v and
// writes w, m, v once, elementwise: bits depend neither on threads nor on how the buffer is cut.
// Sums of squares are taken in double, span by span in a fixed order. With
// scale = limit / max(limit, |g|) the update is clipped without a pass of its own.
// Sources: Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (1711.05101), algorithm
// 2; Pascanu, Mikolov, Bengio (1211.5063), algorithm 1.
#pragma once

#include <cstdint>

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::kernels {

template <class T>
struct ParameterSpan {
    T* weight = nullptr;
    const T* gradient = nullptr;
    T* first = nullptr;   ///< m
    T* second = nullptr;  ///< v
    std::int64_t count = 0;
    bool decays = false;
};

struct AdamwOptions {
    double rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0.0;
    double gradientScale = 1.0;
    std::int64_t update = 1;  ///< t, from 1
};

template <class T>
[[nodiscard]] Status adamwStep(const ParameterSpan<T>* spans, int count,
                               const AdamwOptions& options, Isa isa = bestIsa(),
                               const Exec& exec = {}) noexcept;
/// sums[i] = sum of the squares of x[i][0..counts[i]). Not finite where a number is not.
template <class T>
[[nodiscard]] Status sumsOfSquares(const T* const* x, const std::int64_t* counts, int spans,
                                   double* sums, Isa isa = bestIsa(),
                                   const Exec& exec = {}) noexcept;
/// Of `numbers` parameters.
[[nodiscard]] Cost adamwCost(std::int64_t numbers) noexcept;

}  // namespace lab::kernels
