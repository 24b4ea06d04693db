// AdamW and sums of squares against the textbook in double.
#include "kernels/adamw.h"

#include "kernels/thread_pool.h"
#include "tests/kernels/scan_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(Adamw);

/// One number after another, as algorithm 2 of the paper says.
struct Textbook {
    Numbers weight, first, second;
    void step(const Numbers& gradient, const AdamwOptions& o, bool decays) {
        const auto t = static_cast<double>(o.update);
        for (std::size_t i = 0; i < weight.size(); ++i) {
            const double g = o.gradientScale * gradient[i];
            first[i] = o.beta1 * first[i] + (1 - o.beta1) * g;
            second[i] = o.beta2 * second[i] + (1 - o.beta2) * g * g;
            weight[i] -= decays ? o.rate * o.weightDecay * weight[i] : 0.0;
            weight[i] -= o.rate * (first[i] / (1 - std::pow(o.beta1, t))) /
                         (std::sqrt(second[i] / (1 - std::pow(o.beta2, t))) + o.epsilon);
        }
    }
};

template <class T>
struct Parameters {
    std::vector<T> weight, first, second;
    explicit Parameters(const Numbers& from)
        : weight(cast<T>(from)), first(from.size()), second(from.size()) {}
    ParameterSpan<T> span(const std::vector<T>& gradient, bool decays, std::size_t begin = 0) {
        return {weight.data() + begin,
                gradient.data() + begin,
                first.data() + begin,
                second.data() + begin,
                static_cast<std::int64_t>(weight.size() - begin),
                decays};
    }
};

template <class T>
void expectTextbook(Isa isa, double tolerance) {
    Random random(3);
    const Numbers start = random.array(1003, -2, 2), vector = random.array(17);
    Textbook matrixBook{start, Numbers(start.size()), Numbers(start.size())};
    Textbook vectorBook{vector, Numbers(vector.size()), Numbers(vector.size())};
    Parameters<T> matrix(start), plain(vector);
    for (int update = 1; update <= 60; ++update) {
        const AdamwOptions o{0.01 / update, 0.9, 0.99, 1e-8, 0.1, update % 2 == 0 ? 1.0 : 0.25,
                             update};
        const Numbers g = random.array(start.size()), h = random.array(vector.size());
        matrixBook.step(g, o, true);
        vectorBook.step(h, o, false);
        const auto gradient = cast<T>(g), other = cast<T>(h);
        const ParameterSpan<T> spans[] = {matrix.span(gradient, true), plain.span(other, false)};
        ASSERT_EQ(adamwStep<T>(spans, 2, o, isa), Status::kOk);
    }
    LAB_EXPECT_CLOSE(matrix.weight, matrixBook.weight, tolerance);
    LAB_EXPECT_CLOSE(matrix.first, matrixBook.first, tolerance);
    LAB_EXPECT_CLOSE(matrix.second, matrixBook.second, tolerance);
    LAB_EXPECT_CLOSE(plain.weight, vectorBook.weight, tolerance);
}

TEST_P(Adamw, FollowsTheTextbookAndDecaysWhatAsksForIt) {
    expectTextbook<double>(GetParam(), 1e-13);
    expectTextbook<float>(GetParam(), 2e-6);  // sixty roundings of weights near 2
}

/// However the buffer is cut and whoever works on it.
TEST_P(Adamw, GivesTheSameBitsForAnyCutAndThreads) {
    ThreadPool three(3);
    Random random(5);
    const Numbers start = random.array(100'003);
    const auto gradient = cast<float>(random.array(start.size()));
    const AdamwOptions o{0.01, 0.9, 0.999, 1e-8, 0.1, 0.5, 1};
    Parameters<float> whole(start), cut(start), threaded(start);
    const auto one = whole.span(gradient, true), many = threaded.span(gradient, true);
    ASSERT_EQ(adamwStep<float>(&one, 1, o, GetParam()), Status::kOk);
    ASSERT_EQ(adamwStep<float>(&many, 1, o, GetParam(), three.exec()), Status::kOk);
    ParameterSpan<float> parts[] = {cut.span(gradient, true), cut.span(gradient, true, 777)};
    parts[0].count = 777;
    ASSERT_EQ(adamwStep<float>(parts, 2, o, GetParam()), Status::kOk);
    EXPECT_TRUE(sameBits(whole.weight, cut.weight));
    EXPECT_TRUE(sameBits(whole.weight, threaded.weight));
    EXPECT_TRUE(sameBits(whole.second, cut.second));
}

TEST_P(Adamw, SumsSquaresInDouble) {
    // 2^24 + 1 ones: in float the sum would stop at 2^24.
    std::vector<float> ones((1U << 24U) + 1, 1.0F);
    const std::vector<float> few{3.0F, -4.0F, 12.0F};
    const std::vector<float> broken{1.0F, std::numeric_limits<float>::infinity()};
    const float* x[] = {ones.data(), few.data(), broken.data(), nullptr};
    const std::int64_t counts[] = {static_cast<std::int64_t>(ones.size()), 3, 2, 0};
    double sums[4] = {};
    ASSERT_EQ(sumsOfSquares<float>(x, counts, 4, sums, GetParam()), Status::kOk);
    EXPECT_EQ(sums[0], 16777217.0);
    EXPECT_EQ(sums[1], 169.0);
    EXPECT_TRUE(std::isinf(sums[2]));
    EXPECT_EQ(sums[3], 0.0);
}

TEST_P(Adamw, RefusesWhatItCannotDo) {
    ParameterSpan<float> span;
    span.count = 1;
    EXPECT_EQ(adamwStep<float>(&span, 1, {}, GetParam()), Status::kMissingArgument);
    span.count = -1;
    EXPECT_EQ(adamwStep<float>(&span, 1, {}, GetParam()), Status::kBadShape);
    AdamwOptions zeroth;
    zeroth.update = 0;
    EXPECT_EQ(adamwStep<float>(&span, 0, zeroth, GetParam()), Status::kBadShape);
}

}  // namespace
}  // namespace lab::kernels::testing
