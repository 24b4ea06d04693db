// The scans as bench cases; inputs as a layer would have them.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/bench/op_case.h"
#include "kernels/delta_rule.h"
#include "kernels/gated_linear_attention.h"
#include "kernels/reference/delta_rule.h"
#include "kernels/reference/scans.h"
#include "kernels/selective_scan.h"
#include "kernels/ssd.h"

namespace lab::bench {
namespace {

using Floats = std::vector<float>;
using kernels::Exec;

std::size_t size(std::int64_t n) {
    return static_cast<std::size_t>(n);
}

class DeltaCase : public OpCase {
public:
    DeltaCase(const LabShape& s, int factors, bool gated, kernels::Isa isa)
        : m_plan(
              kernels::deltaRulePlan({s.batch, s.steps, s.heads, s.dim, s.dim, factors}, {}, isa)),
          m_gated(gated) {
        Inputs inputs(11);
        const std::size_t tokens = size(std::int64_t{s.batch} * s.steps * s.heads);
        const std::size_t rows = tokens * size(factors);
        m_q = inputs.units(tokens, s.dim);
        m_k = inputs.units(rows, s.dim);
        m_v = inputs.normals(rows * size(s.dim));
        m_beta.resize(rows);
        std::ranges::generate(
            m_beta, [&] { return static_cast<float>(2 / (1 + std::exp(-inputs.normal()))); });
        m_gate = gated ? inputs.uniforms(tokens, -0.1, 0) : Floats{};
        m_gradO = inputs.normals(m_q.size());
        m_o = m_gradQ = Floats(m_q.size());
        m_gradK = m_gradV = m_residual = Floats(m_k.size());
        m_gradBeta = Floats(rows);
        m_gradGate = Floats(m_gate.size());
        m_workspace.resize(std::max(m_plan.forwardWorkspaceBytes, m_plan.backwardWorkspaceBytes));
    }
    void forward(const Exec& exec, bool keep) override {
        const auto& s = m_plan.shape;
        (void)kernels::deltaRuleForward<float>(
            m_plan, in(),
            {viewOf(m_o.data(), s.steps, s.heads, s.valueDim), nullptr,
             keep ? m_residual.data() : nullptr, nullptr},
            m_workspace.data(), exec);
    }
    void backward(const Exec& exec) override {
        const auto& s = m_plan.shape;
        const std::int64_t rows = std::int64_t{s.steps} * s.householders;
        kernels::DeltaGradients<float> grad;
        grad.gradO = viewOf<const float>(m_gradO.data(), s.steps, s.heads, s.valueDim);
        grad.gradQ = viewOf(m_gradQ.data(), s.steps, s.heads, s.keyDim);
        grad.gradK = viewOf(m_gradK.data(), rows, s.heads, s.keyDim);
        grad.gradV = viewOf(m_gradV.data(), rows, s.heads, s.valueDim);
        grad.gradBeta = viewOf(m_gradBeta.data(), rows, s.heads, 1);
        if (m_gated) {
            grad.gradGate = viewOf(m_gradGate.data(), s.steps, s.heads, 1);
        }
        (void)kernels::deltaRuleBackward<float>(m_plan, in(), m_residual.data(), grad,
                                                m_workspace.data(), exec);
    }
    [[nodiscard]] double error() const override {
        const auto& s = m_plan.shape;
        kernels::reference::DeltaProblem p{s.batch,  s.steps,    s.heads,
                                           s.keyDim, s.valueDim, s.householders};
        p.q = widened(m_q);
        p.k = widened(m_k);
        p.v = widened(m_v);
        p.beta = widened(m_beta);
        p.gate = widened(m_gate);
        p.gradO = widened(m_gradO);
        const auto expected = kernels::reference::deltaRule(p);
        double worst = std::max({errorOf(m_o, expected.o), errorOf(m_gradQ, expected.gradQ),
                                 errorOf(m_gradK, expected.gradK), errorOf(m_gradV, expected.gradV),
                                 errorOf(m_gradBeta, expected.gradBeta)});
        return m_gated ? std::max(worst, errorOf(m_gradGate, expected.gradGate)) : worst;
    }
    [[nodiscard]] std::string variant() const override { return m_plan.variant; }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::deltaRuleBackwardCost(m_plan.shape, m_gated)
                    : kernels::deltaRuleForwardCost(m_plan.shape, m_gated);
    }

private:
    [[nodiscard]] kernels::DeltaInputs<float> in() const {
        const auto& s = m_plan.shape;
        const std::int64_t rows = std::int64_t{s.steps} * s.householders;
        kernels::DeltaInputs<float> in;
        in.q = viewOf(m_q.data(), s.steps, s.heads, s.keyDim);
        in.k = viewOf(m_k.data(), rows, s.heads, s.keyDim);
        in.v = viewOf(m_v.data(), rows, s.heads, s.valueDim);
        in.beta = viewOf(m_beta.data(), rows, s.heads, 1);
        if (m_gated) {
            in.gate = viewOf(m_gate.data(), s.steps, s.heads, 1);
        }
        return in;
    }

