// SiLU gates against the traced formula.
#include "kernels/gate.h"

#include "kernels/reference/filters.h"
#include "kernels/thread_pool.h"
#include "tests/kernels/scan_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(SiluGate);

/// Gate and up as the halves of one row, as a projection leaves them.
template <class T>
ScanRun<T> run(int rows, int width, const std::vector<Numbers>& inputs, const Numbers& gradOut,
               Isa isa, const Exec& exec = {}) {
    const auto n = static_cast<std::size_t>(width);
    const std::size_t count = static_cast<std::size_t>(rows) * n;
    const bool gated = !inputs[1].empty();
    std::vector<T> both(2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        both[i / n * 2 * n + i % n] = static_cast<T>(inputs[0][i]);
        both[i / n * 2 * n + n + i % n] = gated ? static_cast<T>(inputs[1][i]) : T(0);
    }
    auto out = unwritten<T>(count), grad = unwritten<T>(2 * count);
    const auto up = cast<T>(gradOut);
    const GateShape shape{rows, width, 2 * width, 2 * width, width};
    EXPECT_EQ(siluGateForward<T>(shape, both.data(), gated ? both.data() + n : nullptr, out.data(),
                                 isa, exec),
              Status::kOk);
    EXPECT_EQ(siluGateBackward<T>(shape, both.data(), gated ? both.data() + n : nullptr, up.data(),
                                  grad.data(), gated ? grad.data() + n : nullptr, isa, exec),
              Status::kOk);
    ScanRun<T> result{{out}, {{}, {}}};
    for (std::size_t i = 0; i < count; ++i) {
        result.gradients[0].push_back(grad[i / n * 2 * n + i % n]);
        if (gated) {
            result.gradients[1].push_back(grad[i / n * 2 * n + n + i % n]);
        }
    }
    return result;
}

TEST_P(SiluGate, AgreesWithTheTracedFormulaForAnyWidth) {
    for (const int width : {1, 3, 16, 37, 344}) {
        for (const bool gated : {false, true}) {
            SCOPED_TRACE(::testing::Message() << width << (gated ? " gated" : ""));
            Random random(static_cast<std::uint64_t>(width));
            const std::size_t count = 5 * static_cast<std::size_t>(width);
            const std::vector<Numbers> inputs{random.array(count, -9, 9),
                                              gated ? random.array(count) : Numbers{}};
            const Numbers up = random.array(count);
            const auto expected = reference::siluGate(inputs, {up});
            expectAnswer(run<double>(5, width, inputs, up, GetParam()), expected, 1e-14, 1e-14);
            expectAnswer(run<float>(5, width, inputs, up, GetParam()), expected, 1e-6, 1e-6);
        }
    }
}

/// silu(0) = 0 with slope 1/2; far out it is x, or nothing.
TEST_P(SiluGate, TakesItsLimits) {
    const auto result = run<float>(1, 3, {{0, 100, -200}, {3, 3, 3}}, {1, 1, 1}, GetParam());
    EXPECT_EQ(widen(result.outputs[0]), (Numbers{0, 300, 0}));
    EXPECT_EQ(widen(result.gradients[0]), (Numbers{1.5, 3, 0}));
    EXPECT_EQ(widen(result.gradients[1]), (Numbers{0, 100, 0}));
}

TEST_P(SiluGate, GivesTheSameBitsForAnyNumberOfThreads) {
    ThreadPool sixteen(16);
    Random random(7);
    const std::vector<Numbers> inputs{random.array(700), random.array(700)};
    const Numbers up = random.array(700);
    expectSameBits(run<float>(35, 20, inputs, up, GetParam(), sixteen.exec()),
                   run<float>(35, 20, inputs, up, GetParam()));
}

TEST_P(SiluGate, RefusesWhatItCannotDo) {
    float x = 1.0F;
    EXPECT_EQ(siluGateForward<float>({-1, 1}, &x, &x, &x, GetParam()), Status::kBadShape);
    EXPECT_EQ(siluGateForward<float>({2, 4, 4, 4, 3}, &x, &x, &x, GetParam()), Status::kBadStride);
    EXPECT_EQ(siluGateForward<float>({1, 1, 1, 1, 1}, nullptr, &x, &x, GetParam()),
              Status::kMissingArgument);
    EXPECT_EQ(siluGateBackward<float>({2, 1, 0, 1, 1}, &x, &x, &x, &x, nullptr, GetParam()),
              Status::kBadStride);
}

}  // namespace
}  // namespace lab::kernels::testing
