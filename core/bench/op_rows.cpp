// Operations on rows, the optimiser, the belief filter and a matrix product as bench cases.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/bench/op_case.h"
#include "kernels/adamw.h"
#include "kernels/belief_filter.h"
#include "kernels/gate.h"
#include "kernels/gemm.h"
#include "kernels/norm.h"
#include "kernels/reference/filters.h"

namespace lab::bench {
namespace {

using Floats = std::vector<float>;
using kernels::Exec;
using kernels::Isa;

std::size_t size(std::int64_t n) {
    return static_cast<std::size_t>(n);
}
std::string nameWith(const char* operation, Isa isa) {
    return std::string(operation) + "." + kernels::nameOf(isa);
}

/// Rows of the model's width, one a token.
class NormCase : public OpCase {
public:
    NormCase(kernels::Norm norm, const LabShape& s, Isa isa)
        : m_norm(norm),
          m_isa(isa),
          m_shape{std::int64_t{s.batch} * s.steps, s.width(), s.width(), s.width()} {
        Inputs inputs(18);
        m_x = inputs.normals(size(m_shape.rows * m_shape.width));
        m_gradY = inputs.normals(m_x.size());
        m_weight = inputs.uniforms(size(m_shape.width), 0.5, 1.5);
        m_y = m_gradX = Floats(m_x.size());
        m_inverse = m_mean = Floats(size(m_shape.rows));
        m_gradWeight = Floats(m_weight.size());
        m_workspace.resize(kernels::normWorkspaceBytes(m_shape, false));
    }
    void forward(const Exec& exec, bool) override {
        (void)kernels::normForward<float>(m_norm, m_shape, kEpsilon, in(), m_y.data(),
                                          {m_inverse.data(), m_mean.data()}, m_isa, exec);
    }
    void backward(const Exec& exec) override {
        (void)kernels::normBackward<float>(
            m_norm, m_shape, in(), {m_inverse.data(), m_mean.data()},
            {.gradY = m_gradY.data(), .gradX = m_gradX.data(), .gradWeight = m_gradWeight.data()},
            m_workspace.data(), m_isa, exec);
    }
    [[nodiscard]] double error() const override {
        const auto expected = kernels::reference::norm(
            static_cast<kernels::reference::NormKind>(m_norm), m_shape.width, kEpsilon,
            {widened(m_x), widened(m_weight), {}}, {widened(m_gradY)});
        return std::max({errorOf(m_y, expected.outputs[0]), errorOf(m_gradX, expected.gradients[0]),
                         errorOf(m_gradWeight, expected.gradients[1])});
    }
    [[nodiscard]] std::string variant() const override { return nameWith("norm", m_isa); }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::normBackwardCost(m_shape) : kernels::normForwardCost(m_shape);
    }

private:
    static constexpr double kEpsilon = 1e-5;
    [[nodiscard]] kernels::NormInputs<float> in() const { return {m_x.data(), m_weight.data()}; }

