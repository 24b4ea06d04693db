// Cross-entropy against closed forms and the reference.
#include "kernels/cross_entropy.h"

#include "kernels/reference/elementary.h"
#include "kernels/thread_pool.h"
#include "tests/kernels/support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(CrossEntropy);

struct Result {
    std::vector<float> loss, gradX;
    std::vector<std::uint8_t> correct;
};

Result run(int classes, const Numbers& x, const std::vector<std::int64_t>& target,
           const Numbers& weight, Isa isa, const Exec& exec = {}) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Result result{std::vector<float>(target.size(), nan), std::vector<float>(x.size(), nan),
                  std::vector<std::uint8_t>(target.size(), 9)};
    const auto logits = cast<float>(x), weights = cast<float>(weight);
    EXPECT_EQ(crossEntropy<float>(static_cast<std::int64_t>(target.size()), classes, logits.data(),
                                  target.data(), weight.empty() ? nullptr : weights.data(),
                                  result.loss.data(), result.gradX.data(), result.correct.data(),
                                  isa, exec),
              Status::kOk);
    return result;
}

/// Equal logits: ln(classes); the first of the largest counts, so only target 0 is correct. A
/// negative target has no loss; logits of 1000 do not overflow.
TEST_P(CrossEntropy, FollowsClosedForms) {
    const auto equal = run(4, {7, 7, 7, 7, 7, 7, 7, 7}, {0, 2}, {1, 2}, GetParam());
    EXPECT_FLOAT_EQ(equal.loss[0], std::log(4.0F));
    EXPECT_EQ(widen(equal.gradX), (Numbers{-0.75, 0.25, 0.25, 0.25, 0.5, 0.5, -1.5, 0.5}));
    EXPECT_EQ(equal.correct, (std::vector<std::uint8_t>{1, 0}));
    const auto large = run(3, {1000, 0, -1000, 5, 6, 7}, {1, -100}, {}, GetParam());
    EXPECT_FLOAT_EQ(large.loss[0], 1000.0F);
    EXPECT_EQ(widen(large.gradX), (Numbers{1, -1, 0, 0, 0, 0}));
    EXPECT_EQ(large.loss[1], 0.0F);
    EXPECT_EQ(large.correct[1], 0);
}

TEST_P(CrossEntropy, AgreesWithTheReferenceForAnyNumberOfClasses) {
    for (const int classes : {1, 2, 8, 15, 16, 17, 24, 50, 130}) {
        SCOPED_TRACE(classes);
        Random random(static_cast<std::uint64_t>(classes));
        const Numbers x = random.array(static_cast<std::size_t>(60 * classes), -8, 8);
        const Numbers weight = random.array(60, 0, 2);
        std::vector<std::int64_t> target(60);
        for (std::int64_t& index : target) {
            index = random.below(classes + 1) - 1;
        }
        const auto result = run(classes, x, target, weight, GetParam());
        const auto expected = reference::crossEntropy(classes, x, target, weight);
        if (classes > 1) {
            LAB_EXPECT_CLOSE(result.loss, expected.loss, 1e-6);
            LAB_EXPECT_CLOSE(result.gradX, expected.gradX, 1e-6);
        }
        EXPECT_EQ(result.correct, expected.correct);
    }
}

TEST_P(CrossEntropy, GivesTheSameBitsForAnyNumberOfThreads) {
    ThreadPool sixteen(16);
    Random random(3);
    const Numbers x = random.array(std::size_t{333} * 24, -8, 8);
    const std::vector<std::int64_t> target(333, 5);
    const auto once = run(24, x, target, {}, GetParam());
    const auto again = run(24, x, target, {}, GetParam(), sixteen.exec());
    EXPECT_TRUE(sameBits(again.loss, once.loss));
    EXPECT_TRUE(sameBits(again.gradX, once.gradX));
}

TEST_P(CrossEntropy, RefusesATargetBeyondTheClasses) {
    const float x[3] = {1, 2, 3};
    const std::int64_t target = 3;
    float loss = 0;
    EXPECT_EQ(crossEntropy<float>(1, 3, x, &target, nullptr, &loss, nullptr, nullptr, GetParam()),
              Status::kBadShape);
}

}  // namespace
}  // namespace lab::kernels::testing