    kernels::DeltaPlan m_plan;
    bool m_gated;
    Floats m_q, m_k, m_v, m_beta, m_gate, m_gradO;
    Floats m_o, m_residual, m_gradQ, m_gradK, m_gradV, m_gradBeta, m_gradGate;
    std::vector<std::byte> m_workspace;
};

class GlaCase : public OpCase {
public:
    GlaCase(const LabShape& s, kernels::Isa isa)
        : m_plan(kernels::glaPlan({s.batch, s.steps, s.heads, s.dim, s.dim}, {}, isa)) {
        Inputs inputs(12);
        const std::size_t count = size(std::int64_t{s.batch} * s.steps * s.width());
        m_q = inputs.normals(count, 1 / std::sqrt(s.dim));
        m_k = inputs.normals(count, 1 / std::sqrt(s.dim));
        m_v = inputs.normals(count);
        m_gate.resize(count);
        std::ranges::generate(m_gate, [&] {
            return static_cast<float>(-std::log1p(std::exp(-inputs.normal())) / 16);
        });
        m_gradO = inputs.normals(count);
        m_o = m_gradQ = m_gradK = m_gradV = m_gradGate = Floats(count);
        m_workspace.resize(std::max(m_plan.forwardWorkspaceBytes, m_plan.backwardWorkspaceBytes));
    }
    void forward(const Exec& exec, bool) override {
        (void)kernels::glaForward<float>(m_plan, in(), {view(m_o), nullptr, nullptr},
                                         m_workspace.data(), exec);
    }
    void backward(const Exec& exec) override {
        (void)kernels::glaBackward<float>(
            m_plan, in(),
            {constView(m_gradO), nullptr, view(m_gradQ), view(m_gradK), view(m_gradV),
             view(m_gradGate), nullptr, nullptr},
            m_workspace.data(), exec);
    }
    [[nodiscard]] double error() const override {
        const auto& s = m_plan.shape;
        const auto expected = kernels::reference::gatedLinearAttention(
            {s.batch, s.steps, s.heads, s.keyDim, s.valueDim}, 1.0,
            {widened(m_q), widened(m_k), widened(m_v), widened(m_gate), {}},
            {widened(m_gradO), {}});
        return std::max({errorOf(m_o, expected.outputs[0]), errorOf(m_gradQ, expected.gradients[0]),
                         errorOf(m_gradK, expected.gradients[1]),
                         errorOf(m_gradV, expected.gradients[2]),
                         errorOf(m_gradGate, expected.gradients[3])});
    }
    [[nodiscard]] std::string variant() const override { return m_plan.variant; }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::glaBackwardCost(m_plan.shape, true)
                    : kernels::glaForwardCost(m_plan.shape, true);
    }

private:
    [[nodiscard]] kernels::View<float> view(Floats& array) const {
        return viewOf(array.data(), m_plan.shape.steps, m_plan.shape.heads, m_plan.shape.keyDim);
    }
    [[nodiscard]] kernels::View<const float> constView(const Floats& array) const {
        return viewOf(array.data(), m_plan.shape.steps, m_plan.shape.heads, m_plan.shape.keyDim);
    }
    [[nodiscard]] kernels::GlaInputs<float> in() const {
        return {constView(m_q), constView(m_k), constView(m_v), constView(m_gate), nullptr};
    }

    kernels::GlaPlan m_plan;
    Floats m_q, m_k, m_v, m_gate, m_gradO;
    Floats m_o, m_gradQ, m_gradK, m_gradV, m_gradGate;
    std::vector<std::byte> m_workspace;
};

constexpr int kSsdHead = 64, kSsdStates = 64, kScanStates = 16;

