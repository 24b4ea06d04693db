#include "core/training/loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/data/task_factory.h"
#include "core/training/evaluation.h"
#include "core/training/trainer.h"
#include "tests/core/training/tiny_spec.h"

namespace lab::training {
namespace {

using tasks::TokenKind;

constexpr auto index(TokenKind kind) {
    return static_cast<std::size_t>(kind);
}

/// Two traces of three tokens over two classes; reveals at the last two places of each.
data::Batch handBatch() {
    data::Batch batch;
    batch.traces = 2;
    batch.steps = 3;
    batch.tokens = {0, 1, 0, 1, 0, 1};
    batch.targets = {0, 1, 0, 1, 1, -1};
    const auto name = static_cast<std::uint8_t>(TokenKind::kName);
    const auto output = static_cast<std::uint8_t>(TokenKind::kOutput);
    batch.kinds = {name, output, output, name, output, output};
    batch.weights = {0.5F, 1.0F, 1.0F, 0.5F, 1.0F, 0.0F};
    batch.reveals = {-1, 0, 1, -1, 0, -1};
    return batch;
}

/// Odds of 3 to 1 for class 0 at every place: ce is ln(4/3) for target 0 and ln 4 for target 1.
at::Tensor handLogits() {
    return at::tensor({std::log(3.0F), 0.0F}).expand({2, 3, 2}).contiguous();
}

TEST(BatchLoss, IsTheWeightedMeanAndSplitsByKind) {
    const auto batch = handBatch();
    const auto result = batchLoss(handLogits(), batch, {});
    const double right = std::log(4.0 / 3), wrong = std::log(4.0);
    // weights .5 1 1 .5 1 on targets 0 1 0 1 1
    EXPECT_NEAR(result.loss.item<double>(), (0.5 * right + wrong + right + 0.5 * wrong + wrong) / 4,
                1e-6);
    const auto means = meansByKind(batch, result.tokens);
    EXPECT_NEAR(means.loss[index(TokenKind::kName)], (right + wrong) / 2, 1e-6);
    EXPECT_NEAR(means.loss[index(TokenKind::kOutput)], (right + 2 * wrong) / 3, 1e-6);
    EXPECT_DOUBLE_EQ(means.accuracy[index(TokenKind::kName)], 0.5);
    EXPECT_DOUBLE_EQ(means.accuracy[index(TokenKind::kOutput)], 1.0 / 3);
    EXPECT_TRUE(std::isnan(means.loss[index(TokenKind::kPrompt)]));
    EXPECT_TRUE(std::isnan(means.accuracy[index(TokenKind::kValue)]));
}

TEST(BatchLoss, OfTheKindsAddsUpToTheWholeOnARealBatch) {
    auto spec = testing::tinySpec();
    spec.training.otherWeight = 1;
    const auto task = data::makeTask(spec.task);
    const auto batch = data::trainingBatch(*task, spec, {4, 2}, 0);
    const auto model = modelOf(spec, *task);
    const auto result = batchLoss(model->forward(tokensOf(batch)), batch, model->execution());
    const auto means = meansByKind(batch, result.tokens);
    std::array<double, values::kTokenKindCount> count{};
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
        if (batch.targets[i] >= 0) {
            ++count[batch.kinds[i]];
        }
    }
    double sum = 0, targets = 0;
    for (std::size_t kind = 0; kind < count.size(); ++kind) {
        ASSERT_GT(count[kind], 0) << "a trace has every kind of token";
        sum += means.loss[kind] * count[kind];
        targets += count[kind];
    }
    EXPECT_NEAR(result.loss.item<double>(), sum / targets, 1e-5);
}

TEST(EvaluationCounts, AreThoseOfATinyCaseByHand) {
    const auto batch = handBatch();
    EvaluationCounts counts;
    counts.add(batch, batchLoss(handLogits(), batch, {}).tokens);
    const auto result = counts.result({2, 1});
    // Values: 1 (wrong) and 0 (right) in the first trace, 1 (wrong) in the second.
    EXPECT_DOUBLE_EQ(result.value, 1.0 / 3);
    EXPECT_DOUBLE_EQ(result.wholeTrace, 0.0);
    EXPECT_EQ(result.byReveal, (std::vector<double>{0.0, 1.0}));
    EXPECT_NEAR(result.loss, (2 * std::log(4.0) + std::log(4.0 / 3)) / 3, 1e-6);
    EXPECT_EQ(result.length, (values::TraceLength{2, 1}));
}

TEST(EvaluationCounts, CountATraceAsWholeOnlyWhenEveryValueIsRight) {
    auto batch = handBatch();
    batch.targets = {0, 0, 0, 1, 1, -1};  // the first trace's values are now both right
    EvaluationCounts counts;
    counts.add(batch, batchLoss(handLogits(), batch, {}).tokens);
    EXPECT_DOUBLE_EQ(counts.result({2, 1}).wholeTrace, 0.5);
}

TEST(Evaluation, DoesNotDependOnHowManyTracesAreReadTogether) {
    auto spec = testing::tinySpec();
    spec.evaluation.traces = 7;
    const values::TraceLength length{400, 100};  // so long that a few traces fill a piece
    const auto task = data::makeTask(spec.task);
    const auto model = modelOf(spec, *task);
    const auto whole = evaluateLengths(*model, *task, spec, {length}).front();
    const auto set = data::evaluationBatch(*task, spec, length);
    EvaluationCounts together;
    together.add(set, batchLoss(model->forward(tokensOf(set)), set, model->execution()).tokens);
    EXPECT_EQ(whole.value, together.result(length).value);
    EXPECT_EQ(whole.byReveal, together.result(length).byReveal);
    EXPECT_EQ(whole.byReveal.size(), 4U);
    EXPECT_NEAR(whole.loss, together.result(length).loss, 1e-6);
}

}  // namespace
}  // namespace lab::training