    kernels::Norm m_norm;
    Isa m_isa;
    kernels::RowShape m_shape;
    Floats m_x, m_weight, m_gradY, m_y, m_inverse, m_mean, m_gradX, m_gradWeight;
    std::vector<std::byte> m_workspace;
};

/// The halves of an MLP's first projection, hidden width 8/3 of the model's.
class GateCase : public OpCase {
public:
    GateCase(const LabShape& s, Isa isa) : m_isa(isa) {
        const std::int64_t hidden = 32 * std::lround(static_cast<double>(s.width()) / 12);
        m_shape = {std::int64_t{s.batch} * s.steps, hidden, 2 * hidden, 2 * hidden, hidden};
        Inputs inputs(19);
        m_both = inputs.normals(size(m_shape.rows * 2 * hidden));
        m_gradOut = inputs.normals(size(m_shape.rows * hidden));
        m_out = Floats(m_gradOut.size());
        m_grad = Floats(m_both.size());
    }
    void forward(const Exec& exec, bool) override {
        (void)kernels::siluGateForward<float>(m_shape, m_both.data(), m_both.data() + m_shape.width,
                                              m_out.data(), m_isa, exec);
    }
    void backward(const Exec& exec) override {
        (void)kernels::siluGateBackward<float>(
            m_shape, m_both.data(), m_both.data() + m_shape.width, m_gradOut.data(), m_grad.data(),
            m_grad.data() + m_shape.width, m_isa, exec);
    }
    [[nodiscard]] double error() const override {
        const auto expected =
            kernels::reference::siluGate({half(m_both, 0), half(m_both, 1)}, {widened(m_gradOut)});
        const auto single = [](const Numbers& x) { return Floats(x.begin(), x.end()); };
        return std::max({errorOf(m_out, expected.outputs[0]),
                         errorOf(single(half(m_grad, 0)), expected.gradients[0]),
                         errorOf(single(half(m_grad, 1)), expected.gradients[1])});
    }
    [[nodiscard]] std::string variant() const override { return nameWith("swiglu", m_isa); }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::siluGateBackwardCost(m_shape)
                    : kernels::siluGateForwardCost(m_shape);
    }

private:
    [[nodiscard]] Numbers half(const Floats& both, std::int64_t which) const {
        Numbers numbers;
        for (std::int64_t row = 0; row < m_shape.rows; ++row) {
            const auto at = both.begin() + (2 * row + which) * m_shape.width;
            numbers.insert(numbers.end(), at, at + m_shape.width);
        }
        return numbers;
    }

    Isa m_isa;
    kernels::GateShape m_shape;
    Floats m_both, m_gradOut, m_out, m_grad;
};

/// As many parameters as a sequence of the batch has activations.
class AdamwCase : public OpCase {
public:
    AdamwCase(const LabShape& s, Isa isa) : m_isa(isa) {
        Inputs inputs(20);
        const std::size_t count = size(std::int64_t{s.batch} * s.steps * s.width());
        m_start = m_weight = inputs.normals(count);
        m_gradient = inputs.normals(count);
        m_first = m_second = Floats(count);
    }
    void forward(const Exec& exec, bool) override {
        const kernels::ParameterSpan<float> span{m_weight.data(), m_gradient.data(), m_first.data(),
                                                 m_second.data(), count(),           true};
        kernels::AdamwOptions options;
        options.weightDecay = kDecay;
        options.update = ++m_updates;
        (void)kernels::adamwStep<float>(&span, 1, options, m_isa, exec);
    }
    void backward(const Exec&) override {}
    /// Of one update from the start.
    [[nodiscard]] double error() const override {
        if (m_updates != 1) {
            return 0;
        }
        const kernels::AdamwOptions o;
        Numbers expected;
        for (std::size_t i = 0; i < m_start.size(); ++i) {
            const double g = m_gradient[i];  // bias correction of the first step: m = g, v = g^2
            const double w = m_start[i];
            expected.push_back(w - o.rate * kDecay * w - o.rate * g / (std::abs(g) + o.epsilon));
        }
        return errorOf(m_weight, expected);
    }
    [[nodiscard]] std::string variant() const override { return nameWith("adamw", m_isa); }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::Cost{} : kernels::adamwCost(count());
    }

private:
    static constexpr double kDecay = 0.01;
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(m_weight.size()); }

    Isa m_isa;
    std::int64_t m_updates = 0;
    Floats m_start, m_weight, m_gradient, m_first, m_second;
};

