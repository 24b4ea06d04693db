#include "core/training/trainer.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "core/training/checkpoint.h"
#include "core/values/lab_error.h"
#include "tests/core/storage/scratch_folder.h"
#include "tests/core/training/tiny_spec.h"

namespace lab::training {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using values::LabError;

void train(Trainer& trainer, std::int64_t upTo = std::numeric_limits<std::int64_t>::max()) {
    while (!trainer.finished() && trainer.stepsDone() < upTo) {
        (void)trainer.step();
        if (trainer.evaluationDue()) {
            (void)trainer.evaluate();
        }
    }
}

/// Bit by bit; NaN nowhere.
bool equalBits(const Weights& a, const Weights& b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.equal(y.second);
    });
}

Weights trained(const values::ExperimentSpec& spec) {
    Trainer trainer(spec);
    train(trainer);
    return trainer.weights();
}

class TrainerOf : public ::testing::TestWithParam<const char*> {
protected:
    [[nodiscard]] static values::ExperimentSpec spec() {
        auto spec = testing::tinySpec();
        spec.models.front().architecture = GetParam();
        return spec;
    }
};

TEST_P(TrainerOf, GivesTheSameBitsTwice) {
    const auto once = trained(spec());
    EXPECT_TRUE(equalBits(once, trained(spec())));
    auto other = spec();
    other.seed = 8;
    EXPECT_FALSE(equalBits(once, trained(other)));
}

TEST_P(TrainerOf, GivesTheSameBitsAfterACheckpointAndResume) {
    const auto whole = trained(spec());
    const storage::ScratchFolder folder;
    for (const std::int64_t border : {1, 13, 20}) {  // 20: where the stage changes
        Trainer first(spec());
        train(first, border);
        writeCheckpoint(folder / "run.safetensors", first.checkpoint());
        Trainer second(spec());
        second.restore(readCheckpoint(folder / "run.safetensors"));
        EXPECT_EQ(second.stepsDone(), border);
        EXPECT_EQ(second.tokensRead(), first.tokensRead());
        EXPECT_EQ(second.cpuSeconds(), first.cpuSeconds());
        train(second);
        EXPECT_TRUE(equalBits(whole, second.weights())) << "from step " << border;
    }
}

INSTANTIATE_TEST_SUITE_P(Every, TrainerOf,
                         ::testing::Values("delta_net", "transformer", "gla", "mamba", "mamba2",
                                           "lstm", "gru", "tanh_rnn", "slstm"),
                         [](const auto& one) { return std::string(one.param); });

TEST(Trainer, IsNotChangedByBeingLookedAt) {
    const auto spec = testing::tinySpec();
    Trainer trainer(spec);
    while (!trainer.finished()) {
        (void)trainer.step();
        (void)trainer.look(spec.evaluation);
        (void)trainer.weights();
        (void)trainer.checkpoint();
    }
    EXPECT_TRUE(equalBits(trained(spec), trainer.weights()));
}

TEST(Trainer, DoesNotDependOnOthersThatTrainAtTheSameTime) {
    const auto spec = testing::tinySpec();
    auto louder = spec;
    louder.training.threads = 2;
    louder.training.tokensPerBatch = 2000;
    const auto alone = trained(spec);
    Weights first, second;
    {
        const std::jthread one([&] { first = trained(spec); });
        const std::jthread two([&] { second = trained(spec); });
        const std::jthread three([&] { (void)trained(louder); });
    }
    EXPECT_TRUE(equalBits(alone, first));
    EXPECT_TRUE(equalBits(alone, second));
}

TEST(Trainer, KeepsAChangedRateInItsCheckpoint) {
    const auto spec = testing::tinySpec();
    Trainer trainer(spec);
    train(trainer, 10);
    trainer.setPeakRate(0.003);
    Trainer resumed(spec);
    resumed.restore(trainer.checkpoint());
    train(trainer);
    train(resumed);
    EXPECT_TRUE(equalBits(trainer.weights(), resumed.weights()));
    EXPECT_FALSE(equalBits(trained(spec), resumed.weights()));
}

