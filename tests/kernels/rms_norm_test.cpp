// RMS normalisation against numbers worked by hand and the reference.
#include "kernels/rms_norm.h"

#include "kernels/reference/elementary.h"
#include "kernels/thread_pool.h"
#include "tests/kernels/support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(RmsNorm);

struct NormRun {
    std::vector<float> y, inverse, gradX, gradWeight;
};

NormRun run(const reference::NormProblem& p, std::int64_t gap, Isa isa, const Exec& exec = {}) {
    const RowShape shape{p.rows, p.width, p.width + gap, p.width + 2 * gap};
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto strided = [&](std::int64_t stride, const Numbers& from) {
        std::vector<float> to(static_cast<std::size_t>(p.rows * stride), nan);
        for (std::size_t i = 0; i < from.size(); ++i) {
            const auto row = static_cast<std::int64_t>(i) / p.width;
            to[static_cast<std::size_t>(row * stride + static_cast<std::int64_t>(i) % p.width)] =
                static_cast<float>(from[i]);
        }
        return to;
    };
    const auto packed = [&](std::int64_t stride, const std::vector<float>& from) {
        std::vector<float> to;
        for (std::int64_t row = 0; row < p.rows; ++row) {
            const auto at = from.begin() + row * stride;
            to.insert(to.end(), at, at + p.width);
        }
        return to;
    };
    const auto x = strided(shape.inputStride, p.x), gradY = strided(shape.outputStride, p.gradY);
    auto y = strided(shape.outputStride, {}), gradX = strided(shape.inputStride, {});
    const auto weight = cast<float>(p.weight);
    NormRun result;
    result.inverse.resize(static_cast<std::size_t>(p.rows));
    result.gradWeight.assign(static_cast<std::size_t>(p.width), nan);
    std::vector<float> workspace(rmsNormWorkspaceBytes(shape, false) / sizeof(float) + 1, nan);
    const float* const weights = weight.empty() ? nullptr : weight.data();
    EXPECT_EQ(rmsNormForward<float>(shape, p.epsilon, x.data(), weights, y.data(),
                                    result.inverse.data(), isa, exec),
              Status::kOk);
    EXPECT_EQ(
        rmsNormBackward<float>(shape, x.data(), weights, result.inverse.data(), gradY.data(),
                               gradX.data(), result.gradWeight.data(), workspace.data(), isa, exec),
        Status::kOk);
    result.y = packed(shape.outputStride, y);
    result.gradX = packed(shape.inputStride, gradX);
    return result;
}

reference::NormProblem randomNorm(int rows, int width, bool weighted) {
    Random random(static_cast<std::uint64_t>(rows * 1000 + width));
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
    reference::NormProblem p{rows, width, 1e-5};
    p.x = random.array(count, -3, 3);
    p.gradY = random.array(count);
    if (weighted) {
        p.weight = random.array(static_cast<std::size_t>(width), 0.5, 1.5);
    }
    return p;
}

/// mean(x^2) = (1 + 49) / 2 = 25 and epsilon = -9: divide by 4.
TEST_P(RmsNorm, FollowsTheFormulaByHand) {
    reference::NormProblem p{1, 2, -9.0};
    p.x = {1, 7};
    p.weight = {2, 8};
    p.gradY = {1, 0};
    const auto result = run(p, 0, GetParam());
    EXPECT_EQ(widen(result.y), (Numbers{0.5, 14}));
    EXPECT_EQ(widen(result.inverse), (Numbers{0.25}));
    // w dy = (2, 0): dx = (2 - x <x, w dy> / (2 * 16)) / 4 = (2 - 1/16, -7/16) / 4
    EXPECT_EQ(widen(result.gradX), (Numbers{31.0 / 64, -7.0 / 64}));
    EXPECT_EQ(widen(result.gradWeight), (Numbers{0.25, 0}));
}

TEST_P(RmsNorm, AgreesWithTheReferenceForAnyWidth) {
    for (const int width : {1, 2, 7, 16, 33, 64, 130}) {
        for (const int rows : {0, 1, 5, 100}) {
            for (const bool weighted : {false, true}) {
                SCOPED_TRACE(::testing::Message() << rows << " rows of " << width);
                const auto p = randomNorm(rows, width, weighted);
                const auto result = run(p, weighted ? 3 : 0, GetParam());
                const auto expected = reference::rmsNorm(p);
                LAB_EXPECT_CLOSE(result.y, expected.y, 1e-6);
                LAB_EXPECT_CLOSE(result.inverse, expected.inverse, 1e-6);
                LAB_EXPECT_CLOSE(result.gradWeight, expected.gradWeight, 2e-6);
                if (width > 1) {  // with one number, y is a sign and the gradient rounding
                    LAB_EXPECT_CLOSE(result.gradX, expected.gradX, 2e-6);
                }
            }
        }
    }
}

/// KR-22: the weight gradient is summed in an order of its own, not of the threads.
TEST_P(RmsNorm, GivesTheSameBitsForAnyNumberOfThreads) {
    ThreadPool two(2);
    ThreadPool sixteen(16);
    const auto p = randomNorm(5000, 24, true);
    const auto once = run(p, 0, GetParam());
    for (const Exec& exec : {two.exec(), sixteen.exec()}) {
        const auto again = run(p, 0, GetParam(), exec);
        EXPECT_TRUE(sameBits(again.y, once.y));
        EXPECT_TRUE(sameBits(again.gradX, once.gradX));
        EXPECT_TRUE(sameBits(again.gradWeight, once.gradWeight));
    }
}

}  // namespace
}  // namespace lab::kernels::testing