/// As many states as the model is wide; a matrix, or a mixture of as many permutations as heads.
class BeliefCase : public OpCase {
public:
    BeliefCase(bool mixture, const LabShape& s, Isa isa)
        : m_plan(kernels::beliefPlan({s.batch, s.steps, s.width(), mixture ? s.heads : 0, true},
                                     isa)) {
        Inputs inputs(21);
        const auto& e = m_plan.shape;
        const std::int64_t tokens = std::int64_t{e.batch} * e.steps, n = e.states;
        m_transition = distributions(inputs, mixture ? 0 : n, e.states);
        m_weights = distributions(inputs, mixture ? tokens : 0, std::max(1, e.permutations));
        for (int m = 0; m < e.permutations; ++m) {
            for (int j = 0; j < e.states; ++j) {
                m_source.push_back((j * (2 * m + 1) + m) %
                                   e.states);  // odd factors of a power of 2
            }
        }
        m_evidence = inputs.uniforms(size(tokens * n), 0, 1);
        m_initial = distributions(inputs, e.batch, e.states);
        m_up = inputs.normals(m_evidence.size());
        m_upLog = inputs.normals(size(tokens));
        m_belief = m_gradEvidence = Floats(m_evidence.size());
        m_mass = m_log = Floats(size(tokens));
        m_gradTransition = Floats(m_transition.size());
        m_gradWeights = Floats(m_weights.size());
        m_gradInitial = Floats(m_initial.size());
        m_workspace.resize(m_plan.backwardWorkspaceBytes);
    }
    void forward(const Exec& exec, bool) override {
        (void)kernels::beliefForward<float>(m_plan, in(),
                                            {states(m_belief), m_mass.data(), m_log.data()}, exec);
    }
    void backward(const Exec& exec) override {
        const auto& e = m_plan.shape;
        kernels::BeliefGradients<float> grad;
        grad.belief = constStates(m_belief);
        grad.mass = m_mass.data();
        grad.gradBelief = constStates(m_up);
        grad.gradLogEvidence = m_upLog.data();
        grad.gradTransition = m_transition.empty() ? nullptr : m_gradTransition.data();
        if (!m_weights.empty()) {
            grad.gradWeights = viewOf(m_gradWeights.data(), e.steps, 1, e.permutations);
        }
        grad.gradEvidence = states(m_gradEvidence);
        grad.gradInitial = m_gradInitial.data();
        (void)kernels::beliefBackward<float>(m_plan, in(), grad, m_workspace.data(), exec);
    }
    [[nodiscard]] double error() const override {
        const auto& e = m_plan.shape;
        const auto expected = kernels::reference::beliefFilter(
            {e.batch, e.steps, e.states, e.permutations, true}, {m_source.begin(), m_source.end()},
            {widened(m_transition), widened(m_weights), widened(m_evidence), widened(m_initial)},
            {widened(m_up), widened(m_upLog)});
        const auto& g = expected.gradients;
        return std::max({errorOf(m_belief, expected.outputs[0]),
                         errorOf(m_log, expected.outputs[1]), errorOf(m_gradTransition, g[0]),
                         errorOf(m_gradWeights, g[1]), errorOf(m_gradEvidence, g[2]),
                         errorOf(m_gradInitial, g[3])});
    }
    [[nodiscard]] std::string variant() const override { return m_plan.variant; }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        return back ? kernels::beliefBackwardCost(m_plan.shape)
                    : kernels::beliefForwardCost(m_plan.shape);
    }

private:
    static Floats distributions(Inputs& inputs, std::int64_t rows, int n) {
        Floats all = inputs.uniforms(size(rows * n), 0.1, 1);
        for (auto row = all.begin(); row != all.end(); row += n) {
            float total = 0;
            std::for_each(row, row + n, [&](float x) { total += x; });
            std::for_each(row, row + n, [&](float& x) { x /= total; });
        }
        return all;
    }
    [[nodiscard]] kernels::View<float> states(Floats& array) const {
        return viewOf(array.data(), m_plan.shape.steps, 1, m_plan.shape.states);
    }
    [[nodiscard]] kernels::View<const float> constStates(const Floats& array) const {
        return viewOf(array.data(), m_plan.shape.steps, 1, m_plan.shape.states);
    }
    [[nodiscard]] kernels::BeliefInputs<float> in() const {
        kernels::BeliefInputs<float> in;
        in.transition = m_transition.empty() ? nullptr : m_transition.data();
        in.source = m_source.empty() ? nullptr : m_source.data();
        if (!m_weights.empty()) {
            in.weights = viewOf(m_weights.data(), m_plan.shape.steps, 1, m_plan.shape.permutations);
        }
        in.evidence = constStates(m_evidence);
        in.initial = m_initial.data();
        return in;
    }

    kernels::BeliefPlan m_plan;
    std::vector<std::int32_t> m_source;
    Floats m_transition, m_weights, m_evidence, m_initial, m_up, m_upLog;
    Floats m_belief, m_mass, m_log, m_gradTransition, m_gradWeights, m_gradEvidence, m_gradInitial;
    std::vector<std::byte> m_workspace;
};

