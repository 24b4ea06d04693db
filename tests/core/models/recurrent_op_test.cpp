#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/models/attention.h"
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

Tensors runLstm(Tensors& tensors) {
    const Stack stack(tensors);
    at::Tensor x = tensors.at("x");
    std::vector<at::Tensor> h;
    std::vector<at::Tensor> c;
    for (int layer = 0; layer < stack.layers(); ++layer) {
        const at::Tensor projected = at::matmul(x, stack.weight("ih", layer).t()) +
                                     stack.bias("ih", layer) + stack.bias("hh", layer);
        const auto out = lstm(projected, stack.weight("hh", layer), stack.initial("h0", layer),
                              stack.initial("c0", layer));
        x = out.h;
        h.push_back(out.h.select(1, -1));
        c.push_back(out.c.select(1, -1));
    }
    return {{"output", x}, {"h_n", at::stack(h)}, {"c_n", at::stack(c)}};
}

Tensors runGru(Tensors& tensors) {
    const Stack stack(tensors);
    at::Tensor x = tensors.at("x");
    std::vector<at::Tensor> h;
    for (int layer = 0; layer < stack.layers(); ++layer) {
        // The recurrent bias of r and z is added to x; that of n stands inside the product with r.
        const auto width = stack.weight("hh", layer).size(1);
        const at::Tensor recurrentBias = stack.bias("hh", layer);
        const at::Tensor outside =
            at::cat({recurrentBias.narrow(0, 0, 2 * width), at::zeros({width}, at::kDouble)});
        const at::Tensor projected =
            at::matmul(x, stack.weight("ih", layer).t()) + stack.bias("ih", layer) + outside;
        x = gru(projected, stack.weight("hh", layer), recurrentBias.narrow(0, 2 * width, width),
                stack.initial("h0", layer))
                .h;
        h.push_back(x.select(1, -1));
    }
    return {{"output", x}, {"h_n", at::stack(h)}};
}

Tensors runTanh(Tensors& tensors) {
    const Stack stack(tensors);
    at::Tensor x = tensors.at("x");
    std::vector<at::Tensor> h;
    for (int layer = 0; layer < stack.layers(); ++layer) {
        const at::Tensor projected = at::matmul(x, stack.weight("ih", layer).t()) +
                                     stack.bias("ih", layer) + stack.bias("hh", layer);
        x = tanhRnn(projected, stack.weight("hh", layer), stack.initial("h0", layer));
        h.push_back(x.select(1, -1));
    }
    return {{"output", x}, {"h_n", at::stack(h)}};
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
    cell.expectEqual(lstm(cell.projected(), cell.recurrent, cell.h0, cell.c0).h,
                     std::get<0>(theirs));
}

TEST(GruOp, AgreesWithLibTorchInSinglePrecision) {
    const FloatCell cell(3);
    const auto theirs =
        at::gru(cell.x, cell.h0.unsqueeze(0), cell.parameters(), true, 1, 0.0, true, false, true);
    cell.expectEqual(
        gru(cell.projected(), cell.recurrent, at::zeros({FloatCell::kWidth}), cell.h0).h,
        std::get<0>(theirs));
}

TEST(TanhRnnOp, AgreesWithLibTorchInSinglePrecision) {
    const FloatCell cell(1);
    const auto theirs = at::rnn_tanh(cell.x, cell.h0.unsqueeze(0), cell.parameters(), true, 1, 0.0,
                                     true, false, true);
    cell.expectEqual(tanhRnn(cell.projected(), cell.recurrent, cell.h0), std::get<0>(theirs));
}

