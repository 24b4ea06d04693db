// The pool: every chunk once, in calls from one thread and from several. Also run under TSan.
#include "kernels/thread_pool.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "kernels/norm.h"

namespace lab::kernels {
namespace {

TEST(ThreadPool, RunsEveryChunkOncePerCall) {
    for (const int threads : {1, 2, 5, 16}) {
        ThreadPool pool(threads);
        const Exec exec = pool.exec();
        EXPECT_EQ(exec.threads, threads);
        for (int call = 0; call < 200; ++call) {
            std::vector<int> runs(static_cast<std::size_t>(call % 20));  // one writer a cell
            exec.parallelFor(
                exec.pool, static_cast<int>(runs.size()),
                [](void* context, int chunk) {
                    ++(*static_cast<std::vector<int>*>(context))[static_cast<std::size_t>(chunk)];
                },
                &runs);
            EXPECT_EQ(runs, std::vector<int>(runs.size(), 1));
        }
    }
}

/// KR-39: kernels called from several threads at once, over one pool.
TEST(ThreadPool, ServesCallersFromSeveralThreads) {
    ThreadPool pool(3);
    constexpr RowShape kShape{500, 8, 8, 8};
    const std::vector<float> x(4000, 2.0F);
    std::array<std::vector<float>, 4> results;
    {
        std::vector<std::jthread> callers;
        for (std::vector<float>& y : results) {
            callers.emplace_back([&] {
                y.resize(4000);
                for (int repeat = 0; repeat < 20; ++repeat) {
                    EXPECT_EQ(normForward<float>(Norm::kRms, kShape, 0.0, {x.data()}, y.data(), {},
                                                 bestIsa(), pool.exec()),
                              Status::kOk);
                }
            });
        }
    }
    for (const std::vector<float>& y : results) {
        EXPECT_EQ(y, std::vector<float>(4000, 1.0F));
    }
}

}  // namespace
}  // namespace lab::kernels
