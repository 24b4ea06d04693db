#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/ops/cross_entropy.h"
#include "core/ops/rms_norm.h"
#include "core/ops/short_conv.h"
#include "core/ops/silu_gate.h"
#include "tests/core/models/tensors.h"

namespace lab::ops {
namespace {

using lab::testing::difference;
using lab::testing::kDoubleTolerance;
using lab::testing::kFloatTolerance;
using lab::testing::random;

const Execution kPlain{.plain = true};

double toleranceOf(at::ScalarType type) {
    return type == at::kDouble ? kDoubleTolerance : kFloatTolerance;
}

at::Tensor leaf(const at::Tensor& x) {
    return x.detach().requires_grad_(true);
}

/// Leaves that are defined.
std::vector<at::Tensor> definedOf(const std::vector<at::Tensor>& all) {
    std::vector<at::Tensor> defined;
    for (const at::Tensor& x : all) {
        if (x.defined()) {
            defined.push_back(x);
        }
    }
    return defined;
}

TEST(RmsNormOp, AgreesWithLibTorchOnRowsThatLieApart) {
    for (const auto type : {at::kDouble, at::kFloat}) {
        // Not 1: there y is the sign of x, and the gradient a difference of equal numbers.
        for (const std::int64_t width : {2, 16, 17, 64}) {
            const at::Tensor x = leaf(random({9, width + 3}, 1, type).narrow(1, 2, width));
            const at::Tensor weight = leaf(random({width}, 2, type));
            const at::Tensor ours = rmsNorm(x, weight, 1e-5);
            const at::Tensor theirs = rmsNorm(x, weight, 1e-5, kPlain);
            EXPECT_LE(difference(ours, theirs), toleranceOf(type));
            const at::Tensor upstream = random({width, 9}, 3, type).t();
            const auto g = torch::autograd::grad({ours}, {x, weight}, {upstream});
            const auto e = torch::autograd::grad({theirs}, {x, weight}, {upstream});
            EXPECT_LE(difference(g[0], e[0]), 10 * toleranceOf(type)) << width;
            EXPECT_LE(difference(g[1], e[1]), 10 * toleranceOf(type)) << width;
        }
    }
}

TEST(SiluGateOp, AgreesWithLibTorch) {
    for (const auto type : {at::kDouble, at::kFloat}) {
        const at::Tensor both = leaf(random({9, 74}, 1, type));
        const at::Tensor ours = siluGate(both);
        const at::Tensor theirs = siluGate(both, kPlain);
        EXPECT_LE(difference(ours, theirs), toleranceOf(type));
        const at::Tensor upstream = random({37, 9}, 3, type).t();
        const auto g = torch::autograd::grad({ours}, {both}, {upstream});
        const auto e = torch::autograd::grad({theirs}, {both}, {upstream});
        EXPECT_LE(difference(g[0], e[0]), toleranceOf(type));
    }
    EXPECT_THROW((void)siluGate(random({2, 3}, 1)), c10::Error);
}

TEST(ShortConvOp, AgreesWithShiftedSumsForEveryCombinationOfArguments) {
    constexpr std::int64_t kWidth = 4;
    for (const std::int64_t steps : {1, 2, 3, 4, 9}) {
        for (const bool biased : {false, true}) {
            for (const bool continued : {false, true}) {
                for (const auto activation : {ConvActivation::kNone, ConvActivation::kSilu}) {
                    const at::Tensor x = leaf(random({2, 5, steps}, 1).transpose(1, 2));
                    const at::Tensor weight = leaf(random({5, kWidth}, 2));
                    const at::Tensor bias = biased ? leaf(random({5}, 3)) : at::Tensor();
                    const at::Tensor past =
                        continued ? leaf(random({2, 5, kWidth - 1}, 4)) : at::Tensor();
                    const at::Tensor ours = shortConv(x, weight, bias, past, activation);
                    const at::Tensor sums = shortConv(x, weight, bias, past, activation, kPlain);
                    EXPECT_LE(difference(ours, sums), kDoubleTolerance);
                    const auto leaves = definedOf({x, weight, bias, past});
                    const at::Tensor upstream = random({steps, 2, 5}, 5).transpose(0, 1);
                    const auto g = torch::autograd::grad({ours}, leaves, {upstream});
                    const auto e = torch::autograd::grad({sums}, leaves, {upstream});
                    for (std::size_t i = 0; i < leaves.size(); ++i) {
                        EXPECT_LE(difference(g[i], e[i]), kDoubleTolerance) << steps << " " << i;
                    }
                }
            }
        }
    }
}

TEST(ShortConvOp, ShiftedSumsAreLibTorchsConvolution) {
    const at::Tensor x = random({2, 9, 5}, 1);
    const at::Tensor weight = random({5, 4}, 2);
    const std::vector<std::int64_t> one{1};
    const std::vector<std::int64_t> none{0};
    const at::Tensor padded = at::constant_pad_nd(x.transpose(1, 2), {3, 0});
    const at::Tensor theirs =
        at::conv1d(padded, weight.unsqueeze(1), {}, one, none, one, /*groups=*/5).transpose(1, 2);
    EXPECT_LE(difference(shortConv(x, weight, {}, {}, ConvActivation::kNone, kPlain), theirs),
              kDoubleTolerance);
}

TEST(ShortConvOp, GoesOnAcrossAnySplit) {
    const at::Tensor x = random({2, 9, 5}, 1);
    const at::Tensor weight = random({5, 4}, 2);
    const at::Tensor whole = shortConv(x, weight, {}, {}, ConvActivation::kSilu);
    for (std::int64_t cut = 1; cut < 9; ++cut) {
        const at::Tensor first = x.narrow(1, 0, cut);
        const at::Tensor rest = x.narrow(1, cut, 9 - cut);
        const at::Tensor tail =
            shortConv(rest, weight, {}, carriedInputs(first, {}, 4), ConvActivation::kSilu);
        EXPECT_LE(difference(tail, whole.narrow(1, cut, 9 - cut)), kDoubleTolerance) << cut;
    }
}

TEST(CrossEntropyOp, AgreesWithLibTorchTokenByToken) {
    for (const auto type : {at::kDouble, at::kFloat}) {
        const at::Tensor logits = leaf(3 * random({40, 13}, 1, type));
        at::Tensor targets = at::arange(40, at::kLong).remainder(13);
        targets[7] = -1;
        at::Tensor weights = random({40}, 2, type).abs();
        weights[3] = 0;
        const CrossEntropy ours = weightedCrossEntropy(logits, targets, weights);
        const at::Tensor counted = weights * targets.ge(0);
        const at::Tensor byToken =
            at::cross_entropy_loss(logits, targets, {}, at::Reduction::None, /*ignore_index=*/-1);
        const at::Tensor expected = (byToken * counted).sum() / counted.sum();
        EXPECT_LE(difference(ours.loss, expected), toleranceOf(type));
        EXPECT_LE(difference(ours.byToken, byToken), toleranceOf(type));
        EXPECT_TRUE(at::equal(ours.correct, logits.argmax(1).eq(targets).to(at::kByte)));
        const auto g = torch::autograd::grad({2 * ours.loss}, {logits});
        const auto e = torch::autograd::grad({2 * expected}, {logits});
        EXPECT_LE(difference(g[0], e[0]), toleranceOf(type));
        const CrossEntropy plain = weightedCrossEntropy(logits, targets, weights, kPlain);
        EXPECT_LE(difference(plain.loss, expected), toleranceOf(type));
        EXPECT_LE(difference(plain.byToken, byToken), toleranceOf(type));
        EXPECT_TRUE(at::equal(plain.correct, ours.correct));
    }
}

TEST(CrossEntropyOp, IsZeroWithoutAnyWeight) {
    const at::Tensor logits = leaf(random({4, 3}, 1));
    const at::Tensor targets = at::zeros({4}, at::kLong);
    const auto out = weightedCrossEntropy(logits, targets, at::zeros({4}, at::kDouble));
    EXPECT_EQ(out.loss.item<double>(), 0);
    EXPECT_EQ(torch::autograd::grad({out.loss}, {logits})[0].abs().max().item<double>(), 0);
}

TEST(CrossEntropyOp, RefusesATargetThatIsNoClass) {
    const at::Tensor logits = random({4, 3}, 1);
    EXPECT_ANY_THROW((void)weightedCrossEntropy(logits, at::full({4}, 3, at::kLong),
                                                at::ones({4}, at::kDouble)));
}

}  // namespace
}  // namespace lab::ops
