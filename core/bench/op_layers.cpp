// LSTM, GRU, tanh RNN with their input projection, attention and convolution as bench cases.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/bench/op_case.h"
#include "kernels/attention.h"
#include "kernels/gemm.h"
#include "kernels/recurrent.h"
#include "kernels/reference/elementary.h"
#include "kernels/reference/scans.h"
#include "kernels/short_conv.h"

namespace lab::bench {
namespace {

using Floats = std::vector<float>;
using kernels::Exec;

std::size_t size(std::int64_t n) {
    return static_cast<std::size_t>(n);
}

/// A product with a workspace of its own.
class Product {
public:
    Product(const kernels::GemmShape& shape, kernels::Isa isa)
        : m_plan(kernels::gemmPlan(shape, isa)), m_workspace(m_plan.forwardWorkspaceBytes) {}
    void run(const kernels::Matrix<const float>& a, const kernels::Matrix<const float>& b, float* c,
             bool accumulate, const Exec& exec) {
        (void)kernels::gemm<float>(m_plan, a, b, {c, m_plan.shape.columns, 1}, accumulate,
                                   m_workspace.data(), exec);
    }

private:
    kernels::GemmPlan m_plan;
    std::vector<std::byte> m_workspace;
};

class RecurrentCase : public OpCase {
public:
    RecurrentCase(kernels::Cell cell, const LabShape& s, kernels::Isa isa)
        : m_plan(kernels::recurrentPlan(cell, {s.batch, s.steps, s.width()}, isa)),
          m_tokens(std::int64_t{s.batch} * s.steps),
          m_width(s.width()),
          m_inner(std::int64_t{kernels::gatesOf(cell)} * s.width()),
          m_project({m_tokens, m_inner, m_width}, isa),
          m_backInput({m_tokens, m_width, m_inner}, isa),
          m_backWeight({m_inner, m_width, m_tokens}, isa) {
        Inputs inputs(15);
        const double bound = 1 / std::sqrt(static_cast<double>(m_width));
        m_x = inputs.normals(size(m_tokens * m_width));
        m_w = inputs.uniforms(size(m_inner * m_width), -bound, bound);
        m_r = inputs.uniforms(size(m_inner * m_width), -bound, bound);
        m_inputBias = inputs.uniforms(size(m_inner), -bound, bound);
        m_stateBias = inputs.uniforms(size(m_inner), -bound, bound);
        m_gradH = inputs.normals(m_x.size());
        m_h = m_gradX = Floats(m_x.size());
        m_pre = m_gradPre = Floats(size(m_tokens * m_inner));
        m_gradW = m_gradR = Floats(m_w.size());
        m_gradInputBias = m_gradStateBias = Floats(size(m_inner));
        m_saved.resize(m_plan.savedElements);
        m_workspace.resize(std::max(m_plan.forwardWorkspaceBytes, m_plan.backwardWorkspaceBytes));
    }
    void forward(const Exec& exec, bool keep) override {
        for (std::int64_t t = 0; t < m_tokens; ++t) {
            std::ranges::copy(m_inputBias, m_pre.begin() + t * m_inner);
        }
        m_project.run({m_x.data(), m_width, 1}, {m_w.data(), 1, m_width}, m_pre.data(), true, exec);
        (void)kernels::recurrentForward<float>(
            m_plan, in(), {.h = m_h.data(), .saved = keep ? m_saved.data() : nullptr},
            m_workspace.data(), exec);
    }
    void backward(const Exec& exec) override {
        kernels::RecurrentGradients<float> grad;
        grad.gradH = m_gradH.data();
        grad.gradPre = m_gradPre.data();
        grad.gradR = m_gradR.data();
        grad.gradBias = m_gradStateBias.data();
        (void)kernels::recurrentBackward<float>(m_plan, in(), m_h.data(), m_saved.data(), grad,
                                                m_workspace.data(), exec);
        m_backInput.run({m_gradPre.data(), m_inner, 1}, {m_w.data(), m_width, 1}, m_gradX.data(),
                        false, exec);
        m_backWeight.run({m_gradPre.data(), 1, m_inner}, {m_x.data(), m_width, 1}, m_gradW.data(),
                         false, exec);
        std::ranges::fill(m_gradInputBias, 0.0F);
        for (std::int64_t t = 0; t < m_tokens; ++t) {
            const float* const row = m_gradPre.data() + t * m_inner;
            for (std::int64_t i = 0; i < m_inner; ++i) {
                m_gradInputBias[size(i)] += row[i];
            }
        }
    }
    [[nodiscard]] double error() const override {
        const auto& s = m_plan.shape;
        Numbers pre(m_pre.size());  // the projection and its gradients in float64, by hand
        for (std::int64_t t = 0; t < m_tokens; ++t) {
            for (std::int64_t i = 0; i < m_inner; ++i) {
                double total = m_inputBias[size(i)];
                for (std::int64_t j = 0; j < m_width; ++j) {
                    total += double{m_x[size(t * m_width + j)]} * m_w[size(i * m_width + j)];
                }
                pre[size(t * m_inner + i)] = total;
            }
        }
        const auto expected = kernels::reference::recurrent(
            static_cast<kernels::reference::CellKind>(m_plan.cell), {s.batch, s.steps, 1, s.hidden},
            {pre, widened(m_r), widened(m_stateBias), {}, {}}, {widened(m_gradH)});
        const Numbers& gradPre = expected.gradients[0];
        Numbers gradX(m_x.size()), gradW(m_w.size()), gradBias(size(m_inner));
        for (std::int64_t t = 0; t < m_tokens; ++t) {
            for (std::int64_t i = 0; i < m_inner; ++i) {
                const double slope = gradPre[size(t * m_inner + i)];
                gradBias[size(i)] += slope;
                for (std::int64_t j = 0; j < m_width; ++j) {
                    gradX[size(t * m_width + j)] += slope * m_w[size(i * m_width + j)];
                    gradW[size(i * m_width + j)] += slope * m_x[size(t * m_width + j)];
                }
            }
        }
        return std::max({errorOf(m_h, expected.outputs[0]), errorOf(m_gradX, gradX),
                         errorOf(m_gradW, gradW), errorOf(m_gradR, expected.gradients[1]),
                         errorOf(m_gradInputBias, gradBias),
                         errorOf(m_gradStateBias, expected.gradients[2])});
    }
    [[nodiscard]] std::string variant() const override { return m_plan.variant; }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        kernels::Cost cost = back ? kernels::recurrentBackwardCost(m_plan.cell, m_plan.shape)
                                  : kernels::recurrentForwardCost(m_plan.cell, m_plan.shape);
        const kernels::Cost product = kernels::gemmCost({m_tokens, m_inner, m_width});
        cost.flops += (back ? 2 : 1) * product.flops;
        cost.bytes += (back ? 2 : 1) * product.bytes;
        return cost;
    }

private:
    [[nodiscard]] kernels::RecurrentInputs<float> in() const {
        return {.pre = m_pre.data(), .r = m_r.data(), .bias = m_stateBias.data()};
    }