/// [tokens, d] times the transpose of [3 d, d], and both gradients.
class GemmCase : public OpCase {
public:
    GemmCase(const LabShape& s, Isa isa)
        : m_tokens(std::int64_t{s.batch} * s.steps),
          m_inner(s.width()),
          m_columns(3 * std::int64_t{s.width()}),
          m_plan(kernels::gemmPlan({m_tokens, m_columns, m_inner}, isa)),
          m_planX(kernels::gemmPlan({m_tokens, m_inner, m_columns}, isa)),
          m_planW(kernels::gemmPlan({m_columns, m_inner, m_tokens}, isa)) {
        Inputs inputs(22);
        m_x = inputs.normals(size(m_tokens * m_inner));
        m_w = inputs.normals(size(m_columns * m_inner));
        m_gradY = inputs.normals(size(m_tokens * m_columns));
        m_y = Floats(m_gradY.size());
        m_gradX = Floats(m_x.size());
        m_gradW = Floats(m_w.size());
        m_workspace.resize(std::max({m_plan.forwardWorkspaceBytes, m_planX.forwardWorkspaceBytes,
                                     m_planW.forwardWorkspaceBytes}));
    }
    void forward(const Exec& exec, bool) override {
        (void)kernels::gemm<float>(m_plan, {m_x.data(), m_inner, 1}, {m_w.data(), 1, m_inner},
                                   {m_y.data(), m_columns, 1}, false, m_workspace.data(), exec);
    }
    void backward(const Exec& exec) override {
        (void)kernels::gemm<float>(m_planX, {m_gradY.data(), m_columns, 1},
                                   {m_w.data(), m_inner, 1}, {m_gradX.data(), m_inner, 1}, false,
                                   m_workspace.data(), exec);
        (void)kernels::gemm<float>(m_planW, {m_gradY.data(), 1, m_columns},
                                   {m_x.data(), m_inner, 1}, {m_gradW.data(), m_inner, 1}, false,
                                   m_workspace.data(), exec);
    }
    [[nodiscard]] double error() const override {
        Numbers y, gradX(m_x.size()), gradW(m_w.size());
        for (std::int64_t t = 0; t < m_tokens; ++t) {
            for (std::int64_t c = 0; c < m_columns; ++c) {
                double total = 0;
                const double up = m_gradY[size(t * m_columns + c)];
                for (std::int64_t i = 0; i < m_inner; ++i) {
                    const double x = m_x[size(t * m_inner + i)], w = m_w[size(c * m_inner + i)];
                    total += x * w;
                    gradX[size(t * m_inner + i)] += up * w;
                    gradW[size(c * m_inner + i)] += up * x;
                }
                y.push_back(total);
            }
        }
        return std::max({errorOf(m_y, y), errorOf(m_gradX, gradX), errorOf(m_gradW, gradW)});
    }
    [[nodiscard]] std::string variant() const override { return m_plan.variant; }
    [[nodiscard]] kernels::Cost cost(bool back) const override {
        const kernels::Cost one = kernels::gemmCost(m_plan.shape);
        return back ? kernels::Cost{2 * one.flops, 2 * one.bytes, 0} : one;
    }

private:
    std::int64_t m_tokens, m_inner, m_columns;
    kernels::GemmPlan m_plan, m_planX, m_planW;
    Floats m_x, m_w, m_gradY, m_y, m_gradX, m_gradW;
    std::vector<std::byte> m_workspace;
};

template <class Case, class... Options>
OpMaker made(Options... options) {
    return [=](const LabShape& shape, Isa isa) {
        return std::make_unique<Case>(options..., shape, isa);
    };
}

}  // namespace

std::vector<OpEntry> rowOps() {
    return {{"rms_norm", made<NormCase>(kernels::Norm::kRms)},
            {"layer_norm", made<NormCase>(kernels::Norm::kLayer)},
            {"swiglu", made<GateCase>()},
            {"adamw", made<AdamwCase>()},
            {"belief", made<BeliefCase>(false)},
            {"belief_mixture", made<BeliefCase>(true)},
            {"gemm", made<GemmCase>()}};
}

}  // namespace lab::bench
