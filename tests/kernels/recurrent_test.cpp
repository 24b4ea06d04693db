// LSTM, GRU, tanh RNN and sLSTM against the traced formulas, their laws and bits.
#include "kernels/recurrent.h"

#include "kernels/thread_pool.h"
#include "tests/kernels/layer_support.h"

namespace lab::kernels::testing {
namespace {

constexpr Cell kCells[] = {Cell::kLstm, Cell::kGru, Cell::kTanh, Cell::kSlstm};

LAB_FOR_EVERY_ISA(Recurrent);

/// KR-44: the gates in torch's order. One unit, everything at zero but the forget gate and c_0.
TEST_P(Recurrent, LstmKeepsItsCellBehindAnOpenForgetGate) {
    ScanProblem p{{1, 2, 1, 1}, 1.0, true, {}, {}};
    const double shut = -50, open = 50;
    p.inputs = {{shut, open, 1, open, shut, open, 1, open}, {0, 0, 0, 0}, {}, {}, {0.75}};
    p.upstream = {{0, 0}, {0}, {1}};
    const auto run = runRecurrent<double>(Cell::kLstm, p, GetParam());
    EXPECT_NEAR(run.outputs[2][0], 0.75, 1e-12);
    EXPECT_NEAR(run.outputs[0][1], std::tanh(0.75), 1e-12);
    EXPECT_NEAR(run.gradients[4][0], 1.0, 1e-12);
}
/// r = 0 hides the recurrent part of n, z = 1/2 takes half of the old state.
TEST_P(Recurrent, GruResetsAfterTheProduct) {
    ScanProblem p{{1, 1, 1, 1}, 1.0, true, {}, {}};
    p.inputs = {{-50, 0, 0.5}, {0, 0, 3}, {0, 0, 7}, {0.25}, {}};
    p.upstream = {{1}, {}};
    const auto run = runRecurrent<double>(Cell::kGru, p, GetParam());
    EXPECT_NEAR(run.outputs[0][0], 0.5 * std::tanh(0.5) + 0.125, 1e-12);
}

/// One unit, z = tanh(1): the first write has weight one whatever its gate says; then the second,
/// e^2 times as strong behind a forget gate of 1, is mixed in by its share.
TEST_P(Recurrent, SlstmMixesByTheShareOfTheGates) {
    ScanProblem p{{1, 2, 1, 1}, 1.0, true, {}, {}};
    p.inputs = {{-7, 0, 1, 50, -5, 50, -1, 50}, {0, 0, 0, 0}, {}, {}, {}};
    p.upstream = {{0, 0}, {}, {}};
    const auto run = runRecurrent<double>(Cell::kSlstm, p, GetParam());
    const double share = std::exp(2.0) / (1 + std::exp(2.0));
    EXPECT_NEAR(run.outputs[0][0], std::tanh(1.0), 1e-12);
    EXPECT_NEAR(run.outputs[0][1], std::tanh(1.0) * (1 - 2 * share), 1e-12);
    EXPECT_NEAR(run.outputs[4][0], -5.0, 1e-12);
}

/// KR-07, KR-14, KR-15.
TEST_P(Recurrent, AgreesWithTheTracedFormulaForAnyExtentsAndOptions) {
    for (const Cell cell : kCells) {
        for (const auto& [batch, steps, hidden] :
             {std::tuple{1, 1, 1}, {2, 3, 5}, {13, 4, 16}, {3, 9, 20}, {2, 2, 33}, {1, 0, 4}}) {
            for (int options = 0; options < 4; ++options) {
                SCOPED_TRACE(::testing::Message()
                             << static_cast<int>(cell) << " B " << batch << " T " << steps << " d "
                             << hidden << " options " << options);
                const auto p = randomRecurrent(cell, batch, steps, hidden, options);
                const auto expected = expectedRecurrent(cell, p);
                expectAnswer(runRecurrent<double>(cell, p, GetParam()), expected, 1e-12, 1e-11);
                expectAnswer(runRecurrent<float>(cell, p, GetParam()), expected, 1e-6, 1e-5);
            }
        }
    }
}

/// KR-42: gates far out for a long time.
TEST_P(Recurrent, StaysFiniteFarOut) {
    for (const Cell cell : kCells) {
        auto p = randomRecurrent(cell, 1, 300, 8, 3);
        for (double& x : p.inputs[0]) {
            x *= 40;
        }
        expectAnswer(runRecurrent<float>(cell, p, GetParam()), expectedRecurrent(cell, p), 1e-5,
                     1e-4, {0, 1, 2, 3, 4});  // gradients of early states have died out
    }
}

/// KR-22, KR-23.
TEST_P(Recurrent, GivesTheSameBitsForAnyThreadsAndBatch) {
    ThreadPool sixteen(16);
    for (const Cell cell : kCells) {
        const auto p = randomRecurrent(cell, 19, 7, 24, 3);
        const auto plain = runRecurrent<float>(cell, p, GetParam());
        expectSameBits(runRecurrent<float>(cell, p, GetParam(), sixteen.exec()), plain);
        ScanProblem alone = p;
        alone.extent.batch = 1;
        for (std::size_t i = 0; i < p.inputs.size(); i = i == 0 ? 3 : i + 1) {
            alone.inputs[i].resize(p.inputs[i].size() / 19);
        }
        for (Numbers& upstream : alone.upstream) {
            upstream.resize(upstream.size() / 19);
        }
        const auto first = runRecurrent<float>(cell, alone, GetParam());
        const auto& h = plain.outputs[0];
        const auto count = static_cast<std::ptrdiff_t>(first.outputs[0].size());
        EXPECT_TRUE(sameBits(first.outputs[0], std::vector<float>(h.begin(), h.begin() + count)));
    }
}

/// KR-14: with the states handed over, token by token is the whole.
TEST_P(Recurrent, GivesTheSameBitsTokenByToken) {
    for (const Cell cell : kCells) {
        const auto p = randomRecurrent(cell, 2, 6, 20, 3);
        const auto whole = runRecurrent<float>(cell, p, GetParam());
        ScanProblem token = p;
        token.extent.steps = 1;
        token.upstream = {{}, {}, {}};
        token.upstream.resize(p.upstream.size());
        const std::size_t width = p.inputs[0].size() / 12;
        for (std::size_t t = 0; t < 6; ++t) {
            token.inputs[0].clear();
            for (std::size_t b = 0; b < 2; ++b) {
                const auto at =
                    p.inputs[0].begin() + static_cast<std::ptrdiff_t>((b * 6 + t) * width);
                token.inputs[0].insert(token.inputs[0].end(), at,
                                       at + static_cast<std::ptrdiff_t>(width));
            }
            const auto run = runRecurrent<float>(cell, token, GetParam());
            for (std::size_t b = 0; b < 2; ++b) {
                for (std::size_t j = 0; j < 20; ++j) {
                    EXPECT_EQ(run.outputs[0][b * 20 + j], whole.outputs[0][(b * 6 + t) * 20 + j]);
                }
            }
            token.inputs[3] = widen(run.outputs[1]);
            for (int state = 0; state < cellStatesOf(cell); ++state) {
                const auto i = static_cast<std::size_t>(state);
                token.inputs[4 + i] = widen(run.outputs[2 + i]);
            }
        }
    }
}

TEST_P(Recurrent, RefusesWhatItCannotDo) {
    EXPECT_EQ(recurrentPlan(Cell::kGru, {1, 1, 0}, GetParam()).status, Status::kBadShape);
    const auto plan = recurrentPlan(Cell::kGru, {1, 1, 4}, GetParam());
    EXPECT_EQ(recurrentForward<float>(plan, {}, {}, nullptr), Status::kMissingArgument);
}

}  // namespace
}  // namespace lab::kernels::testing
