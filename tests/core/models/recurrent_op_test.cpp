#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/ops/attention.h"
#include "core/ops/recurrent.h"
#include "core/ops/recurrent_loops.h"
#include "tests/core/models/tensors.h"

namespace lab::ops {
namespace {

using lab::testing::difference;
using lab::testing::golden;
using lab::testing::kDoubleTolerance;
using lab::testing::kFloatTolerance;
using lab::testing::random;
using lab::testing::Tensors;

constexpr double kGoldenTolerance = 1e-10;

/// Runs stacked layers of one kind as the golden files name their parameters.
class Stack {
public:
    explicit Stack(Tensors& tensors) : m_tensors(tensors) {}

    [[nodiscard]] at::Tensor weight(const char* which, int layer) const {
        return m_tensors.at(std::string("param.weight_") + which + "_l" + std::to_string(layer));
    }
    /// A zero where there are no biases.
    [[nodiscard]] at::Tensor bias(const char* which, int layer) const {
        const auto found =
            m_tensors.find(std::string("param.bias_") + which + "_l" + std::to_string(layer));
        return found == m_tensors.end() ? at::zeros({weight("ih", layer).size(0)}, at::kDouble)
                                        : found->second;
    }
    [[nodiscard]] at::Tensor initial(const char* name, int layer) const {
        return m_tensors.at(name).select(0, layer);
    }
    [[nodiscard]] int layers() const { return static_cast<int>(m_tensors.at("h0").size(0)); }

private:
    Tensors& m_tensors;
};

using kernels::Cell;

Tensors runLstm(Tensors& tensors) {
    const Stack stack(tensors);
    at::Tensor x = tensors.at("x");
    std::vector<at::Tensor> h;
    std::vector<at::Tensor> c;
    for (int layer = 0; layer < stack.layers(); ++layer) {
        const at::Tensor projected = at::matmul(x, stack.weight("ih", layer).t()) +
                                     stack.bias("ih", layer) + stack.bias("hh", layer);
        const auto out = recurrent(Cell::kLstm, {.x = projected,
                                                 .recurrent = stack.weight("hh", layer),
                                                 .h0 = stack.initial("h0", layer),
                                                 .cell0 = {stack.initial("c0", layer)}});
        x = out.h;
        h.push_back(out.h.select(1, -1));
        c.push_back(out.finalCell[0]);
    }
    return {{"output", x}, {"h_n", at::stack(h)}, {"c_n", at::stack(c)}};
}

Tensors runOther(Cell cell, Tensors& tensors) {
    const Stack stack(tensors);
    at::Tensor x = tensors.at("x");
    std::vector<at::Tensor> h;
    for (int layer = 0; layer < stack.layers(); ++layer) {
        const at::Tensor projected =
            at::matmul(x, stack.weight("ih", layer).t()) + stack.bias("ih", layer);
        x = recurrent(cell, {.x = projected,
                             .recurrent = stack.weight("hh", layer),
                             .bias = stack.bias("hh", layer),
                             .h0 = stack.initial("h0", layer)})
                .h;
        h.push_back(x.select(1, -1));
    }
    return {{"output", x}, {"h_n", at::stack(h)}};
}

Tensors runGru(Tensors& tensors) {
    return runOther(Cell::kGru, tensors);
}
Tensors runTanh(Tensors& tensors) {
    return runOther(Cell::kTanh, tensors);
}

/// Outputs and the gradients of everything that has one in the file.
void expectGolden(const std::string& name, Tensors (*run)(Tensors&)) {
    Tensors tensors = golden("modules/" + name);
    std::vector<at::Tensor> leaves;
    std::vector<at::Tensor> expected;
    for (auto& [key, tensor] : tensors) {
        const std::string bare = key.starts_with("param.") ? key.substr(6) : key;
        if (key.starts_with("grad.") || !tensors.contains("grad." + bare)) {
            continue;
        }
        leaves.push_back(tensor.requires_grad_(true));
        expected.push_back(tensors.at("grad." + bare));
    }
    const Tensors outputs = run(tensors);
    at::Tensor scalar = at::zeros({}, at::kDouble);
    for (const auto& [key, value] : outputs) {
        EXPECT_LE(difference(value, tensors.at(key)), kGoldenTolerance) << name << " " << key;
        scalar = scalar + (value * tensors.at("d." + key)).sum();
    }
    ASSERT_FALSE(leaves.empty());
    const auto gradients = torch::autograd::grad({scalar}, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        EXPECT_LE(difference(gradients[i], expected[i]), kGoldenTolerance) << name << " " << i;
    }
}

TEST(LstmOp, ReproducesTheReferenceOutputsAndGradients) {
    expectGolden("lstm_two_layers", &runLstm);
    expectGolden("lstm_no_bias", &runLstm);
    expectGolden("lstm_one_step", &runLstm);
}

TEST(GruOp, ReproducesTheReferenceOutputsAndGradients) {
    expectGolden("gru_two_layers", &runGru);
    expectGolden("gru_no_bias", &runGru);
}

TEST(TanhRnnOp, ReproducesTheReferenceOutputsAndGradients) {
    expectGolden("rnn_tanh_two_layers", &runTanh);
}

/// x, R, b, h0, c0 in fp32 for a cell with `gates` gates.
struct FloatCell {
    static constexpr std::int64_t kWidth = 24;
    at::Tensor x, input, recurrent, bias, h0, c0;

