#include "core/models/state_space.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/ops/short_conv.h"
#include "kernels/short_conv.h"

namespace lab::models {

StateSpaceConv::StateSpaceConv(const MixerPlan& plan, std::int64_t channels)
    : m_channels(channels), m_width(plan.config.spec.convWidth) {
    if (m_width > 0) {
        const double bound = 1 / std::sqrt(static_cast<double>(m_width));
        m_weight = plan.weights.uniform(plan.at + "conv.weight", {channels, m_width}, bound);
        m_bias = plan.weights.uniform(plan.at + "conv.bias", {channels}, bound);
    }
}

at::Tensor StateSpaceConv::apply(const at::Tensor& x, at::Tensor* carried,
                                 const ops::Execution& execution) const {
    if (!hasTaps()) {
        return at::silu(x);
    }
    const at::Tensor past = carried == nullptr ? at::Tensor() : *carried;
    if (carried != nullptr) {
        *carried = ops::carriedInputs(x, past, m_width);
    }
    return ops::shortConv(x, m_weight, m_bias, past, ops::ConvActivation::kSilu, execution);
}

at::Tensor StateSpaceConv::initialState(std::int64_t batch,
                                        const at::TensorOptions& options) const {
    return at::zeros({batch, m_channels, m_width - 1}, options);
}

std::int64_t StateSpaceConv::stateNumbers() const {
    return hasTaps() ? m_channels * (m_width - 1) : 0;
}

double StateSpaceConv::flopsPerToken() const {
    if (!hasTaps()) {
        return 0;
    }
    return kernels::shortConvForwardCost({.batch = 1,
                                          .steps = 1,
                                          .channels = static_cast<int>(m_channels),
                                          .width = static_cast<int>(m_width)})
        .flops;
}

at::Tensor drawnDeltaBias(const MixerPlan& plan, std::int64_t count) {
    return plan.weights.drawn(plan.at + "delta.bias", {count}, [](tasks::Rng& rng) {
        const double step = 0.001 * std::pow(100.0, rng.uniform());
        return std::log(std::expm1(step));
    });
}

}  // namespace lab::models