class SsdCase : public OpCase {
public:
    SsdCase(const LabShape& s, kernels::Isa isa)
        : m_plan(kernels::ssdPlan(
              {s.batch, s.steps, std::max(1, 2 * s.width() / kSsdHead), 1, kSsdStates, kSsdHead},
              isa)) {
        Inputs inputs(13);
        const auto& shape = m_plan.shape;
        const std::size_t tokens = size(std::int64_t{s.batch} * s.steps);
        const std::size_t heads = size(shape.heads);
        m_x = inputs.normals(tokens * heads * kSsdHead);
        m_delta = inputs.uniforms(tokens * heads, -3, -1);
        for (float& delta : m_delta) {
            delta = std::pow(10.0F, delta);
        }
        m_a = inputs.uniforms(heads, -16, -1);
        m_b = inputs.normals(tokens * kSsdStates);
        m_c = inputs.normals(tokens * kSsdStates, 1 / std::sqrt(kSsdStates));
        m_d = Floats(heads, 1.0F);
        m_gradY = inputs.normals(m_x.size());
        m_y = m_gradX = Floats(m_x.size());
        m_gradDelta = Floats(m_delta.size());
        m_gradA = m_gradD = Floats(heads);
        m_gradB = m_gradC = Floats(m_b.size());
        m_workspace.resize(std::max(m_plan.forwardWorkspaceBytes, m_plan.backwardWorkspaceBytes));
    }
    void forward(const Exec& exec, bool) override {
        (void)kernels::ssdForward<float>(
            m_plan, in(),
            {viewOf(m_y.data(), m_plan.shape.steps, m_plan.shape.heads, kSsdHead), nullptr,
             nullptr},
            m_workspace.data(), exec);
    }
    void backward(const Exec& exec) override {
        const auto& s = m_plan.shape;
        kernels::SsdGradients<float> grad;
        grad.gradY = viewOf<const float>(m_gradY.data(), s.steps, s.heads, kSsdHead);
        grad.gradX = viewOf(m_gradX.data(), s.steps, s.heads, kSsdHead);
        grad.gradDelta = viewOf(m_gradDelta.data(), s.steps, s.heads, 1);
        grad.gradA = m_gradA.data();
        grad.gradB = viewOf(m_gradB.data(), s.steps, 1, kSsdStates);
        grad.gradC = viewOf(m_gradC.data(), s.steps, 1, kSsdStates);
        grad.gradD = m_gradD.data();
        (void)kernels::ssdBackward<float>(m_plan, in(), grad, m_workspace.data(), exec);
    }
    [[nodiscard]] double error() const override {
        const auto& s = m_plan.shape;
        const auto expected =
            kernels::reference::ssd({s.batch, s.steps, s.heads, s.stateDim, s.headDim, s.groups},
                                    {widened(m_x),
                                     widened(m_delta),
                                     widened(m_a),
                                     widened(m_b),
                                     widened(m_c),
                                     widened(m_d),
                                     {}},
                                    {widened(m_gradY), {}});
        const auto& g = expected.gradients;
        return std::max({errorOf(m_y, expected.outputs[0]), errorOf(m_gradX, g[0]),
                         errorOf(m_gradDelta, g[1]), errorOf(m_gradA, g[2]), errorOf(m_gradB, g[3]),
                         errorOf(m_gradC, g[4]), errorOf(m_gradD, g[5])});
    }
    [[nodiscard]] std::string variant() const override { return m_plan.variant; }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::ssdBackwardCost(m_plan.shape)
                    : kernels::ssdForwardCost(m_plan.shape);
    }

private:
    [[nodiscard]] kernels::SsdInputs<float> in() const {
        const auto& s = m_plan.shape;
        return {viewOf(m_x.data(), s.steps, s.heads, kSsdHead),
                viewOf(m_delta.data(), s.steps, s.heads, 1),
                m_a.data(),
                viewOf(m_b.data(), s.steps, 1, kSsdStates),
                viewOf(m_c.data(), s.steps, 1, kSsdStates),
                m_d.data(),
                nullptr};
    }

    kernels::SsdPlan m_plan;
    Floats m_x, m_delta, m_a, m_b, m_c, m_d, m_gradY;
    Floats m_y, m_gradX, m_gradDelta, m_gradA, m_gradB, m_gradC, m_gradD;
    std::vector<std::byte> m_workspace;
};

