// Gated linear attention against numbers worked by hand, the traced reference, its laws and bits.
#include "kernels/gated_linear_attention.h"

#include "kernels/thread_pool.h"
#include "tests/kernels/scan_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(Gla);

/// K = V = 1, decays 1/2 and 1/4 from a state of 8: S_1 = 4 + 6 = 10, S_2 = 2.5 + 5 = 7.5.
TEST_P(Gla, FollowsTheFormulaByHand) {
    ScanProblem p{{1, 2, 1, 1, 1}, 2.0, true, {}, {}};
    p.inputs = {{1, -1}, {2, 5}, {3, 1}, {std::log(0.5), std::log(0.25)}, {8}};
    p.upstream = {{1, 1}, {1}};
    const auto run = runGla<double>(p, {GetParam()});
    EXPECT_NEAR(run.outputs[0][0], 20, 1e-12);
    EXPECT_NEAR(run.outputs[0][1], -15, 1e-12);
    EXPECT_NEAR(run.outputs[1][0], 7.5, 1e-12);
    // dS_2 = 1 - 2 = -1; dS_1 = -1/4 + 2 = 1.75; dS_0 = 0.875
    EXPECT_NEAR(run.gradients[4][0], 0.875, 1e-12);
    EXPECT_NEAR(run.gradients[2][1], -5, 1e-12);        // dv_2 = dS_2 k_2
    EXPECT_NEAR(run.gradients[1][0], 1.75 * 3, 1e-12);  // dk_1 = dS_1 v_1
    EXPECT_NEAR(run.gradients[3][1], -2.5, 1e-12);      // dg_2 = dS_2 S_1 a_2
    EXPECT_NEAR(run.gradients[3][0], 1.75 * 4, 1e-12);
}

/// KR-07, KR-14, KR-15, KR-17, KR-18.
TEST_P(Gla, AgreesWithTheTracedFormulaForAnyExtents) {
    for (const int steps : {0, 1, 2, 15, 16, 17, 33}) {
        for (const auto& [key, value] :
             {std::pair{1, 1}, {3, 8}, {8, 3}, {16, 16}, {24, 80}, {32, 32}}) {
            for (const Gate gate : {Gate::kNone, Gate::kScalar, Gate::kVector}) {
                for (const bool states : {false, true}) {
                    SCOPED_TRACE(::testing::Message()
                                 << "T " << steps << " K " << key << " V " << value << " gate "
                                 << static_cast<int>(gate) << " states " << states);
                    const auto p = randomGla({2, steps, 2, key, value}, gate, states);
                    const auto expected = expectedGla(p);
                    expectAnswer(runGla<double>(p, {GetParam()}), expected, 1e-12, 1e-11, {3});
                    expectAnswer(runGla<float>(p, {GetParam()}), expected, 3e-6, 1e-5, {3});
                }
            }
        }
    }
}
TEST_P(Gla, AgreesWithTheTracedFormulaAtTheWidestCompiledExtent) {
    const auto p = randomGla({1, 20, 1, 64, 64}, Gate::kVector, true);
    expectAnswer(runGla<double>(p, {GetParam()}), expectedGla(p), 1e-12, 1e-11, {3});
}

/// KR-05: gates of -20 a step for a long time, and mild ones between.
TEST_P(Gla, StaysFiniteAndCloseUnderStrongGates) {
    auto p = randomGla({1, 300, 1, 16, 16}, Gate::kVector, true);
    for (std::size_t i = 0; i < p.inputs[3].size(); ++i) {
        p.inputs[3][i] = i % 3 == 0 ? -20.0 : p.inputs[3][i] * 0.01;
    }
    expectAnswer(runGla<float>(p, {GetParam()}), expectedGla(p), 3e-6, 1e-5, {3});
}

/// KR-02: a gate of zero is no gate.
TEST_P(Gla, GivesTheBitsOfTheUngatedFormWhenTheGateIsZero) {
    auto gated = randomGla({2, 40, 2, 32, 32}, Gate::kVector, true);
    std::fill(gated.inputs[3].begin(), gated.inputs[3].end(), 0.0);
    auto plain = gated;
    plain.inputs[3].clear();
    auto a = runGla<float>(gated, {GetParam()});
    const auto b = runGla<float>(plain, {GetParam()});
    a.gradients[3].clear();
    expectSameBits(a, b);
}

