// LSTM, GRU and tanh RNN as mixers: the input projection of all tokens is one product, the loop
// over time one operation (core/ops/recurrent.h). All first values are uniform in +-1 /
// sqrt(width), biases included.
#include <ATen/ATen.h>

#include <cmath>

#include "core/models/mixer.h"
#include "core/ops/recurrent.h"

namespace lab::models {
namespace {

class RecurrentMixer : public Mixer {
public:
    RecurrentMixer(const MixerPlan& plan, int gates)
        : m_config(plan.config), m_width(plan.config.spec.width), m_gates(gates) {
        const double bound = 1 / std::sqrt(static_cast<double>(m_width));
        m_input = plan.weights.linear(plan.at + "input.weight", gates * m_width, m_width);
        m_recurrent = plan.weights.linear(plan.at + "recurrent.weight", gates * m_width, m_width);
        m_bias = plan.weights.uniform(plan.at + "bias", {gates * m_width}, bound);
    }

    [[nodiscard]] State initialState(std::int64_t batch) const override { return {zeros(batch)}; }
    [[nodiscard]] double flopsPerToken(std::int64_t) const override {
        constexpr double kPointwise = 7;  // per gate and unit, a nonlinearity counted as 4
        const auto width = static_cast<double>(m_width);
        return m_gates * (4 * width * width + kPointwise * width);
    }
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t) const override { return m_width; }

protected:
    [[nodiscard]] at::Tensor zeros(std::int64_t batch) const {
        return at::zeros({batch, m_width}, tensorOptions(m_config));
    }
    [[nodiscard]] at::Tensor projected(const at::Tensor& h, const Pass& pass) const {
        return at::addmm(m_bias, h, m_input.t()).view({pass.batch, pass.steps, m_gates * m_width});
    }
    [[nodiscard]] static at::Tensor last(const at::Tensor& sequence) {
        return sequence.select(1, sequence.size(1) - 1).clone();
    }
    /// Taps of the gates, in their order in memory.
    void show(const at::Tensor& gates, std::initializer_list<const char*> names,
              const Pass& pass) const {
        std::int64_t from = 0;
        for (const char* name : names) {
            pass.put(name, gates.narrow(2, from, m_width));
            from += m_width;
        }
    }
    [[nodiscard]] static at::Tensor added(const at::Tensor& residual, const at::Tensor& h,
                                          const Pass& pass) {
        pass.put("h", h);
        pass.put("mixer.out", h);
        return residual + h.view_as(residual);
    }

    ModelConfig m_config;
    std::int64_t m_width;
    int m_gates;
    at::Tensor m_input, m_recurrent, m_bias;
};

class LstmMixer : public RecurrentMixer {
public:
    explicit LstmMixer(const MixerPlan& plan) : RecurrentMixer(plan, 4) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override {
        const State from = state == nullptr ? initialState(pass.batch) : *state;
        const auto out = ops::lstm(projected(h, pass), m_recurrent, from[0], from[1]);
        if (state != nullptr) {
            *state = {last(out.h), last(out.c)};
        }
        if (pass.taps != nullptr) {
            show(out.gates, {"i", "f", "g", "o"}, pass);
            pass.put("c", out.c);
        }
        return added(residual, out.h, pass);
    }
    [[nodiscard]] State initialState(std::int64_t batch) const override {
        return {zeros(batch), zeros(batch)};
    }
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t) const override { return 2 * m_width; }
};

class GruMixer : public RecurrentMixer {
public:
    explicit GruMixer(const MixerPlan& plan)
        : RecurrentMixer(plan, 3),
          m_candidateBias(plan.weights.uniform(plan.at + "candidate.bias", {m_width},
                                               1 / std::sqrt(static_cast<double>(m_width)))) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override {
        const at::Tensor from = state == nullptr ? zeros(pass.batch) : state->front();
        const auto out = ops::gru(projected(h, pass), m_recurrent, m_candidateBias, from);
        if (state != nullptr) {
            *state = {last(out.h)};
        }
        if (pass.taps != nullptr) {
            show(out.gates, {"r", "z", "n"}, pass);
        }
        return added(residual, out.h, pass);
    }

private:
    at::Tensor m_candidateBias;
};

class TanhMixer : public RecurrentMixer {
public:
    explicit TanhMixer(const MixerPlan& plan) : RecurrentMixer(plan, 1) {}

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override {
        const at::Tensor from = state == nullptr ? zeros(pass.batch) : state->front();
        const at::Tensor out = ops::tanhRnn(projected(h, pass), m_recurrent, from);
        if (state != nullptr) {
            *state = {last(out)};
        }
        return added(residual, out, pass);
    }
};

}  // namespace

std::unique_ptr<Mixer> makeLstmMixer(const MixerPlan& plan) {
    return std::make_unique<LstmMixer>(plan);
}

std::unique_ptr<Mixer> makeGruMixer(const MixerPlan& plan) {
    return std::make_unique<GruMixer>(plan);
}

std::unique_ptr<Mixer> makeTanhMixer(const MixerPlan& plan) {
    return std::make_unique<TanhMixer>(plan);
}

}  // namespace lab::models