    explicit FloatCell(std::int64_t gates)
        : x(random({7, 50, 10}, 1, at::kFloat)),
          input(leaf(0.3 * random({gates * kWidth, 10}, 2, at::kFloat))),
          recurrent(leaf(0.2 * random({gates * kWidth, kWidth}, 3, at::kFloat))),
          bias(leaf(random({gates * kWidth}, 4, at::kFloat))),
          h0(random({7, kWidth}, 5, at::kFloat)),
          c0(random({7, kWidth}, 6, at::kFloat)) {}

    static at::Tensor leaf(const at::Tensor& value) { return value.detach().requires_grad_(true); }
    [[nodiscard]] at::Tensor projected() const { return at::matmul(x, input.t()) + bias; }
    [[nodiscard]] std::vector<at::Tensor> parameters() const {
        return {input, recurrent, bias, at::zeros_like(bias)};
    }
    void expectEqual(const at::Tensor& ours, const at::Tensor& theirs) const {
        EXPECT_LE(difference(ours, theirs), kFloatTolerance);
        const auto g = torch::autograd::grad({ours.square().sum()}, {input, recurrent, bias});
        const auto e = torch::autograd::grad({theirs.square().sum()}, {input, recurrent, bias});
        for (std::size_t i = 0; i < g.size(); ++i) {
            EXPECT_LE(difference(g[i], e[i]), kFloatTolerance) << i;
        }
    }
};

TEST(LstmOp, AgreesWithLibTorchInSinglePrecision) {
    const FloatCell cell(4);
    const auto theirs = at::lstm(cell.x, {cell.h0.unsqueeze(0), cell.c0.unsqueeze(0)},
                                 cell.parameters(), true, 1, 0.0, true, false, true);
    cell.expectEqual(
        recurrent(
            Cell::kLstm,
            {.x = cell.projected(), .recurrent = cell.recurrent, .h0 = cell.h0, .cell0 = {cell.c0}})
            .h,
        std::get<0>(theirs));
}

TEST(GruOp, AgreesWithLibTorchInSinglePrecision) {
    const FloatCell cell(3);
    const auto theirs =
        at::gru(cell.x, cell.h0.unsqueeze(0), cell.parameters(), true, 1, 0.0, true, false, true);
    cell.expectEqual(
        recurrent(Cell::kGru, {.x = cell.projected(), .recurrent = cell.recurrent, .h0 = cell.h0})
            .h,
        std::get<0>(theirs));
}

TEST(TanhRnnOp, AgreesWithLibTorchInSinglePrecision) {
    const FloatCell cell(1);
    const auto theirs = at::rnn_tanh(cell.x, cell.h0.unsqueeze(0), cell.parameters(), true, 1, 0.0,
                                     true, false, true);
    cell.expectEqual(
        recurrent(Cell::kTanh, {.x = cell.projected(), .recurrent = cell.recurrent, .h0 = cell.h0})
            .h,
        std::get<0>(theirs));
}

TEST(RecurrentLoops, GiveTheSameGatesStatesAndGradientsAsTheOperation) {
    for (const Cell cell : {Cell::kLstm, Cell::kGru, Cell::kTanh, Cell::kSlstm}) {
        const auto rows = std::int64_t{4} * kernels::gatesOf(cell);
        const auto leaf = [](at::Tensor x) { return x.requires_grad_(true); };
        RecurrentArguments in{.x = leaf(random({3, 6, rows}, 4)),
                              .recurrent = leaf(random({rows, 4}, 5)),
                              .bias = leaf(random({rows}, 3)),
                              .h0 = leaf(random({3, 4}, 1))};
        if (cell == Cell::kLstm) {
            in.cell0 = {leaf(random({3, 4}, 2))};
        } else if (cell == Cell::kSlstm) {
            in.cell0 = {leaf(random({3, 4}, 2)), leaf(random({3, 4}, 6).abs() + 0.5),
                        random({3, 4}, 7)};
        }
        const auto ours = recurrent(cell, in, {}, true);
        const auto theirs = recurrentLoop(cell, in);
        const auto same = [&](const at::Tensor& a, const at::Tensor& b) {
            ASSERT_EQ(a.defined(), b.defined());
            EXPECT_TRUE(!a.defined() || difference(a, b) <= kDoubleTolerance);
        };
        same(ours.h, theirs.h);
        same(ours.gates, theirs.gates);
        same(ours.c, theirs.c);
        std::vector<at::Tensor> leaves{in.x, in.recurrent, in.bias, in.h0};
        for (std::size_t i = 0; i < in.cell0.size(); ++i) {
            same(ours.finalCell[i], theirs.finalCell[i]);
            if (in.cell0[i].defined() && in.cell0[i].requires_grad()) {
                leaves.push_back(in.cell0[i]);
            }
        }
        at::Tensor a = ours.h.square().sum();
        at::Tensor b = theirs.h.square().sum();
        if (cell == Cell::kLstm) {
            a = a + ours.finalCell[0].pow(3).sum();
            b = b + theirs.finalCell[0].pow(3).sum();
        }
        const auto g = torch::autograd::grad({a}, leaves);
        const auto e = torch::autograd::grad({b}, leaves);
        for (std::size_t i = 0; i < g.size(); ++i) {
            EXPECT_LE(difference(g[i], e[i]), kDoubleTolerance) << i;
        }
    }
}

/// KR-33: each input asks for its gradient alone.
TEST(RecurrentOp, GivesTheGradientsThatAreAskedForAndNoOthers) {
    for (std::size_t asked = 0; asked < 5; ++asked) {
        std::vector<at::Tensor> t{random({2, 3, 16}, 1), random({16, 4}, 2), random({16}, 3),
                                  random({2, 4}, 4), random({2, 4}, 5)};
        t[asked].requires_grad_(true);
        const auto out = recurrent(Cell::kLstm, {t[0], t[1], t[2], t[3], {t[4]}});
        out.h.sum().backward();
        for (std::size_t i = 0; i < t.size(); ++i) {
            EXPECT_EQ(t[i].grad().defined(), i == asked) << i << " of " << asked;
        }
    }
}

TEST(RecurrentOp, RefusesShapesThatDoNotFit) {
    const at::Tensor h0 = random({2, 4}, 1);
    EXPECT_THROW(
        (void)recurrent(Cell::kGru,
                        {.x = random({2, 3, 16}, 1), .recurrent = random({12, 4}, 2), .h0 = h0}),
        c10::Error);
    EXPECT_THROW(
        (void)recurrent(
            Cell::kGru,
            {.x = random({2, 3, 12}, 1), .recurrent = random({12, 4}, 2), .h0 = h0, .cell0 = {h0}}),
        c10::Error);
}

TEST(LstmOp, WithSaturatedGatesIsALatch) {
    // Forget gate 1, input gate 0: the cell keeps its value whatever comes.
    at::Tensor x = random({1, 30, 8}, 1).unflatten(2, {4, 2}).clone();
    x.select(2, 0).fill_(-1e3);
    x.select(2, 1).fill_(1e3);
    const at::Tensor c0 = random({1, 2}, 2);
    const auto out = recurrent(Cell::kLstm,
                               {.x = x.flatten(2),
                                .recurrent = at::zeros({8, 2}, at::kDouble),
                                .h0 = random({1, 2}, 3),
                                .cell0 = {c0}},
                               {}, true);
    EXPECT_TRUE(at::equal(out.c, c0.unsqueeze(1).expand({1, 30, 2})));
    EXPECT_TRUE(at::equal(out.finalCell[0], c0));
}

}  // namespace
}  // namespace lab::ops
