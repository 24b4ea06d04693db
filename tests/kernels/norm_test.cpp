// Norms of rows against numbers worked by hand and the traced formulas.
#include "kernels/norm.h"

#include "kernels/reference/filters.h"
#include "kernels/thread_pool.h"
#include "tests/kernels/scan_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(NormOfRows);

struct NormProblem {
    Norm norm = Norm::kRms;
    std::int64_t rows = 0;
    int width = 1;
    double epsilon = 1e-5;
    std::vector<Numbers> inputs, upstream;  ///< as in reference::norm
};

/// Rows `gap` numbers further apart than they are long (twice that in the output), NaN between.
template <class T>
ScanRun<T> run(const NormProblem& p, std::int64_t gap, Isa isa, const Exec& exec = {}) {
    const RowShape shape{p.rows, p.width, p.width + gap, p.width + 2 * gap};
    const auto strided = [&](std::int64_t stride, const Numbers& from) {
        auto to = unwritten<T>(static_cast<std::size_t>(p.rows * stride));
        for (std::size_t i = 0; i < from.size(); ++i) {
            const auto row = static_cast<std::int64_t>(i) / p.width;
            to[static_cast<std::size_t>(row * stride + static_cast<std::int64_t>(i) % p.width)] =
                static_cast<T>(from[i]);
        }
        return to;
    };
    const auto packed = [&](std::int64_t stride, const std::vector<T>& from) {
        std::vector<T> to;
        for (std::int64_t row = 0; row < p.rows; ++row) {
            const auto at = from.begin() + row * stride;
            to.insert(to.end(), at, at + p.width);
        }
        return to;
    };
    const auto x = strided(shape.inputStride, p.inputs[0]);
    const auto gradY = strided(shape.outputStride, p.upstream[0]);
    auto y = strided(shape.outputStride, {}), gradX = strided(shape.inputStride, {});
    const auto weight = cast<T>(p.inputs[1]), bias = cast<T>(p.inputs[2]);
    auto inverse = unwritten<T>(static_cast<std::size_t>(p.rows)), mean = inverse;
    auto gradWeight = unwritten<T>(static_cast<std::size_t>(p.width)), gradBias = gradWeight;
    auto workspace = unwritten<T>(normWorkspaceBytes(shape, sizeof(T) == 8) / sizeof(T) + 1);
    const NormInputs<T> in{x.data(), orNull(weight), orNull(bias)};
    EXPECT_EQ(normForward<T>(p.norm, shape, p.epsilon, in, y.data(), {inverse.data(), mean.data()},
                             isa, exec),
              Status::kOk);
    EXPECT_EQ(normBackward<T>(p.norm, shape, in, {inverse.data(), mean.data()},
                              {gradY.data(), gradX.data(), gradWeight.data(), gradBias.data()},
                              workspace.data(), isa, exec),
              Status::kOk);
    const auto asked = [&](std::size_t input, const std::vector<T>& values) {
        return p.inputs[input].empty() ? std::vector<T>{} : values;
    };
    return {{packed(shape.outputStride, y), inverse},
            {packed(shape.inputStride, gradX), asked(1, gradWeight), asked(2, gradBias)}};
}

NormProblem randomNorm(Norm norm, int rows, int width, bool weighted) {
    Random random(static_cast<std::uint64_t>(rows * 1000 + width));
    const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(width);
    const auto each = [&](double low, double high) {
        return weighted ? random.array(static_cast<std::size_t>(width), low, high) : Numbers{};
    };
    NormProblem p{norm, rows, width, 1e-5, {}, {}};
    p.inputs = {random.array(count, -3, 3), each(0.5, 1.5), each(-1, 1)};
    p.upstream = {random.array(count)};
    return p;
}

