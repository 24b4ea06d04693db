#include "tasks/rng.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>
#include <vector>

namespace lab::tasks {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The known answers of the Random123 distribution (kat_vectors, "philox4x32 10").
TEST(Philox, GivesThePublishedKnownAnswers) {
    EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
              (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(
        philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
        (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(
        philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
        (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Rng, DrawsTheBlocksOfItsOwnCounterAndKey) {
    Rng rng(0x299f31d0'a4093822ULL, 7, 0x0000'0005'0000'0009ULL);
    for (std::uint32_t block = 0; block < 3; ++block) {
        for (const std::uint32_t word : philox4x32({block, 9, 5, 7}, {0xa4093822, 0x299f31d0})) {
            EXPECT_EQ(rng.next32(), word);
        }
    }
}

TEST(Rng, EverySeedStreamAndIndexIsASequenceOfItsOwn) {
    std::set<std::vector<std::uint32_t>> sequences;
    const std::array<std::uint64_t, 4> seeds{0, 1, 1ULL << 32U, ~0ULL};
    for (const std::uint64_t seed : seeds) {
        for (const std::uint32_t stream : {0U, Stream::kTraining, Stream::kEvaluation}) {
            for (const std::uint64_t index : seeds) {
                Rng rng(seed, stream, index);
                sequences.insert({rng.next32(), rng.next32(), rng.next32()});
            }
        }
    }
    EXPECT_EQ(sequences.size(), 4U * 3U * 4U);
}

// 99.9 % points of chi squared with bound - 1 degrees of freedom.
TEST(Rng, BelowIsUniform) {
    const std::array<std::pair<int, double>, 3> bounds{{{3, 13.82}, {5, 18.47}, {120, 174.0}}};
    for (const auto& [bound, limit] : bounds) {
        Rng rng(11, 0, static_cast<std::uint64_t>(bound));
        constexpr int kDraws = 120'000;
        std::vector<int> counts(static_cast<std::size_t>(bound));
        for (int i = 0; i < kDraws; ++i) {
            const int draw = rng.below(bound);
            ASSERT_GE(draw, 0);
            ASSERT_LT(draw, bound);
            ++counts[static_cast<std::size_t>(draw)];
        }
        double chiSquared = 0;
        const double mean = static_cast<double>(kDraws) / bound;
        for (const int count : counts) {
            chiSquared += (count - mean) * (count - mean) / mean;
        }
        EXPECT_LT(chiSquared, limit) << bound;
    }
}

// With 3 * 2^29 the remainders of 2^32 would give the lowest third of the range 3/8 of the draws
// instead of 1/3: twelve standard deviations in this many.
TEST(Rng, BelowHasNoModuloBiasWhereItWouldBeLarge) {
    Rng rng(12);
    constexpr int kBound = 3 << 29;
    constexpr int kDraws = 20'000;
    int lowest = 0;
    int multiplesOfThree = 0;
    for (int i = 0; i < kDraws; ++i) {
        const int draw = rng.below(kBound);
        lowest += draw < kBound / 3 ? 1 : 0;
        multiplesOfThree += draw % 3 == 0 ? 1 : 0;
    }
    const double deviation = std::sqrt(kDraws * 2.0 / 9.0);
    EXPECT_NEAR(lowest, kDraws / 3.0, 4 * deviation);
    EXPECT_NEAR(multiplesOfThree, kDraws / 3.0, 4 * deviation);
}

TEST(Rng, UniformAndNormalHaveTheirMoments) {
    Rng rng(13);
    constexpr int kDraws = 200'000;
    double uniformSum = 0;
    double normalSum = 0;
    double normalSquares = 0;
    double normalFourth = 0;
    for (int i = 0; i < kDraws; ++i) {
        const double u = rng.uniform();
        ASSERT_GE(u, 0.0);
        ASSERT_LT(u, 1.0);
        uniformSum += u;
        const double x = rng.normal();
        normalSum += x;
        normalSquares += x * x;
        normalFourth += x * x * x * x;
    }
    // Four standard errors: variances 1/12, 1, 2 and 96 for u, x, x^2 and x^4.
    const double scale = 4 / std::sqrt(double{kDraws});
    EXPECT_NEAR(uniformSum / kDraws, 0.5, scale * std::sqrt(1.0 / 12));
    EXPECT_NEAR(normalSum / kDraws, 0.0, scale);
    EXPECT_NEAR(normalSquares / kDraws, 1.0, scale * std::sqrt(2.0));
    EXPECT_NEAR(normalFourth / kDraws, 3.0, scale * std::sqrt(96.0));
}

}  // namespace
}  // namespace lab::tasks
