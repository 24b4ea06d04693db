// LSTM, GRU, tanh RNN and sLSTM as mixers: the input projection of all tokens is one product, the
// loop over time one operation (core/ops/recurrent.h). All first values are uniform in +-1 /
// sqrt(width), biases included. A GRU has a second bias, inside the product with its reset gate.
#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/models/mixer.h"
#include "core/ops/recurrent.h"

namespace lab::models {
namespace {

using kernels::Cell;

class RecurrentMixer : public Mixer {
public:
    RecurrentMixer(const MixerPlan& plan, Cell cell)
        : m_config(plan.config),
          m_execution(plan.execution),
          m_cell(cell),
          m_width(plan.config.spec.width) {
        const std::int64_t rows = gates() * m_width;
        const double bound = 1 / std::sqrt(static_cast<double>(m_width));
        m_input = plan.weights.linear(plan.at + "input.weight", rows, m_width);
        m_recurrent = plan.weights.linear(plan.at + "recurrent.weight", rows, m_width);
        m_bias = plan.weights.uniform(plan.at + "bias", {rows}, bound);
        if (cell == Cell::kGru) {
            m_candidateBias = plan.weights.uniform(plan.at + "candidate.bias", {m_width}, bound);
        }
    }

    [[nodiscard]] at::Tensor forward(const at::Tensor& h, const at::Tensor& residual,
                                     const Pass& pass, State* state) const override;
    [[nodiscard]] State initialState(std::int64_t batch) const override {
        const at::Tensor zero = at::zeros({batch, m_width}, tensorOptions(m_config));
        State state(static_cast<std::size_t>(1 + kernels::cellStatesOf(m_cell)), zero);
        if (m_cell == Cell::kSlstm) {
            state.back() = at::full_like(zero, kernels::kNoCellUnit);
        }
        return state;
    }
    [[nodiscard]] double flopsPerToken(std::int64_t) const override {
        constexpr double kPointwise = 7;  // per gate and unit, a nonlinearity counted as 4
        const auto width = static_cast<double>(m_width);
        return static_cast<double>(gates()) * (4 * width * width + kPointwise * width);
    }
    [[nodiscard]] std::int64_t stateNumbers(std::int64_t) const override {
        return (1 + kernels::cellStatesOf(m_cell)) * m_width;
    }
    [[nodiscard]] std::string kernelName() const override {
        return m_execution.plain || m_config.cuda
                   ? std::string()
                   : ops::recurrentKernelName(m_cell, m_width, m_config.doublePrecision);
    }

private:
    [[nodiscard]] std::int64_t gates() const { return kernels::gatesOf(m_cell); }
    void show(const ops::RecurrentResult& out, const Pass& pass) const;

    ModelConfig m_config;
    ops::Execution m_execution;
    Cell m_cell;
    std::int64_t m_width;
    at::Tensor m_input, m_recurrent, m_bias, m_candidateBias;
};

at::Tensor RecurrentMixer::forward(const at::Tensor& h, const at::Tensor& residual,
                                   const Pass& pass, State* state) const {
    const State from = state == nullptr ? initialState(pass.batch) : *state;
    const at::Tensor bias =
        m_candidateBias.defined()
            ? at::cat({at::zeros({2 * m_width}, m_candidateBias.options()), m_candidateBias})
            : at::Tensor();
    ops::CellStates cell;
    std::copy(from.begin() + 1, from.end(), cell.begin());
    const auto out = ops::recurrent(
        m_cell,
        {.x = at::addmm(m_bias, h, m_input.t()).view({pass.batch, pass.steps, gates() * m_width}),
         .recurrent = m_recurrent,
         .bias = bias,
         .h0 = from[0],
         .cell0 = cell},
        m_execution, pass.taps != nullptr);
    if (state != nullptr) {
        state->front() = out.h.select(1, pass.steps - 1).clone();
        std::copy_n(out.finalCell.begin(), state->size() - 1, state->begin() + 1);
    }
    if (pass.taps != nullptr) {
        show(out, pass);
    }
    return residual + out.h.view_as(residual);
}

void RecurrentMixer::show(const ops::RecurrentResult& out, const Pass& pass) const {
    static constexpr std::array kLstmGates{"i", "f", "g", "o"};
    static constexpr std::array kGruGates{"r", "z", "n"};
    static constexpr std::array kSlstmGates{"i", "f", "z", "o"};
    if (m_cell != Cell::kTanh) {
        const auto names = m_cell == Cell::kLstm  ? std::span<const char* const>(kLstmGates)
                           : m_cell == Cell::kGru ? std::span<const char* const>(kGruGates)
                                                  : std::span<const char* const>(kSlstmGates);
        for (std::size_t i = 0; i < names.size(); ++i) {
            pass.put(names[i],
                     out.gates.narrow(2, static_cast<std::int64_t>(i) * m_width, m_width));
        }
    }
    if (out.c.defined()) {
        pass.put("c", out.c);
    }
    pass.put("h", out.h);
    pass.put("mixer.out", out.h);
}

}  // namespace

std::unique_ptr<Mixer> makeLstmMixer(const MixerPlan& plan) {
    return std::make_unique<RecurrentMixer>(plan, Cell::kLstm);
}

std::unique_ptr<Mixer> makeGruMixer(const MixerPlan& plan) {
    return std::make_unique<RecurrentMixer>(plan, Cell::kGru);
}

std::unique_ptr<Mixer> makeTanhMixer(const MixerPlan& plan) {
    return std::make_unique<RecurrentMixer>(plan, Cell::kTanh);
}

std::unique_ptr<Mixer> makeSlstmMixer(const MixerPlan& plan) {
    return std::make_unique<RecurrentMixer>(plan, Cell::kSlstm);
}

}  // namespace lab::models
