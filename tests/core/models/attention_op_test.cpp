#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/ops/attention.h"
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
const Execution kPlain{.pool = {}, .plain = true};

/// Files are [B,H,T,D] with values wider than keys: those go in two parts of the keys' width.
TEST(AttentionOp, ReproducesTheReferenceInOnePieceAndAfterAPast) {
    Tensors t = golden("modules/sdpa_causal");
    const auto timeFirst = [&](const char* name) { return t.at(name).transpose(1, 2); };
    const at::Tensor q = timeFirst("q").clone().requires_grad_(true);
    const at::Tensor k = timeFirst("k").clone().requires_grad_(true);
    const auto width = q.size(3);
    const at::Tensor v = timeFirst("v").narrow(3, 0, width).clone().requires_grad_(true);
    const at::Tensor expected = timeFirst("output").narrow(3, 0, width);
    const at::Tensor whole = attention(q, k, v);
    EXPECT_LE(difference(whole, expected), kGoldenTolerance);
    const at::Tensor pattern = attentionPattern(q, k);
    EXPECT_LE(difference(at::matmul(pattern, v.transpose(1, 2)).transpose(1, 2), expected),
              kGoldenTolerance);
    for (std::int64_t past = 1; past < q.size(1); ++past) {
        const auto rest = q.size(1) - past;
        const at::Tensor later = attention(q.narrow(1, past, rest), k, v);
        EXPECT_LE(difference(later, expected.narrow(1, past, rest)), kGoldenTolerance) << past;
    }
}

TEST(AttentionOp, AgreesWithLibTorchsOperatorsAndTheirGradients) {
    for (const bool rotary : {false, true}) {
        for (const int window : {0, 5}) {
            for (const auto type : {at::kFloat, at::kDouble}) {
                std::vector<at::Tensor> leaves;
                for (int i = 0; i < 3; ++i) {
                    leaves.push_back(random({2, 37, 3, 16}, 10 + i, type).requires_grad_(true));
                }
                const AttentionOptions options{.rotary = rotary, .window = window};
                const auto run = [&](const Execution& execution) {
                    return attention(leaves[0], leaves[1], leaves[2], options, execution);
                };
                const double tolerance = type == at::kFloat ? kFloatTolerance : kDoubleTolerance;
                const at::Tensor ours = run({});
                const at::Tensor theirs = run(kPlain);
                EXPECT_LE(difference(ours, theirs), tolerance) << rotary << window;
                const auto g = torch::autograd::grad({ours.pow(3).sum()}, leaves);
                const auto e = torch::autograd::grad({theirs.pow(3).sum()}, leaves);
                for (std::size_t i = 0; i < g.size(); ++i) {
                    EXPECT_LE(difference(g[i], e[i]), 4 * tolerance) << rotary << window << i;
                }
            }
        }
    }
}

/// KR-33.
TEST(AttentionOp, GivesTheGradientsThatAreAskedForAndNoOthers) {
    for (std::size_t asked = 0; asked < 3; ++asked) {
        std::vector<at::Tensor> t;
        for (int i = 0; i < 3; ++i) {
            t.push_back(random({2, 5, 2, 8}, i));
        }
        t[asked].requires_grad_(true);
        attention(t[0], t[1], t[2], {.rotary = true}).sum().backward();
        for (std::size_t i = 0; i < t.size(); ++i) {
            EXPECT_EQ(t[i].grad().defined(), i == asked) << i << " of " << asked;
        }
    }
}

TEST(AttentionOp, RefusesShapesThatDoNotFit) {
    const at::Tensor x = random({2, 5, 2, 8}, 1);
    EXPECT_THROW((void)attention(x, x.narrow(1, 0, 4), x.narrow(1, 0, 4)), c10::Error);
    EXPECT_THROW((void)attention(x, x, x.narrow(3, 0, 4)), c10::Error);
}

TEST(RotaryPositions, DependOnTheDistanceAloneAndKeepLengths) {
    const at::Tensor q = random({1, 1, 2, 8}, 1);
    const at::Tensor k = random({1, 1, 2, 8}, 2);
    const auto score = [&](std::int64_t at, std::int64_t from) {
        return (rotated(q, at) * rotated(k, from)).sum(-1);
    };
    EXPECT_LE(difference(score(9, 4), score(105, 100)), kDoubleTolerance);
    EXPECT_GT(difference(score(9, 4), score(9, 5)), 1e-3);
    EXPECT_LE(difference(rotated(q, 1234).norm(2, -1), q.norm(2, -1)), kDoubleTolerance);
    // Position 1, slowest pair of D = 8: angle 10000^(-6/8) = 0.001.
    const at::Tensor e = at::zeros({1, 1, 1, 8}, at::kDouble);
    e[0][0][0][3] = 1;
    const at::Tensor turned = rotated(e, 1).flatten();
    EXPECT_NEAR(turned[3].item<double>(), std::cos(0.001), 1e-15);
    EXPECT_NEAR(turned[7].item<double>(), std::sin(0.001), 1e-15);
}

}  // namespace
}  // namespace lab::ops