    kernels::RecurrentPlan m_plan;
    std::int64_t m_tokens, m_width, m_inner;
    Product m_project, m_backInput, m_backWeight;
    Floats m_x, m_w, m_r, m_inputBias, m_stateBias, m_gradH;
    Floats m_h, m_pre, m_saved, m_gradPre, m_gradX, m_gradW, m_gradR;
    Floats m_gradInputBias, m_gradStateBias;
    std::vector<std::byte> m_workspace;
};

class AttentionCase : public OpCase {
public:
    AttentionCase(const LabShape& s, kernels::Isa isa)
        : m_plan(kernels::attentionPlan({s.batch, s.steps, s.steps, s.heads, s.heads, s.dim, s.dim},
                                        {1 / std::sqrt(static_cast<double>(s.dim)), 0}, isa)) {
        Inputs inputs(16);
        const std::size_t count = size(std::int64_t{s.batch} * s.steps * s.width());
        m_q = inputs.normals(count);
        m_k = inputs.normals(count);
        m_v = inputs.normals(count);
        m_gradO = inputs.normals(count);
        m_o = m_gradQ = m_gradK = m_gradV = Floats(count);
        m_logSum.resize(count / size(s.dim));
        m_workspace.resize(std::max(m_plan.forwardWorkspaceBytes, m_plan.backwardWorkspaceBytes));
    }
    void forward(const Exec& exec, bool keep) override {
        (void)kernels::attentionForward<float>(
            m_plan, in(), {view(m_o), keep ? m_logSum.data() : nullptr}, m_workspace.data(), exec);
    }
    void backward(const Exec& exec) override {
        (void)kernels::attentionBackward<float>(
            m_plan, in(),
            {constView(m_o), m_logSum.data(), constView(m_gradO), view(m_gradQ), view(m_gradK),
             view(m_gradV)},
            m_workspace.data(), exec);
    }
    [[nodiscard]] double error() const override {
        const auto& s = m_plan.shape;
        const auto expected = kernels::reference::attention(
            {s.batch, s.steps, s.heads, s.keyDim, s.valueDim, s.groups}, m_plan.options.scale, 0,
            {widened(m_q), widened(m_k), widened(m_v)}, {widened(m_gradO)});
        return std::max({errorOf(m_o, expected.outputs[0]), errorOf(m_gradQ, expected.gradients[0]),
                         errorOf(m_gradK, expected.gradients[1]),
                         errorOf(m_gradV, expected.gradients[2])});
    }
    [[nodiscard]] std::string variant() const override { return m_plan.variant; }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::attentionBackwardCost(m_plan.shape, 0)
                    : kernels::attentionForwardCost(m_plan.shape, 0);
    }

private:
    [[nodiscard]] kernels::View<float> view(Floats& array) const {
        return viewOf(array.data(), m_plan.shape.steps, m_plan.shape.heads, m_plan.shape.keyDim);
    }
    [[nodiscard]] kernels::View<const float> constView(const Floats& array) const {
        return viewOf(array.data(), m_plan.shape.steps, m_plan.shape.heads, m_plan.shape.keyDim);
    }
    [[nodiscard]] kernels::AttentionInputs<float> in() const {
        return {constView(m_q), constView(m_k), constView(m_v)};
    }