TEST(RecurrentLoops, GiveTheSameGatesAndStatesAsTheOperations) {
    const at::Tensor h0 = random({3, 4}, 1);
    const at::Tensor c0 = random({3, 4}, 2);
    const at::Tensor bias = random({4}, 3);
    const at::Tensor x = random({3, 6, 16}, 4);
    const at::Tensor r = random({16, 4}, 5);
    const auto a = lstm(x, r, h0, c0);
    const auto b = lstmLoop(x, r, h0, c0);
    EXPECT_LE(difference(a.gates, b.gates), kDoubleTolerance);
    EXPECT_LE(difference(a.c, b.c), kDoubleTolerance);
    EXPECT_LE(difference(a.h, b.h), kDoubleTolerance);
    const at::Tensor x3 = x.narrow(2, 0, 12);
    const at::Tensor r3 = r.narrow(0, 0, 12);
    const auto c = gru(x3, r3, bias, h0);
    const auto d = gruLoop(x3, r3, bias, h0);
    EXPECT_LE(difference(c.gates, d.gates), kDoubleTolerance);
    EXPECT_LE(difference(c.h, d.h), kDoubleTolerance);
    const at::Tensor x1 = x.narrow(2, 0, 4);
    const at::Tensor r1 = r.narrow(0, 0, 4);
    EXPECT_LE(difference(tanhRnn(x1, r1, h0), tanhRnnLoop(x1, r1, h0)), kDoubleTolerance);
}

TEST(LstmOp, WithSaturatedGatesIsALatch) {
    // Forget gate 1, input gate 0: the cell keeps its value whatever comes.
    at::Tensor x = random({1, 30, 8}, 1).unflatten(2, {4, 2}).clone();
    x.select(2, 0).fill_(-1e3);
    x.select(2, 1).fill_(1e3);
    const at::Tensor c0 = random({1, 2}, 2);
    const auto out = lstm(x.flatten(2), at::zeros({8, 2}, at::kDouble), random({1, 2}, 3), c0);
    EXPECT_TRUE(at::equal(out.c, c0.unsqueeze(1).expand({1, 30, 2})));
}

TEST(CausalAttention, ReproducesTheReferenceInOnePieceAndAfterAPast) {
    Tensors t = golden("modules/sdpa_causal");
    const at::Tensor q = t.at("q").requires_grad_(true);
    const at::Tensor k = t.at("k").requires_grad_(true);
    const at::Tensor v = t.at("v").requires_grad_(true);
    const at::Tensor whole = models::causalAttention(q, k, v);
    EXPECT_LE(difference(whole, t.at("output")), kGoldenTolerance);
    const auto g = torch::autograd::grad({whole}, {q, k, v}, {t.at("d.output")});
    EXPECT_LE(difference(g[0], t.at("grad.q")), kGoldenTolerance);
    EXPECT_LE(difference(g[1], t.at("grad.k")), kGoldenTolerance);
    EXPECT_LE(difference(g[2], t.at("grad.v")), kGoldenTolerance);
    EXPECT_LE(difference(at::matmul(models::attentionPattern(q, k), v), t.at("output")),
              kGoldenTolerance);
    for (std::int64_t past = 1; past < q.size(2); ++past) {
        const auto rest = q.size(2) - past;
        const at::Tensor later = models::causalAttention(q.narrow(2, past, rest), k, v);
        EXPECT_LE(difference(later, t.at("output").narrow(2, past, rest)), kGoldenTolerance)
            << past;
    }
}

TEST(RotaryPositions, DependOnTheDistanceAloneAndKeepLengths) {
    const at::Tensor q = random({1, 1, 2, 8}, 1);
    const at::Tensor k = random({1, 1, 2, 8}, 2);
    const auto score = [&](std::int64_t at, std::int64_t from) {
        return (models::rotated(q, at) * models::rotated(k, from)).sum(-1);
    };
    EXPECT_LE(difference(score(9, 4), score(105, 100)), kDoubleTolerance);
    EXPECT_GT(difference(score(9, 4), score(9, 5)), 1e-3);
    EXPECT_LE(difference(models::rotated(q, 1234).norm(2, -1), q.norm(2, -1)), kDoubleTolerance);
    // Position 1, slowest pair of D = 8: angle 10000^(-6/8) = 0.001.
    const at::Tensor e = at::zeros({1, 1, 1, 8}, at::kDouble);
    e[0][0][0][3] = 1;
    const at::Tensor turned = models::rotated(e, 1).flatten();
    EXPECT_NEAR(turned[3].item<double>(), std::cos(0.001), 1e-15);
    EXPECT_NEAR(turned[7].item<double>(), std::sin(0.001), 1e-15);
}

}  // namespace
}  // namespace lab::ops