class SelectiveScanCase : public OpCase {
public:
    SelectiveScanCase(const LabShape& s, kernels::Isa isa)
        : m_plan(kernels::selectiveScanPlan({s.batch, s.steps, 2 * s.width(), kScanStates}, true,
                                            isa)) {
        Inputs inputs(14);
        const std::size_t tokens = size(std::int64_t{s.batch} * s.steps);
        const std::size_t channels = size(m_plan.shape.channels);
        m_u = inputs.normals(tokens * channels);
        m_raw = inputs.normals(tokens * channels);
        m_z = inputs.normals(tokens * channels);
        for (std::size_t c = 0; c < channels; ++c) {
            for (int n = 1; n <= kScanStates; ++n) {
                m_a.push_back(static_cast<float>(-n));
            }
        }
        m_b = inputs.normals(tokens * kScanStates);
        m_c = inputs.normals(tokens * kScanStates);
        m_d = Floats(channels, 1.0F);
        m_bias.resize(channels);
        std::ranges::generate(m_bias, [&] {
            return static_cast<float>(std::log(std::expm1(std::pow(10, inputs.uniform(-3, -1)))));
        });
        m_gradOut = inputs.normals(m_u.size());
        m_out = m_gradU = m_gradRaw = m_gradZ = Floats(m_u.size());
        m_gradA = Floats(m_a.size());
        m_gradB = m_gradC = Floats(m_b.size());
        m_gradD = m_gradBias = Floats(channels);
        m_saved.resize(m_plan.savedElements);
        m_workspace.resize(std::max(m_plan.forwardWorkspaceBytes, m_plan.backwardWorkspaceBytes));
    }
    void forward(const Exec& exec, bool keep) override {
        (void)kernels::selectiveScanForward<float>(
            m_plan, in(), {view(m_out), nullptr, keep ? m_saved.data() : nullptr},
            m_workspace.data(), exec);
    }
    void backward(const Exec& exec) override {
        const int steps = m_plan.shape.steps;
        kernels::SelectiveScanGradients<float> grad;
        grad.gradOut = constView(m_gradOut);
        grad.gradU = view(m_gradU);
        grad.gradRaw = view(m_gradRaw);
        grad.gradZ = view(m_gradZ);
        grad.gradA = m_gradA.data();
        grad.gradB = viewOf(m_gradB.data(), steps, 1, kScanStates);
        grad.gradC = viewOf(m_gradC.data(), steps, 1, kScanStates);
        grad.gradD = m_gradD.data();
        grad.gradBias = m_gradBias.data();
        (void)kernels::selectiveScanBackward<float>(m_plan, in(), m_saved.data(), grad,
                                                    m_workspace.data(), exec);
    }
    [[nodiscard]] double error() const override {
        const auto& s = m_plan.shape;
        const auto expected =
            kernels::reference::selectiveScan({s.batch, s.steps, s.channels, s.states}, true,
                                              {widened(m_u),
                                               widened(m_raw),
                                               widened(m_z),
                                               widened(m_a),
                                               widened(m_b),
                                               widened(m_c),
                                               widened(m_d),
                                               widened(m_bias),
                                               {}},
                                              {widened(m_gradOut), {}});
        const auto& g = expected.gradients;
        return std::max({errorOf(m_out, expected.outputs[0]), errorOf(m_gradU, g[0]),
                         errorOf(m_gradRaw, g[1]), errorOf(m_gradZ, g[2]), errorOf(m_gradA, g[3]),
                         errorOf(m_gradB, g[4]), errorOf(m_gradC, g[5]), errorOf(m_gradD, g[6]),
                         errorOf(m_gradBias, g[7])});
    }
    [[nodiscard]] std::string variant() const override { return m_plan.variant; }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::selectiveScanBackwardCost(m_plan.shape)
                    : kernels::selectiveScanForwardCost(m_plan.shape);
    }

private:
    [[nodiscard]] kernels::View<float> view(Floats& array) const {
        return viewOf(array.data(), m_plan.shape.steps, 1, m_plan.shape.channels);
    }
    [[nodiscard]] kernels::View<const float> constView(const Floats& array) const {
        return viewOf(array.data(), m_plan.shape.steps, 1, m_plan.shape.channels);
    }
    [[nodiscard]] kernels::SelectiveScanInputs<float> in() const {
        const int steps = m_plan.shape.steps;
        return {constView(m_u),
                constView(m_raw),
                constView(m_z),
                m_a.data(),
                viewOf(m_b.data(), steps, 1, kScanStates),
                viewOf(m_c.data(), steps, 1, kScanStates),
                m_d.data(),
                m_bias.data(),
                nullptr};
    }

    kernels::SelectiveScanPlan m_plan;
    Floats m_u, m_raw, m_z, m_a, m_b, m_c, m_d, m_bias, m_gradOut, m_saved;
    Floats m_out, m_gradU, m_gradRaw, m_gradZ, m_gradA, m_gradB, m_gradC, m_gradD, m_gradBias;
    std::vector<std::byte> m_workspace;
};

OpMaker delta(int factors, bool gated) {
    return [=](const LabShape& shape, kernels::Isa isa) {
        return std::make_unique<DeltaCase>(shape, factors, gated, isa);
    };
}
template <class Case>
OpMaker plain() {
    return
        [](const LabShape& shape, kernels::Isa isa) { return std::make_unique<Case>(shape, isa); };
}

}  // namespace

std::vector<OpEntry> scanOps() {
    return {{"delta", delta(1, false)},          {"gated_delta", delta(1, true)},
            {"delta_product2", delta(2, false)}, {"gla", plain<GlaCase>()},
            {"ssd", plain<SsdCase>()},           {"s6", plain<SelectiveScanCase>()}};
}

}  // namespace lab::bench
