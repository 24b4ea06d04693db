// SSD against numbers worked by hand, the traced reference, its laws and bits.
#include "kernels/ssd.h"

#include "kernels/thread_pool.h"
#include "tests/kernels/scan_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(Ssd);

/// Delta 1, A = -ln 2: S_1 = 8/2 + 2 * 3 = 10, y_1 = 10 * 2 + 5 * 3.
TEST_P(Ssd, FollowsTheFormulaByHand) {
    ScanProblem p{{1, 1, 1, 1, 1}, 1.0, true, {}, {}};
    p.inputs = {{3}, {1}, {-std::log(2.0)}, {2}, {2}, {5}, {8}};
    p.upstream = {{1}, {}};
    const auto run = runSsd<double>(p, {GetParam()});
    EXPECT_NEAR(run.outputs[0][0], 35, 1e-12);
    EXPECT_NEAR(run.outputs[1][0], 10, 1e-12);
    EXPECT_NEAR(run.gradients[0][0], 2 * 2 + 5, 1e-12);                         // x
    EXPECT_NEAR(run.gradients[1][0], 2 * (4 * -std::log(2.0) + 2 * 3), 1e-12);  // Delta
    EXPECT_NEAR(run.gradients[2][0], 2 * 4, 1e-12);                             // A
    EXPECT_NEAR(run.gradients[5][0], 3, 1e-12);                                 // D
}

/// KR-07, KR-14, KR-15, KR-34: groups of one head, of some, of all.
TEST_P(Ssd, AgreesWithTheTracedFormulaForAnyExtentsAndGroups) {
    for (const int steps : {0, 1, 5, 16, 19}) {
        for (const auto& [state, width] : {std::pair{1, 3}, {16, 16}, {8, 24}}) {
            for (const int groups : {1, 2, 4}) {
                for (int options = 0; options < 4; ++options) {
                    SCOPED_TRACE(::testing::Message()
                                 << "T " << steps << " N " << state << " P " << width << " groups "
                                 << groups << " options " << options);
                    const auto p = randomSsd({2, steps, 4, state, width, groups},
                                             (options & 1) != 0, (options & 2) != 0);
                    const auto expected = expectedSsd(p);
                    expectAnswer(runSsd<double>(p, {GetParam()}), expected, 1e-12, 1e-11, {1, 2});
                    expectAnswer(runSsd<float>(p, {GetParam()}), expected, 3e-6, 1e-5, {1, 2});
                }
            }
        }
    }
}
TEST_P(Ssd, AgreesWithTheTracedFormulaAtMambasExtents) {
    const auto p = randomSsd({1, 18, 2, 64, 64, 1}, true, true);
    expectAnswer(runSsd<double>(p, {GetParam()}), expectedSsd(p), 1e-12, 1e-11, {1, 2});
}

/// SSD is gated linear attention with tied gates: q = C, k = B, v = Delta x, g = Delta A.
TEST_P(Ssd, IsGatedLinearAttentionWithOneGateAHead) {
    const auto p = randomSsd({2, 30, 2, 16, 16, 2}, false, true);
    ScanProblem g{p.extent, 1.0, true, {}, {}};
    g.inputs = {p.inputs[4], p.inputs[3], p.inputs[0], p.inputs[1], p.inputs[6]};
    g.upstream = p.upstream;
    for (std::size_t i = 0; i < g.inputs[2].size(); ++i) {
        g.inputs[2][i] *= p.inputs[1][i / 16];
    }
    for (std::size_t i = 0; i < g.inputs[3].size(); ++i) {
        g.inputs[3][i] *= p.inputs[2][i % 2];
    }
    const auto ssd = runSsd<double>(p, {GetParam()});
    const auto gla = runGla<double>(g, {GetParam()});
    LAB_EXPECT_CLOSE(ssd.outputs[0], widen(gla.outputs[0]), 1e-14);
    LAB_EXPECT_CLOSE(ssd.outputs[1], widen(gla.outputs[1]), 1e-14);
    LAB_EXPECT_CLOSE(ssd.gradients[4], widen(gla.gradients[0]), 1e-13);
    LAB_EXPECT_CLOSE(ssd.gradients[3], widen(gla.gradients[1]), 1e-13);
}

/// KR-12, KR-22.
TEST_P(Ssd, GivesTheSameBitsForAnyLayoutAndThreads) {
    ThreadPool sixteen(16);
    const auto p = randomSsd({3, 37, 4, 16, 16, 2}, true, true);
    const auto plain = runSsd<float>(p, {GetParam()});
    expectSameBits(runSsd<float>(p, {GetParam(), sixteen.exec()}), plain);
    for (const Layout inputs : {Layout::kSlice, Layout::kHeadMajor, Layout::kChannelStrided}) {
        expectSameBits(runSsd<float>(p, {GetParam(), {}, inputs, Layout::kHeadMajor}), plain);
    }
}

TEST_P(Ssd, GivesTheSameBitsTokenByToken) {
    const auto p = randomSsd({1, 11, 2, 16, 16, 1}, true, true);
    const auto whole = runSsd<float>(p, {GetParam()});
    const SsdPlan plan = ssdPlan({1, 1, 2, 1, 16, 16}, GetParam());
    const auto x = cast<float>(p.inputs[0]), delta = cast<float>(p.inputs[1]);
    const auto a = cast<float>(p.inputs[2]), d = cast<float>(p.inputs[5]);
    const auto b = cast<float>(p.inputs[3]), c = cast<float>(p.inputs[4]);
    auto state = cast<float>(p.inputs[6]);
    std::vector<float> y(32);
    for (int t = 0; t < 11; ++t) {
        const SsdInputs<float> in{{x.data() + t * 32, {0, 0, 16, 1}},
                                  {delta.data() + t * 2, {0, 0, 1, 0}},
                                  a.data(),
                                  {b.data() + t * 16, {0, 0, 0, 1}},
                                  {c.data() + t * 16, {0, 0, 0, 1}},
                                  d.data(),
                                  nullptr};
        ASSERT_EQ(ssdStep<float>(plan, in, state.data(), {y.data(), {0, 0, 16, 1}}), Status::kOk);
        EXPECT_TRUE(sameBits(y, std::vector<float>(whole.outputs[0].begin() + t * 32,
                                                   whole.outputs[0].begin() + (t + 1) * 32)));
    }
    EXPECT_TRUE(sameBits(state, whole.outputs[1]));
}

TEST_P(Ssd, RefusesWhatItCannotDo) {
    EXPECT_EQ(ssdPlan({1, 1, 3, 2, 4, 4}, GetParam()).status, Status::kBadShape);
    EXPECT_EQ(ssdPlan({1, 1, 2, 0, 4, 4}, GetParam()).status, Status::kBadShape);
    const SsdPlan plan = ssdPlan({1, 1, 2, 1, 4, 4}, GetParam());
    EXPECT_EQ(ssdForward<float>(plan, {}, {}, nullptr), Status::kMissingArgument);
    const SsdPlan empty = ssdPlan({0, 3, 2, 1, 4, 4}, GetParam());
    std::vector<float> da(2, 1.0F);
    SsdGradients<float> grad;
    grad.gradA = da.data();
    EXPECT_EQ(ssdBackward<float>(empty, {}, grad, nullptr), Status::kOk);
    EXPECT_EQ(da, std::vector<float>(2, 0.0F));  // KR-50: zero gradients
}

}  // namespace
}  // namespace lab::kernels::testing
