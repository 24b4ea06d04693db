// The delta rule family as differentiable operations (formulas: kernels/delta_rule.h).
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/ops/execution.h"

namespace lab::ops {

/// Shapes as in kernels/delta_rule.h, of any strides: q [B,T,H,K]; k [B,T n,H,K], v [B,T n,H,V],
/// beta [B,T n,H]; gate, the log of the decay, [B,T,H] or undefined; initialState [B,H,K,V] or
/// undefined.
struct DeltaArguments {
    at::Tensor q{}, k{}, v{}, beta{}, gate{}, initialState{};
    double scale = 1.0;
    double normaliseEpsilon = -1.0;  ///< >= 0: q and k are divided by sqrt(|x|^2 + epsilon)
};

struct DeltaResult {
    at::Tensor o{};           ///< [B,T,H,V]
    at::Tensor finalState{};  ///< [B,H,K,V]
    at::Tensor stateNorm{};   ///< [B,T,H] float, when it was asked for; no gradient
};

/// CPU: our kernel. CUDA: the chunk form of delta_rule_peers.h. Gradients of o and finalState reach
/// every argument; those not wanted are not computed.
[[nodiscard]] DeltaResult deltaRule(const DeltaArguments& in, const Execution& execution = {},
                                    bool wantsStateNorm = false);

/// What the delta rule reads, from one projection of each token.
///
///   y = W h;  (q, k_1, v_1, x_1, .., k_n, v_n, x_n) = y;  beta_j = range sigmoid(slope (x_j +
///   bias_j))
///
/// and with `silu` q and k pass through SiLU. q and k are then normalised (normaliseEpsilon).
struct ProjectedDelta {
    std::int64_t batch = 0, steps = 0, heads = 0, keyDim = 0, valueDim = 0, householders = 1;
    double betaRange = 2.0, betaSlope = 1.0;
    bool silu = false;
    double normaliseEpsilon = 1e-6;

    /// Rows of W.
    [[nodiscard]] std::int64_t projectionWidth() const {
        return heads * (keyDim + householders * (keyDim + valueDim + 1));
    }
};

struct ProjectedDeltaResult {
    at::Tensor o;           ///< [batch steps, heads valueDim]
    at::Tensor finalState;  ///< [batch, heads, keyDim, valueDim]; no gradient
    at::Tensor stateNorm;   ///< as in DeltaResult
    at::Tensor q, k, v;     ///< views of the projection as the rule reads it; no gradient
    at::Tensor beta;        ///< [batch, steps n, heads]; no gradient
};

/// One node from the rows h [batch steps, width] to the read-outs: the slices of the projection are
/// passed to the kernel without copies, and their gradients are written into one buffer. CPU only.
[[nodiscard]] ProjectedDeltaResult projectedDeltaRule(
    const ProjectedDelta& shape, const at::Tensor& h, const at::Tensor& weight,
    const at::Tensor& betaBias, const at::Tensor& gate, const at::Tensor& initialState,
    const Execution& execution, bool wantsStateNorm = false);

/// Which variant of the kernel runs for these sizes.
[[nodiscard]] std::string deltaKernelName(std::int64_t heads, std::int64_t keyDim,
                                          std::int64_t valueDim, std::int64_t householders,
                                          bool doublePrecision);

}  // namespace lab::ops
