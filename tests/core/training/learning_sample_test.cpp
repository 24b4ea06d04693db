// One training that must succeed, small enough for every run of the tests.
#include <gtest/gtest.h>

#include "core/bench.h"
#include "core/session.h"

namespace lab {
namespace {

TEST(Learning, TheSwapsOfS3AreTrackedInAFewSeconds) {
    tuneAllocator();
    BenchOptions options;
    options.seeds = 1;
    const auto report = runBench("word-swaps-s3", options);
    ASSERT_EQ(report.rows.size(), 1U);
    for (const auto& [key, value] : report.rows.front()) {
        if (key == "acc_1x") {
            EXPECT_GE(std::get<double>(value), 0.99);  // chance is one in six
        }
    }
}

}  // namespace
}  // namespace lab
