// AdamW over a model's parameters, with clipping by the global gradient norm: our kernel on the CPU
// (kernels/adamw.h), LibTorch's fused operator on a CUDA device.
//
//   m <- b1 m + (1 - b1) g;   v <- b2 v + (1 - b2) g^2
//   w <- w - rate * decay * w - rate * (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + 1e-8)
// `decay` acts on parameters that ask for it alone (matrices). Every sum runs in a fixed order, so
// equal gradients give equal bits.
// Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization" (1711.05101), algorithm 2;
// clipping: Pascanu, Mikolov, Bengio (1211.5063), algorithm 1.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/models/sequence_model.h"
#include "core/ops/execution.h"
#include "core/values/experiment_spec.h"

namespace lab::training {

class AdamW {
public:
    /// Shares the parameters' tensors, which are contiguous.
    AdamW(std::vector<models::Parameter> parameters, const values::TrainingSpec& training,
          ops::Execution execution = {});

    /// Of all gradients together, in double. Not finite when any of them is not.
    [[nodiscard]] double gradientNorm() const;
    /// One update from the gradients times `gradientScale`; they are then let go.
    void step(double rate, double gradientScale = 1.0);

    [[nodiscard]] bool weightsAreFinite() const;

    /// In the order of the parameters; same shapes.
    [[nodiscard]] const std::vector<at::Tensor>& firstMoments() const { return m_first; }
    [[nodiscard]] const std::vector<at::Tensor>& secondMoments() const { return m_second; }
    [[nodiscard]] std::int64_t updates() const noexcept { return m_updates; }
    /// Goes on from `updates` earlier ones, whose moments have been copied into the tensors above.
    void restore(std::int64_t updates);

private:
    void updateOnDevice(bool decaying, double rate, double gradientScale);
    template <class T>
    void updateHere(double rate, double gradientScale);

    std::vector<models::Parameter> m_parameters;
    std::vector<at::Tensor> m_first, m_second;
    ops::Execution m_execution;
    double m_beta1, m_beta2, m_weightDecay;
    std::int64_t m_updates = 0;
};

/// What makes a gradient of norm `norm` one of at most `limit`; 0: no limit.
[[nodiscard]] double clippingScale(double norm, double limit);

}  // namespace lab::training
