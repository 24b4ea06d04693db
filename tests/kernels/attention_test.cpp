// Causal attention against the traced formula, its laws and bits.
#include "kernels/attention.h"

#include "kernels/thread_pool.h"
#include "tests/kernels/layer_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(Attention);

/// KR-07, KR-18, KR-41: windows of one, some, and more than there is.
TEST_P(Attention, AgreesWithTheTracedFormulaForAnyExtentsAndWindows) {
    for (const int steps : {1, 2, 15, 16, 23, 24, 25, 49}) {
        for (const auto& [key, value] : {std::pair{1, 1}, {3, 8}, {16, 16}, {24, 40}, {32, 32}}) {
            for (const int window : {0, 1, 5, 17, 100}) {
                const int groups = steps % 2 == 0 ? 1 : 2;
                SCOPED_TRACE(::testing::Message() << "T " << steps << " K " << key << " V " << value
                                                  << " window " << window);
                const auto p = randomAttention({2, steps, 2, key, value, groups}, window);
                const auto expected = expectedAttention(p);
                expectAnswer(runAttention<double>(p, {GetParam()}), expected, 1e-12, 1e-11, {0, 1});
                expectAnswer(runAttention<float>(p, {GetParam()}), expected, 2e-6, 1e-5, {0, 1});
            }
        }
    }
}

TEST_P(Attention, TurnsPairsByTheirPlaceWithARotaryBase) {
    for (const int key : {2, 6, 16, 32}) {
        for (const int window : {0, 5}) {
            SCOPED_TRACE(::testing::Message() << "K " << key << " window " << window);
            auto p = randomAttention({2, 70, 2, key, 8, 1}, window);
            p.rotaryBase = 10000.0;
            const auto expected = expectedAttention(p);
            expectAnswer(runAttention<double>(p, {GetParam()}), expected, 1e-12, 1e-11, {0, 1});
            expectAnswer(runAttention<float>(p, {GetParam()}), expected, 3e-6, 1e-5, {0, 1});
        }
    }
}

/// The scores depend on distances alone: a window of three sees the same from every place.
TEST_P(Attention, RotatesByDistanceAlone) {
    auto p = randomAttention({1, 200, 1, 8, 1, 1}, 3);
    p.rotaryBase = 10000.0;
    for (auto& input : p.inputs) {
        for (std::size_t i = 0; i < input.size(); ++i) {
            input[i] = input[i % (3 * input.size() / 200)];  // repeats every three places
        }
    }
    const auto o = runAttention<double>(p, {GetParam()}).outputs[0];
    for (std::size_t t = 5; t < 200; ++t) {
        EXPECT_NEAR(o[t], o[t - 3], 1e-12) << t;
    }
}

/// KR-41: who sees only itself returns its value.
TEST_P(Attention, ReturnsTheValueItselfInAWindowOfOne) {
    const auto p = randomAttention({1, 40, 1, 16, 16, 1}, 1);
    const auto run = runAttention<float>(p, {GetParam()});
    LAB_EXPECT_CLOSE(run.outputs[0], p.inputs[2], 1e-7);
}

/// KR-06: scores far beyond what an exponential holds.
TEST_P(Attention, StaysFiniteForHugeScores) {
    auto p = randomAttention({1, 30, 1, 16, 16, 1}, 0);
    p.scale = 400.0;
    const auto run = runAttention<float>(p, {GetParam()});
    for (const auto* arrays : {&run.outputs, &run.gradients}) {
        for (const auto& array : *arrays) {
            EXPECT_TRUE(std::ranges::all_of(array, [](float x) { return std::isfinite(x); }));
        }
    }
}

/// KR-10: what comes later changes no bit of what came before.
TEST_P(Attention, DoesNotSeeTheFuture) {
    const auto p = randomAttention({1, 50, 1, 16, 16, 1}, 0);
    const auto before = runAttention<float>(p, {GetParam()});
    auto q = p;
    for (std::size_t i = 30 * 16; i < 50 * 16; ++i) {
        q.inputs[1][i] += 1;
        q.inputs[2][i] -= 1;
    }
    const auto after = runAttention<float>(q, {GetParam()});
    const auto head = [](const std::vector<float>& all) {
        return std::vector<float>(all.begin(), all.begin() + 30 * 16);
    };
    EXPECT_TRUE(sameBits(head(before.outputs[0]), head(after.outputs[0])));
}

/// KR-12, KR-22.
TEST_P(Attention, GivesTheSameBitsForAnyLayoutAndThreads) {
    ThreadPool sixteen(16);
    const auto p = randomAttention({3, 37, 4, 20, 20, 2}, 0);
    const auto plain = runAttention<float>(p, {GetParam()});
    expectSameBits(runAttention<float>(p, {GetParam(), sixteen.exec()}), plain);
    for (const Layout inputs : {Layout::kSlice, Layout::kHeadMajor, Layout::kChannelStrided}) {
        expectSameBits(runAttention<float>(p, {GetParam(), {}, inputs, Layout::kHeadMajor}), plain);
    }
}

/// One query over a cache of keys is the last row of the whole.
TEST_P(Attention, StepsOverACacheOfKeys) {
    for (const int window : {0, 7}) {
        const auto p = randomAttention({1, 33, 1, 16, 16, 1}, window);
        const auto whole = runAttention<double>(p, {GetParam()});
        const AttentionPlan plan =
            attentionPlan({1, 1, 33, 1, 1, 16, 16}, {p.scale, window}, GetParam(), true);
        auto workspace = unwritten<double>(plan.forwardWorkspaceBytes / sizeof(double) + 1);
        Numbers o(16);
        const AttentionInputs<double> in{{p.inputs[0].data() + 32 * 16, {0, 0, 0, 1}},
                                         {p.inputs[1].data(), {0, 16, 0, 1}},
                                         {p.inputs[2].data(), {0, 16, 0, 1}}};
        ASSERT_EQ(attentionForward<double>(plan, in, {{o.data(), {0, 0, 0, 1}}, nullptr},
                                           workspace.data()),
                  Status::kOk);
        LAB_EXPECT_CLOSE(o, Numbers(whole.outputs[0].end() - 16, whole.outputs[0].end()), 1e-13);
    }
}

TEST_P(Attention, RefusesWhatItCannotDo) {
    EXPECT_EQ(attentionPlan({1, 2, 1, 1, 1, 4, 4}, {}, GetParam()).status, Status::kBadShape);
    EXPECT_EQ(attentionPlan({1, 1, 1, 1, 1, 4, 4}, {1.0, -1}, GetParam()).status,
              Status::kBadShape);
    EXPECT_EQ(attentionPlan({1, 1, 1, 1, 1, 4, 4}, {0.0, 0}, GetParam()).status, Status::kBadShape);
    EXPECT_EQ(attentionPlan({1, 1, 1, 1, 1, 3, 4}, {1.0, 0, 100.0}, GetParam()).status,
              Status::kBadShape);
    const auto plan = attentionPlan({1, 1, 1, 1, 1, 4, 4}, {}, GetParam());
    EXPECT_EQ(attentionForward<float>(plan, {}, {}, nullptr), Status::kMissingArgument);
}

}  // namespace
}  // namespace lab::kernels::testing
