// The short convolution against numbers worked by hand, the reference and its own differences.
#include "kernels/short_conv.h"

#include "kernels/thread_pool.h"
#include "tests/kernels/conv_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(ShortConv);

/// Of the largest number in an array, which has a single element here and there; the slope of silu
/// is a difference that cancels near x = -1.28.
constexpr double kTolerance = 1e-5;

/// W = 3, weights (1, 2, 4), bias 1/2, carried inputs (8, 16): y_0 = 8 + 32 + 4 x_0 + 1/2, ...
TEST_P(ShortConv, FollowsTheFormulaByHand) {
    ConvProblem p{1, 2, 1, 3};
    p.x = {1, -1};
    p.weight = {1, 2, 4};
    p.bias = {0.5};
    p.initialState = {8, 16};
    p.gradY = {1, 10};
    p.gradFinalState = {100, 1000};
    const auto run = runConv<float>(p, {GetParam()});
    EXPECT_EQ(widen(run.y), (Numbers{44.5, 14.5}));
    EXPECT_EQ(widen(run.finalState), (Numbers{1, -1}));
    // x_0 met tap 2 at t = 0 and tap 1 at t = 1, and is the older carried output.
    EXPECT_EQ(widen(run.gradX), (Numbers{4 + 20 + 100, 40 + 1000}));
    EXPECT_EQ(widen(run.gradInitialState), (Numbers{1, 2 + 10}));
    EXPECT_EQ(widen(run.gradWeight), (Numbers{8 + 160, 16 + 10, 1 - 10}));
    EXPECT_EQ(widen(run.gradBias), (Numbers{11}));
}

/// KR-11: T = 0..8 against W = 1..6, with and without carried states, bias and activation.
TEST_P(ShortConv, AgreesWithTheReferenceForAnyLengthAndWidth) {
    for (int steps = 0; steps <= 8; ++steps) {
        for (const int width : {1, 2, 3, 4, 6}) {
            for (int options = 0; options < 8; ++options) {
                for (const int channels : {1, 19, 64}) {
                    SCOPED_TRACE(::testing::Message() << "T " << steps << " W " << width << " C "
                                                      << channels << " options " << options);
                    const ConvProblem p = randomConv(2, steps, channels, width, (options & 1) != 0,
                                                     (options & 2) != 0, (options & 4) != 0);
                    const auto run = runConv<float>(p, {GetParam()});
                    const auto expected = reference::shortConv(p);
                    LAB_EXPECT_CLOSE(run.y, expected.y, kTolerance);
                    LAB_EXPECT_CLOSE(run.finalState, expected.finalState, 0);
                    LAB_EXPECT_CLOSE(run.gradX, expected.gradX, kTolerance);
                    LAB_EXPECT_CLOSE(run.gradWeight, expected.gradWeight, kTolerance);
                    LAB_EXPECT_CLOSE(run.gradBias, expected.gradBias, kTolerance);
                    LAB_EXPECT_CLOSE(run.gradInitialState, expected.gradInitialState, kTolerance);
                }
            }
        }
    }
}

/// KR-11, KR-14: central differences of the float64 code, states included.
TEST_P(ShortConv, GradientIsTheDerivative) {
    constexpr double kStep = 1e-5;
    ConvProblem p = randomConv(2, 2, 3, 4, true, true, true);
    const auto loss = [&](const ConvProblem& at) {
        const auto run = runConv<double>(at, {GetParam()});
        double total = 0;
        for (std::size_t i = 0; i < run.y.size(); ++i) {
            total += run.y[i] * p.gradY[i];
        }
        for (std::size_t i = 0; i < run.finalState.size(); ++i) {
            total += run.finalState[i] * p.gradFinalState[i];
        }
        return total;
    };
    const auto differences = [&](Numbers ConvProblem::*input) {
        Numbers result;
        for (std::size_t i = 0; i < (p.*input).size(); ++i) {
            ConvProblem up = p;
            ConvProblem down = p;
            (up.*input)[i] += kStep;
            (down.*input)[i] -= kStep;
            result.push_back((loss(up) - loss(down)) / (2 * kStep));
        }
        return result;
    };
    const auto run = runConv<double>(p, {GetParam()});
    LAB_EXPECT_CLOSE(run.gradX, differences(&ConvProblem::x), 1e-8);
    LAB_EXPECT_CLOSE(run.gradWeight, differences(&ConvProblem::weight), 1e-8);
    LAB_EXPECT_CLOSE(run.gradBias, differences(&ConvProblem::bias), 1e-8);
    LAB_EXPECT_CLOSE(run.gradInitialState, differences(&ConvProblem::initialState), 1e-8);
}

/// KR-12, KR-22: layouts and threads change no bit.
TEST_P(ShortConv, GivesTheSameBitsForAnyLayoutAndThreads) {
    ThreadPool sixteen(16);
    for (const int channels : {5, 192}) {
        const ConvProblem p = randomConv(3, 70, channels, 4, true, true, true);
        const auto plain = runConv<float>(p, {GetParam()});
        expectSameBits(runConv<float>(p, {GetParam(), sixteen.exec()}), plain);
        for (const Layout inputs : {Layout::kSlice, Layout::kChannelStrided}) {
            expectSameBits(runConv<float>(p, {GetParam(), {}, inputs, Layout::kSlice}), plain);
        }
    }
}

/// Token by token with the carried inputs: the bits of the whole.
TEST_P(ShortConv, GivesTheSameBitsTokenByToken) {
    const ConvProblem p = randomConv(1, 12, 40, 4, true, false, true);
    const auto whole = runConv<float>(p, {GetParam()});
    ConvProblem token = p;
    token.steps = 1;
    token.gradY.clear();
    std::vector<float> y;
    for (int t = 0; t < p.steps; ++t) {
        token.x.assign(p.x.begin() + t * 40, p.x.begin() + (t + 1) * 40);
        const auto run = runConv<float>(token, {GetParam()});
        token.initialState = widen(run.finalState);
        y.insert(y.end(), run.y.begin(), run.y.end());
    }
    EXPECT_TRUE(sameBits(y, whole.y));
}

/// silu and its slope at the ends of float: no NaN from e^x.
TEST_P(ShortConv, StaysFiniteForLargeInputs) {
    ConvProblem p{1, 6, 1, 1, true};
    p.x = {-1e4, -88.5, -87, 87, 89, 1e4};
    p.weight = {1};
    p.gradY.assign(6, 1.0);
    const auto run = runConv<float>(p, {GetParam()});
    const Numbers slopes{0, 0, 0, 1, 1, 1};
    for (std::size_t i = 0; i < p.x.size(); ++i) {
        EXPECT_NEAR(run.y[i], std::max(0.0, p.x[i]), 1e-30);
        EXPECT_NEAR(run.gradX[i], slopes[i], 1e-30);
    }
}

TEST_P(ShortConv, RefusesWhatItCannotDo) {
    const float weight[2] = {1, 1};
    ConvInputs<float> in;
    in.weight = weight;
    EXPECT_EQ(
        shortConvForward<float>({1, 1, 1, 65}, Activation::kNone, in, {}, nullptr, GetParam()),
        Status::kBadShape);
    EXPECT_EQ(shortConvForward<float>({1, 1, 1, 2}, Activation::kNone, in, {}, nullptr, GetParam()),
              Status::kMissingArgument);
}

}  // namespace
}  // namespace lab::kernels::testing
