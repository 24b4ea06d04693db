// What Mamba and Mamba-2 share: the short convolution behind their projection, and first values.
#pragma once

#include "core/models/mixer.h"

namespace lab::models {

constexpr std::int64_t kStateSpaceExpansion = 2;  ///< inner channels a number of the width

/// SiLU(conv(x) + bias) over some channels, with the inputs that it carries on; SiLU alone when the
/// spec asks for no convolution.
class StateSpaceConv {
public:
    StateSpaceConv(const MixerPlan& plan, std::int64_t channels);

    [[nodiscard]] bool hasTaps() const { return m_weight.defined(); }
    /// x [B,T,channels]; `carried` [B, channels, width - 1], null at the start, is replaced.
    [[nodiscard]] at::Tensor apply(const at::Tensor& x, at::Tensor* carried,
                                   const ops::Execution& execution) const;
    [[nodiscard]] at::Tensor initialState(std::int64_t batch,
                                          const at::TensorOptions& options) const;
    [[nodiscard]] std::int64_t stateNumbers() const;
    [[nodiscard]] double flopsPerToken() const;

private:
    std::int64_t m_channels, m_width;
    at::Tensor m_weight, m_bias;  ///< undefined: no convolution
};

/// softplus of it between 0.001 and 0.1, evenly in the logarithm.
[[nodiscard]] at::Tensor drawnDeltaBias(const MixerPlan& plan, std::int64_t count);

}  // namespace lab::models
