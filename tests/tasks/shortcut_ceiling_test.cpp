#include "tasks/shortcut_ceiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace lab::tasks {
namespace {

// Worked in exact fractions and printed to three digits.
TEST(ShortcutCeiling, HasTheKnownValuesForThreeAndFiveItems) {
    const std::array<int, 9> reveals{0, 1, 2, 3, 4, 6, 8, 12, 16};
    const std::array<double, 9> three{.333, .667, .889, .963, .988, .999, 1.00, 1.00, 1.00};
    const std::array<double, 9> five{.200, .400, .560, .688, .790, .915, .968, .996, .999};
    for (std::size_t i = 0; i < reveals.size(); ++i) {
        EXPECT_NEAR(shortcutCeiling(3, reveals[i]), three[i], 0.0005) << reveals[i];
        EXPECT_NEAR(shortcutCeiling(5, reveals[i]), five[i], 0.0005) << reveals[i];
    }
}

TEST(ShortcutCeiling, EightCommandsBackGiveTheKnownFallWithSpacing) {
    const std::array<std::pair<int, double>, 5> known{
        {{1, .968}, {2, .790}, {3, .560}, {4, .560}, {8, .400}}};
    for (const auto& [spacing, accuracy] : known) {
        EXPECT_NEAR(shortcutCeilingAtSpacing(5, 8, spacing), accuracy, 0.0005) << spacing;
    }
    EXPECT_DOUBLE_EQ(shortcutCeilingAtSpacing(5, 8, 9), 0.2);  // no reveal in reach: chance
}

// Every one of the n^R sequences of draws, counted.
TEST(ShortcutCeiling, AgreesWithTheListOfAllSequencesOfReveals) {
    for (int items = 1; items <= 5; ++items) {
        for (int draws = 0; draws <= 5; ++draws) {
            const auto sequences = static_cast<int>(std::lround(std::pow(items, draws)));
            double sum = 0;
            for (int code = 0; code < sequences; ++code) {
                unsigned seen = 0;
                for (int draw = 0, rest = code; draw < draws; ++draw, rest /= items) {
                    seen |= 1U << static_cast<unsigned>(rest % items);
                }
                const int distinct = __builtin_popcount(seen);
                sum += std::min(1.0, (distinct + 1.0) / items);
            }
            EXPECT_NEAR(shortcutCeiling(items, draws), sum / sequences, 1e-14)
                << items << " items, " << draws << " draws";
        }
    }
}

TEST(ShortcutCeiling, TheNumberOfDistinctItemsIsADistribution) {
    for (int draws : {0, 1, 3, 50}) {
        const auto probability = distinctItems(8, draws);
        EXPECT_NEAR(std::accumulate(probability.begin(), probability.end(), 0.0), 1.0, 1e-12);
    }
}

}  // namespace
}  // namespace lab::tasks