/// mean(x^2) = (1 + 49) / 2 = 25 and epsilon = -9: divide by 4.
TEST_P(NormOfRows, FollowsTheFormulaByHand) {
    NormProblem p{Norm::kRms, 1, 2, -9.0, {{1, 7}, {2, 8}, {}}, {{1, 0}}};
    const auto rms = run<float>(p, 0, GetParam());
    EXPECT_EQ(widen(rms.outputs[0]), (Numbers{0.5, 14}));
    EXPECT_EQ(widen(rms.outputs[1]), (Numbers{0.25}));
    // w dy = (2, 0): dx = (2 - x <x, w dy> / (2 * 16)) / 4 = (2 - 1/16, -7/16) / 4
    EXPECT_EQ(widen(rms.gradients[0]), (Numbers{31.0 / 64, -7.0 / 64}));
    EXPECT_EQ(widen(rms.gradients[1]), (Numbers{0.25, 0}));
    // around the mean 4: (-3, 3), variance 9, epsilon 7: divide by 4.
    p.norm = Norm::kLayer;
    p.epsilon = 7.0;
    p.inputs[2] = {1, 2};
    EXPECT_EQ(widen(run<float>(p, 0, GetParam()).outputs[0]), (Numbers{-0.5, 8}));
    // 1 + 49 + 14 = 64: divide by 8.
    p.norm = Norm::kL2;
    p.epsilon = 14.0;
    p.inputs[2] = {};
    EXPECT_EQ(widen(run<float>(p, 0, GetParam()).outputs[0]), (Numbers{0.25, 7}));
}

TEST_P(NormOfRows, AgreesWithTheTracedFormulaForAnyWidth) {
    for (const Norm norm : {Norm::kRms, Norm::kLayer, Norm::kL2}) {
        for (const int width : {1, 2, 7, 16, 33, 64, 130}) {
            for (const int rows : {0, 1, 5, 100}) {
                if (norm == Norm::kLayer && width <= 2) {
                    continue;  // zero, or a sign: a quotient of two differences
                }
                for (const bool weighted : {false, true}) {
                    SCOPED_TRACE(::testing::Message()
                                 << static_cast<int>(norm) << ": " << rows << " rows of " << width);
                    const auto p = randomNorm(norm, rows, width, weighted);
                    const auto expected = reference::norm(static_cast<reference::NormKind>(norm),
                                                          width, p.epsilon, p.inputs, p.upstream);
                    // With one number y is a sign, and the gradient rounding alone.
                    const std::vector<std::size_t> rounding =
                        width == 1 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{};
                    expectAnswer(run<double>(p, weighted ? 3 : 0, GetParam()), expected, 1e-14,
                                 1e-13, rounding);
                    expectAnswer(run<float>(p, weighted ? 3 : 0, GetParam()), expected, 2e-6, 5e-6,
                                 rounding);
                }
            }
        }
    }
}

/// KR-22: the weight gradient is summed in an order of its own, not of the threads.
TEST_P(NormOfRows, GivesTheSameBitsForAnyNumberOfThreads) {
    ThreadPool two(2);
    ThreadPool sixteen(16);
    for (const Norm norm : {Norm::kRms, Norm::kLayer}) {
        const auto p = randomNorm(norm, 5000, 24, true);
        const auto once = run<float>(p, 0, GetParam());
        expectSameBits(run<float>(p, 0, GetParam(), two.exec()), once);
        expectSameBits(run<float>(p, 0, GetParam(), sixteen.exec()), once);
    }
}

TEST_P(NormOfRows, RefusesWhatItCannotDo) {
    const float x = 1.0F;
    float y = 0.0F;
    const auto forward = [&](const RowShape& shape, const float* from) {
        return normForward<float>(Norm::kLayer, shape, 0.0, {from}, &y, {}, GetParam());
    };
    EXPECT_EQ(forward({-1, 1, 1, 1}, &x), Status::kBadShape);
    EXPECT_EQ(forward({1, 0, 1, 1}, &x), Status::kBadShape);
    EXPECT_EQ(forward({2, 4, 4, 3}, &x), Status::kBadStride);
    EXPECT_EQ(forward({1, 1, 1, 1}, nullptr), Status::kMissingArgument);
    // The layer norm's backward needs the means.
    EXPECT_EQ(normBackward<float>(Norm::kLayer, {1, 1, 1, 1}, {&x}, {&x, nullptr}, {&x, &y},
                                  nullptr, GetParam()),
              Status::kMissingArgument);
}

}  // namespace
}  // namespace lab::kernels::testing
