// Mamba:  x, z = W h;  x = SiLU(conv(x));  delta, B, C = projections of x;  selective scan (S6),
// times SiLU(z) -> linear.
//
// 2 width channels, each with `state_size` states whose decays exp(delta A) lie in (0, 1): it
// forgets by choice and cannot swap. delta comes through a narrow projection of width / 16. First
// values as published: A = -(1, .., N), D = 1, softplus(bias of delta) between 0.001 and 0.1 evenly
// in its logarithm. Source: Gu and Dao, "Mamba" (2312.00752), algorithm 2 and section 3.6.
#include <ATen/ATen.h>

#include <cmath>

#include "core/models/mixer.h"
#include "core/models/state_space.h"
#include "core/ops/short_conv.h"
#include "core/ops/state_space.h"
#include "kernels/selective_scan.h"
#include "kernels/short_conv.h"

namespace lab::models {
namespace {

class MambaMixer : public Mixer {
public:
    explicit MambaMixer(const MixerPlan& plan);

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override;
    [[nodiscard]] State initialState(std::int64_t batch) const override {
        const auto options = tensorOptions(m_config);
        State state{at::zeros({batch, m_channels, m_states}, options)};
        if (m_conv.hasTaps()) {
            state.push_back(m_conv.initialState(batch, options));
        }
        return state;
    }
    [[nodiscard]] double flopsPerToken(std::int64_t) const override {
        const auto width = static_cast<double>(m_config.spec.width);
        const auto channels = static_cast<double>(m_channels);
        const auto states = static_cast<double>(m_states);
        const auto rank = static_cast<double>(m_rank);
        const int wide = static_cast<int>(m_channels);
        return 2 * channels * (3 * width + 2 * rank + 2 * states) + m_conv.flopsPerToken() +
               kernels::selectiveScanForwardCost({1, 1, wide, static_cast<int>(m_states)}).flops;
    }
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t) const override {
        return m_channels * m_states + m_conv.stateNumbers();
    }
    [[nodiscard]] std::string kernelName() const override {
        return m_execution.plain || m_config.cuda
                   ? std::string()
                   : ops::selectiveScanKernelName(m_channels, m_states, m_config.doublePrecision);
    }

private:
    ModelConfig m_config;
    ops::Execution m_execution;
    std::int64_t m_channels, m_states, m_rank;
    at::Tensor m_in;
    StateSpaceConv m_conv;
    at::Tensor m_select, m_delta, m_deltaBias, m_logA, m_d, m_out;
};

MambaMixer::MambaMixer(const MixerPlan& plan)
    : m_config(plan.config),
      m_execution(plan.execution),
      m_channels(kStateSpaceExpansion * m_config.spec.width),
      m_states(m_config.spec.stateSize),
      m_rank((m_config.spec.width + 15) / 16),
      m_in(plan.weights.linear(plan.at + "in.weight", 2 * m_channels, m_config.spec.width)),
      m_conv(plan, m_channels),
      m_select(plan.weights.linear(plan.at + "select.weight", m_rank + 2 * m_states, m_channels)),
      m_delta(plan.weights.linear(plan.at + "delta.weight", m_channels, m_rank)),
      m_deltaBias(drawnDeltaBias(plan, m_channels)),
      m_logA(plan.weights.drawn(
          plan.at + "log_a", {m_channels, m_states},
          [n = std::int64_t{0}, states = m_states](tasks::Rng&) mutable {
              return std::log(static_cast<double>(n++ % states + 1));
          },
          /*mayDecay=*/false)),
      m_d(plan.weights.constant(plan.at + "d", {m_channels}, 1)),
      m_out(plan.weights.linear(plan.at + "out.weight", m_config.spec.width, m_channels)) {}

at::Tensor MambaMixer::forward(const at::Tensor& h, const at::Tensor& residual, const Pass& pass,
                               State* state) const {
    const auto parts = at::mm(h, m_in.t()).view({pass.batch, pass.steps, 2, m_channels}).unbind(2);
    const at::Tensor x =
        m_conv.apply(parts[0], state == nullptr ? nullptr : &state->back(), m_execution);
    const auto selected = at::mm(x.reshape({pass.rows(), m_channels}), m_select.t());
    const at::Tensor raw = at::mm(selected.narrow(1, 0, m_rank), m_delta.t());
    const auto sequence = [&](const at::Tensor& rows) {
        return rows.unflatten(0, {pass.batch, pass.steps});
    };
    const at::Tensor a = -m_logA.exp();
    const auto memory =
        ops::selectiveScan({.u = x,
                            .raw = sequence(raw),
                            .z = parts[1],
                            .a = a,
                            .b = sequence(selected.narrow(1, m_rank, m_states)),
                            .c = sequence(selected.narrow(1, m_rank + m_states, m_states)),
                            .d = m_d,
                            .bias = m_deltaBias,
                            .initialState = state == nullptr ? at::Tensor() : state->front()},
                           m_execution);
    if (state != nullptr) {
        state->front() = memory.finalState;
    }
    if (pass.wants("delta")) {
        const at::NoGradGuard noGrad;
        pass.putRows("delta", at::softplus(raw + m_deltaBias));
    }
    const at::Tensor rows = memory.out.reshape({pass.rows(), m_channels});
    if (pass.wants("mixer.out")) {
        pass.putRows("mixer.out", at::mm(rows, m_out.t()));
    }
    return at::addmm(residual, rows, m_out.t());
}

}  // namespace

std::unique_ptr<Mixer> makeMambaMixer(const MixerPlan& plan) {
    return std::make_unique<MambaMixer>(plan);
}

}  // namespace lab::models
