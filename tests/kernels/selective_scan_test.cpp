// The selective scan against numbers worked by hand, the traced reference, its laws and bits.
#include "kernels/selective_scan.h"

#include "kernels/thread_pool.h"
#include "tests/kernels/scan_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(SelectiveScan);

/// Without softplus: delta 1, A = -ln 2: h = 8/2 + 2 * 3 = 10, y = 10 * 2 + 5 * 3.
TEST_P(SelectiveScan, FollowsTheFormulaByHand) {
    ScanProblem p{{1, 1, 1, 1}, 1.0, false, {}, {}};
    p.inputs = {{3}, {1}, {}, {-std::log(2.0)}, {2}, {2}, {5}, {}, {8}};
    p.upstream = {{1}, {}};
    const auto run = runSelectiveScan<double>(p, {GetParam()});
    EXPECT_NEAR(run.outputs[0][0], 35, 1e-12);
    EXPECT_NEAR(run.outputs[1][0], 10, 1e-12);
    EXPECT_NEAR(run.gradients[1][0], 2 * (4 * -std::log(2.0) + 2 * 3), 1e-12);
    EXPECT_NEAR(run.gradients[3][0], 2 * 4, 1e-12);
    EXPECT_NEAR(run.gradients[8][0], 2 * 0.5, 1e-12);
}

/// KR-07, KR-14, KR-15: every combination of optional arguments.
TEST_P(SelectiveScan, AgreesWithTheTracedFormulaForAnyExtentsAndOptions) {
    for (const int steps : {0, 1, 7, 8, 9, 26}) {
        for (const auto& [channels, states] : {std::pair{1, 16}, {19, 3}, {33, 16}}) {
            for (int options = 0; options < 16; ++options) {
                SCOPED_TRACE(::testing::Message() << "T " << steps << " C " << channels << " N "
                                                  << states << " options " << options);
                const auto p = randomSelectiveScan({2, steps, channels, states}, options);
                const auto expected = expectedSelectiveScan(p);
                expectAnswer(runSelectiveScan<double>(p, {GetParam()}), expected, 1e-12, 1e-11);
                expectAnswer(runSelectiveScan<float>(p, {GetParam()}), expected, 3e-6, 1e-5);
            }
        }
    }
}
TEST_P(SelectiveScan, TakesStepSizesWithoutSoftplus) {
    const auto p = randomSelectiveScan({2, 13, 20, 16}, 15, false);
    expectAnswer(runSelectiveScan<double>(p, {GetParam()}), expectedSelectiveScan(p), 1e-12, 1e-11);
}

/// KR-35: around the threshold that other implementations have, and far out.
TEST_P(SelectiveScan, SoftplusAndItsSlopeAgreeEverywhere) {
    auto p = randomSelectiveScan({1, 6, 1, 16}, 11);
    p.inputs[1] = {-30, -1, 19.9, 20, 20.1, 80};
    expectAnswer(runSelectiveScan<double>(p, {GetParam()}), expectedSelectiveScan(p), 1e-12, 1e-11);
    expectAnswer(runSelectiveScan<float>(p, {GetParam()}), expectedSelectiveScan(p), 3e-6, 1e-5);
}

/// KR-12, KR-22.
TEST_P(SelectiveScan, GivesTheSameBitsForAnyLayoutAndThreads) {
    ThreadPool sixteen(16);
    for (const int states : {5, 16}) {
        const auto p = randomSelectiveScan({3, 37, 40, states}, 15);
        const auto plain = runSelectiveScan<float>(p, {GetParam()});
        expectSameBits(runSelectiveScan<float>(p, {GetParam(), sixteen.exec()}), plain);
        for (const Layout inputs : {Layout::kSlice, Layout::kChannelStrided}) {
            expectSameBits(runSelectiveScan<float>(p, {GetParam(), {}, inputs, Layout::kSlice}),
                           plain);
        }
    }
}

TEST_P(SelectiveScan, GivesTheSameBitsTokenByToken) {
    const auto p = randomSelectiveScan({1, 19, 20, 16}, 15);
    const auto whole = runSelectiveScan<float>(p, {GetParam()});
    const SelectiveScanPlan plan = selectiveScanPlan({1, 1, 20, 16}, true, GetParam());
    std::vector<std::vector<float>> in;
    for (const Numbers& input : p.inputs) {
        in.push_back(cast<float>(input));
    }
    auto state = in[8];
    std::vector<float> out(20);
    for (int t = 0; t < 19; ++t) {
        const auto row = [&](std::size_t input, int width) {
            return View<const float>{in[input].data() + t * width, {0, 0, 0, 1}};
        };
        const SelectiveScanInputs<float> inputs{row(0, 20),   row(1, 20),   row(2, 20),
                                                in[3].data(), row(4, 16),   row(5, 16),
                                                in[6].data(), in[7].data(), nullptr};
        ASSERT_EQ(selectiveScanStep<float>(plan, inputs, state.data(), {out.data(), {0, 0, 0, 1}}),
                  Status::kOk);
        EXPECT_TRUE(sameBits(out, std::vector<float>(whole.outputs[0].begin() + t * 20,
                                                     whole.outputs[0].begin() + (t + 1) * 20)));
    }
    EXPECT_TRUE(sameBits(state, whole.outputs[1]));
}

TEST_P(SelectiveScan, RefusesWhatItCannotDo) {
    EXPECT_EQ(selectiveScanPlan({1, 1, 1, 257}, true, GetParam()).status, Status::kBadShape);
    EXPECT_EQ(selectiveScanPlan({1, 1, 0, 4}, true, GetParam()).status, Status::kBadShape);
    const auto plan = selectiveScanPlan({1, 1, 4, 4}, true, GetParam());
    EXPECT_EQ(selectiveScanForward<float>(plan, {}, {}, nullptr), Status::kMissingArgument);
}

}  // namespace
}  // namespace lab::kernels::testing
