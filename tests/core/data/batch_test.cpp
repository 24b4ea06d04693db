#include "core/data/batch.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "core/data/task_factory.h"
#include "core/values/lab_error.h"

namespace lab::data {
namespace {

using values::ExperimentSpec;

/// Two cups, one swap, one print of cup b: 5 + 5 + 9 + 10 tokens.
ExperimentSpec tinySpec() {
    ExperimentSpec spec;
    spec.task.variables = 2;
    spec.task.reveal = values::RevealPolicy::kFixed;
    spec.task.fixedVariable = 1;
    spec.training.valueWeight = 2.0;
    spec.training.otherWeight = 0.25;
    return spec;
}
constexpr values::TraceLength kTiny{1, 1};

template <class T>
std::vector<T> row(const std::vector<T>& cells, int trace, int steps) {
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(trace) * steps;
    return {begin, begin + steps};
}

TEST(Batch, KindsWeightsAndRevealsAreThoseOfTheNextTokenByHand) {
    const ExperimentSpec spec = tinySpec();
    const auto task = makeTask(spec.task);
    const Batch batch = trainingBatch(*task, spec, kTiny, 0);
    ASSERT_EQ(batch.steps, 29);
    ASSERT_EQ(batch.traces, 2000 / 29);
    // What follows each token of: >>> a = v \n  >>> b = w \n  >>> a , b = b , a \n
    // >>> print(' b ', b ) \n b v \n. o is the printed value, - the end.
    const std::string kinds =
        "nxvp"
        "p"
        "nxvp"
        "p"
        "nxnxnxnp"
        "p"
        "xnxnxpnop"
        "-";
    for (int trace = 0; trace < batch.traces; ++trace) {
        const auto targets = row(batch.targets, trace, batch.steps);
        const auto tokens = row(batch.tokens, trace, batch.steps);
        const auto weights = row(batch.weights, trace, batch.steps);
        const auto reveals = row(batch.reveals, trace, batch.steps);
        const auto found = row(batch.kinds, trace, batch.steps);
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            const char kind = kinds[i];
            ASSERT_EQ(targets[i], kind == '-' ? -1 : tokens[i + 1]) << i;
            ASSERT_EQ(weights[i], kind == '-' ? 0.0F : (kind == 'o' ? 2.0F : 0.25F)) << i;
            ASSERT_EQ(reveals[i], kind == 'o' ? 0 : -1) << i;
            ASSERT_EQ(found[i], kind == '-' ? 0 : std::string("pnxvo").find(kind)) << i;
        }
    }
}

TEST(Batch, EachTraceIsTheTasksSampleOfItsOwnStream) {
    ExperimentSpec spec = tinySpec();
    spec.seed = 77;
    const auto task = makeTask(spec.task);
    const values::TraceLength length{4, 2};
    const Batch batch = trainingBatch(*task, spec, length, 5);
    for (int i = 0; i < batch.traces; ++i) {
        tasks::Rng rng(77, tasks::Stream::kTraining, (5ULL << 20U) + static_cast<unsigned>(i));
        const tasks::Trace trace = task->sample(rng, {4, 2});
        EXPECT_THAT(row(batch.tokens, i, batch.steps), testing::ElementsAreArray(trace.tokens));
    }
}

TEST(Batch, IsAFunctionOfSeedAndStepAlone) {
    const ExperimentSpec spec = tinySpec();
    const auto task = makeTask(spec.task);
    const values::TraceLength length{6, 2};
    const Batch third = trainingBatch(*task, spec, length, 3);
    static_cast<void>(trainingBatch(*task, spec, length, 4));
    EXPECT_EQ(trainingBatch(*makeTask(spec.task), spec, length, 3).tokens, third.tokens);
    EXPECT_NE(trainingBatch(*task, spec, length, 4).tokens, third.tokens);
    ExperimentSpec other = spec;
    other.seed = 2;
    EXPECT_NE(trainingBatch(*task, other, length, 3).tokens, third.tokens);
}

TEST(Batch, TheNumberOfTracesFollowsTheTokenBudget) {
    ExperimentSpec spec = tinySpec();
    const auto task = makeTask(spec.task);
    spec.training.tokensPerBatch = 10 * 29 + 28;
    EXPECT_EQ(trainingBatch(*task, spec, kTiny, 0).traces, 10);
    spec.training.tokensPerBatch = 1;
    const Batch smallest = trainingBatch(*task, spec, kTiny, 0);
    EXPECT_EQ(smallest.traces, 4);
    EXPECT_EQ(smallest.tokens.size(), 4U * 29U);
}

TEST(Batch, AnEvaluationSetDependsOnItsLengthAndItsSeedOnly) {
    ExperimentSpec spec = tinySpec();
    spec.evaluation.traces = 7;
    const auto task = makeTask(spec.task);
    const Batch set = evaluationBatch(*task, spec, {6, 2});
    EXPECT_EQ(set.traces, 7);
    ExperimentSpec other = spec;
    other.seed = 99;
    other.training.tokensPerBatch = 50;
    other.evaluation.lengths = {{6, 2}};
    EXPECT_EQ(evaluationBatch(*task, other, {6, 2}).tokens, set.tokens);
    other.evaluation.seed = 5;
    EXPECT_NE(evaluationBatch(*task, other, {6, 2}).tokens, set.tokens);
    EXPECT_NE(trainingBatch(*task, spec, {6, 2}, 0).tokens, set.tokens);
}

TEST(Batch, EveryProductOfAWordProblemIsAValue) {
    ExperimentSpec spec;
    spec.task.kind = values::TaskKind::kWordProblem;
    spec.task.group = "Z5";
    const auto task = makeTask(spec.task);
    const Batch batch = trainingBatch(*task, spec, {6, 3}, 0);
    ASSERT_EQ(batch.steps, 6);
    for (int trace = 0; trace < batch.traces; ++trace) {
        std::int64_t sum = 0;  // element k of Z_5 is k
        for (int step = 0; step < 6; ++step) {
            const auto cell = static_cast<std::size_t>(trace * 6 + step);
            sum = (sum + batch.tokens[cell]) % 5;
            ASSERT_EQ(batch.targets[cell], sum);
            ASSERT_EQ(batch.weights[cell], 1.0F);
            ASSERT_EQ(batch.reveals[cell], step);
        }
    }
}

TEST(TaskFactory, RefusesATaskWithProblems) {
    values::TaskSpec task;
    task.variables = 9;
    EXPECT_THROW(static_cast<void>(makeTask(task)), values::LabError);
    task.kind = values::TaskKind::kWordProblem;
    task.group = "S8xS8";  // well formed, but 40320^2 elements
    EXPECT_THROW(static_cast<void>(makeTask(task)), values::LabError);
}

}  // namespace
}  // namespace lab::data
