#include "core/telemetry/event_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace lab::telemetry {
namespace {

TEST(EventQueue, KeepsEveryValueInOrder) {
    EventQueue<int> queue;
    queue.push(1);
    queue.pushAll({2, 3});

    EXPECT_EQ(queue.takeAll(), (std::vector{1, 2, 3}));
    EXPECT_TRUE(queue.takeAll().empty());
}

TEST(EventQueue, LosesNothingAcrossThreads) {
    constexpr int kCount = 20'000;
    EventQueue<int> queue;
    const std::jthread producer([&queue] {
        for (int i = 0; i < kCount; ++i) {
            queue.push(i);
        }
    });

    int expected = 0;
    while (expected < kCount) {
        for (const int value : queue.takeAll()) {
            ASSERT_EQ(value, expected);
            ++expected;
        }
    }
}

}  // namespace
}  // namespace lab::telemetry