TEST(Trainer, ReportsWhatAStepDid) {
    Trainer trainer(testing::tinySpec());
    const auto report = trainer.step();
    EXPECT_EQ(report.step, 1);
    EXPECT_EQ(report.length, (values::TraceLength{2, 1}));
    // Three assignments of 5 tokens, two swaps of 9, two prints of 10; the last token of a trace
    // may or may not be read. 200 / 53 traces, but at least 4.
    EXPECT_GE(report.tokens, 4 * 52);
    EXPECT_LE(report.tokens, 4 * 53);
    EXPECT_DOUBLE_EQ(report.learningRate, 1e-2 / 5);  // warm-up over five steps
    EXPECT_GT(report.cpuSeconds, 0);
    EXPECT_EQ(report.heads.size(), 2U);  // one layer, two heads
    EXPECT_TRUE(trainer.step().heads.empty()) << "only every tenth step looks at the heads";
    EXPECT_EQ(trainer.tokensRead(), 2 * report.tokens);
}

TEST(Trainer, StopsEarlyAfterTwoGoodEvaluationsInARow) {
    auto spec = testing::tinySpec();
    spec.training.stopAccuracy = 1e-6;  // any right value will do
    Trainer trainer(spec);
    train(trainer);
    EXPECT_EQ(trainer.stepsDone(), 20);
}

std::string divergence(Trainer& trainer) {
    try {
        train(trainer);
    } catch (const LabError& error) {
        EXPECT_EQ(error.kind(), LabError::Kind::kDiverged);
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Trainer, NamesStepLayerAndHeadOfTheFirstNumberThatIsNotFinite) {
    auto spec = testing::tinySpec();
    spec.models.front().layers = 2;
    Trainer trainer(spec);
    train(trainer, 6);
    for (const auto& parameter : trainer.model().parameters()) {
        if (parameter.name == "block.1.mixer.beta.bias") {
            parameter.value.detach()[1] = std::numeric_limits<float>::quiet_NaN();
        }
    }
    EXPECT_THAT(divergence(trainer),
                AllOf(HasSubstr("step 7"), HasSubstr("layer 1"), HasSubstr("head 1")));
}

TEST(Trainer, StopsInTheStepWhoseUpdateIsNotFinite) {
    auto spec = testing::tinySpec();
    spec.training.learningRate = 1e39;  // above float32
    spec.training.warmupSteps = 0;
    Trainer trainer(spec);
    EXPECT_THAT(divergence(trainer), HasSubstr("step 1: the update is not finite"));
}

TEST(Trainer, RefusesWeightsOfAnotherModelAndStaysAsItWas) {
    auto other = testing::tinySpec();
    other.models.front().width = 32;
    Trainer trainer(testing::tinySpec());
    const auto before = trainer.weights();
    EXPECT_THROW(trainer.restore(Trainer(other).checkpoint()), LabError);
    EXPECT_TRUE(equalBits(before, trainer.weights()));
}

TEST(Trainer, RefusesASpecWithProblemsOrTwoModels) {
    auto spec = testing::tinySpec();
    spec.training.steps = 0;
    EXPECT_THROW(Trainer{spec}, LabError);
    spec = testing::tinySpec();
    spec.models.push_back(spec.models.front());
    EXPECT_THROW(Trainer{spec}, LabError);
}

TEST(Checkpoint, RefusesAFileThatIsNone) {
    const storage::ScratchFolder folder;
    Trainer trainer(testing::tinySpec());
    auto checkpoint = trainer.checkpoint();
    checkpoint.cpuSeconds = std::numeric_limits<double>::quiet_NaN();
    writeCheckpoint(folder / "nan.safetensors", checkpoint);
    EXPECT_THROW((void)readCheckpoint(folder / "nan.safetensors"), LabError);
    EXPECT_THROW((void)readCheckpoint(folder / "missing.safetensors"), LabError);
    EXPECT_THROW((void)readCheckpoint(std::filesystem::path(LAB_GOLDEN_DIR) / "modules" /
                                      "lstm_one_step.safetensors"),
                 LabError);
}

TEST(Checkpoint, OfTheHighestStepIsTheNewestAndOldOnesGo) {
    const storage::ScratchFolder folder;
    Trainer trainer(testing::tinySpec());
    for (const std::int64_t step : {5, 1000, 20, 300}) {
        writeCheckpoint(folder / checkpointFileName(step), trainer.checkpoint());
    }
    EXPECT_EQ(newestCheckpoint(folder.path()), folder / checkpointFileName(1000));
    keepNewestCheckpoints(folder.path(), 2);
    EXPECT_FALSE(std::filesystem::exists(folder / checkpointFileName(20)));
    EXPECT_TRUE(std::filesystem::exists(folder / checkpointFileName(300)));
    EXPECT_EQ(newestCheckpoint(folder / "nowhere"), std::filesystem::path());
}

}  // namespace
}  // namespace lab::training