/// KR-12, KR-22, KR-23: neither layout, nor threads, nor neighbours change a bit.
TEST_P(Gla, GivesTheSameBitsForAnyLayoutThreadsAndBatch) {
    ThreadPool sixteen(16);
    for (const int width : {5, 32}) {
        const auto p = randomGla({3, 37, 2, width, width}, Gate::kVector, true);
        const auto plain = runGla<float>(p, {GetParam()});
        expectSameBits(runGla<float>(p, {GetParam(), sixteen.exec()}), plain);
        for (const Layout inputs : {Layout::kSlice, Layout::kHeadMajor, Layout::kChannelStrided}) {
            expectSameBits(runGla<float>(p, {GetParam(), {}, inputs, Layout::kHeadMajor}), plain);
        }
        ScanProblem alone = p;
        alone.extent.batch = 1;
        for (auto* arrays : {&alone.inputs, &alone.upstream}) {
            for (auto& array : *arrays) {
                array.resize(array.size() / 3);
            }
        }
        const auto first = runGla<float>(alone, {GetParam()});
        for (std::size_t i = 0; i < first.gradients.size(); ++i) {
            const auto& all = plain.gradients[i];
            EXPECT_TRUE(sameBits(
                first.gradients[i],
                std::vector<float>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(
                                                                  first.gradients[i].size()))));
        }
    }
}

/// KR-14: a sequence cut in two, and token by token, is the whole sequence.
TEST_P(Gla, GivesTheSameBitsTokenByToken) {
    const auto p = randomGla({1, 21, 1, 16, 16}, Gate::kVector, true);
    const auto whole = runGla<float>(p, {GetParam()});
    const GlaPlan plan = glaPlan({1, 1, 1, 16, 16}, {p.scale, true}, GetParam());
    const auto q = cast<float>(p.inputs[0]), k = cast<float>(p.inputs[1]);
    const auto v = cast<float>(p.inputs[2]), g = cast<float>(p.inputs[3]);
    auto state = cast<float>(p.inputs[4]);
    std::vector<float> o(16);
    for (int t = 0; t < 21; ++t) {
        const auto row = [&](const std::vector<float>& from) {
            return View<const float>{from.data() + t * 16, {0, 0, 0, 1}};
        };
        ASSERT_EQ(glaStep<float>(plan, {row(q), row(k), row(v), row(g)}, state.data(),
                                 {o.data(), {0, 0, 0, 1}}),
                  Status::kOk);
        EXPECT_TRUE(sameBits(o, std::vector<float>(whole.outputs[0].begin() + t * 16,
                                                   whole.outputs[0].begin() + (t + 1) * 16)));
    }
    EXPECT_TRUE(sameBits(state, whole.outputs[1]));
}

/// KR-50 and the contract.
TEST_P(Gla, RefusesWhatItCannotDoAndReturnsEmptyResults) {
    EXPECT_EQ(glaPlan({1, 1, 1, 0, 1}, {}, GetParam()).status, Status::kBadShape);
    EXPECT_EQ(glaPlan({-1, 1, 1, 1, 1}, {}, GetParam()).status, Status::kBadShape);
    const GlaPlan empty = glaPlan({0, 4, 2, 8, 8}, {}, GetParam());
    EXPECT_EQ(glaForward<float>(empty, {}, {}, nullptr), Status::kOk);
    const GlaPlan plan = glaPlan({1, 1, 1, 8, 8}, {}, GetParam());
    EXPECT_EQ(glaForward<float>(plan, {}, {}, nullptr), Status::kMissingArgument);
    EXPECT_STREQ(glaPlan({1, 1, 1, 32, 32}, {}, Isa::kGeneric).variant, "gla.generic.k32v32");
    EXPECT_STREQ(glaPlan({1, 1, 1, 31, 32}, {}, Isa::kGeneric).variant, "gla.generic.any");
}

}  // namespace
}  // namespace lab::kernels::testing