    kernels::AttentionPlan m_plan;
    Floats m_q, m_k, m_v, m_gradO, m_o, m_logSum, m_gradQ, m_gradK, m_gradV;
    std::vector<std::byte> m_workspace;
};

constexpr int kTaps = 4;

class ConvCase : public OpCase {
public:
    ConvCase(const LabShape& s, kernels::Isa isa)
        : m_shape{s.batch, s.steps, 2 * s.width(), kTaps}, m_isa(isa) {
        Inputs inputs(17);
        const std::size_t channels = size(m_shape.channels);
        m_x = inputs.normals(size(std::int64_t{s.batch} * s.steps) * channels);
        m_weight = inputs.uniforms(channels * kTaps, -0.5, 0.5);
        m_bias = inputs.uniforms(channels, -0.5, 0.5);
        m_gradY = inputs.normals(m_x.size());
        m_y = m_gradX = Floats(m_x.size());
        m_gradWeight = Floats(m_weight.size());
        m_gradBias = Floats(channels);
        m_workspace.resize(kernels::shortConvWorkspaceBytes(m_shape, false));
    }
    void forward(const Exec& exec, bool) override {
        (void)kernels::shortConvForward<float>(m_shape, kernels::Activation::kSilu, in(), view(m_y),
                                               nullptr, m_isa, exec);
    }
    void backward(const Exec& exec) override {
        (void)kernels::shortConvBackward<float>(
            m_shape, kernels::Activation::kSilu, in(),
            {viewOf<const float>(m_gradY.data(), m_shape.steps, 1, m_shape.channels), nullptr,
             view(m_gradX), m_gradWeight.data(), m_gradBias.data(), nullptr},
            m_workspace.data(), m_isa, exec);
    }
    [[nodiscard]] double error() const override {
        kernels::reference::ConvProblem p{m_shape.batch, m_shape.steps, m_shape.channels, kTaps,
                                          true};
        p.x = widened(m_x);
        p.weight = widened(m_weight);
        p.bias = widened(m_bias);
        p.gradY = widened(m_gradY);
        const auto expected = kernels::reference::shortConv(p);
        return std::max({errorOf(m_y, expected.y), errorOf(m_gradX, expected.gradX),
                         errorOf(m_gradWeight, expected.gradWeight),
                         errorOf(m_gradBias, expected.gradBias)});
    }
    [[nodiscard]] std::string variant() const override {
        return std::string("conv.") + kernels::nameOf(m_isa);
    }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::shortConvBackwardCost(m_shape)
                    : kernels::shortConvForwardCost(m_shape);
    }

private:
    [[nodiscard]] kernels::View<float> view(Floats& array) const {
        return viewOf(array.data(), m_shape.steps, 1, m_shape.channels);
    }
    [[nodiscard]] kernels::ConvInputs<float> in() const {
        return {viewOf(m_x.data(), m_shape.steps, 1, m_shape.channels), m_weight.data(),
                m_bias.data(), nullptr};
    }

    kernels::ConvShape m_shape;
    kernels::Isa m_isa;
    Floats m_x, m_weight, m_bias, m_gradY, m_y, m_gradX, m_gradWeight, m_gradBias;
    std::vector<std::byte> m_workspace;
};

OpMaker recurrent(kernels::Cell cell) {
    return [=](const LabShape& shape, kernels::Isa isa) {
        return std::make_unique<RecurrentCase>(cell, shape, isa);
    };
}
template <class Case>
OpMaker plain() {
    return
        [](const LabShape& shape, kernels::Isa isa) { return std::make_unique<Case>(shape, isa); };
}

}  // namespace

std::vector<OpEntry> layerOps() {
    return {{"lstm", recurrent(kernels::Cell::kLstm)}, {"gru", recurrent(kernels::Cell::kGru)},
            {"rnn", recurrent(kernels::Cell::kTanh)},  {"slstm", recurrent(kernels::Cell::kSlstm)},
            {"attention", plain<AttentionCase>()},     {"conv", plain<ConvCase>()}};
}

}  // namespace lab::bench
