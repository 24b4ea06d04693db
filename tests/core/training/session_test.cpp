#include "core/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "core/model_handle.h"
#include "core/reader.h"
#include "core/runs.h"
#include "core/training/device.h"
#include "core/training/trainer.h"
#include "core/values/lab_error.h"
#include "tests/core/storage/scratch_folder.h"
#include "tests/core/training/tiny_spec.h"

namespace lab {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using values::LabError;
using values::RunEvent;
using values::RunState;

/// Takes what a session publishes until `done`; fails after a minute.
std::shared_ptr<const values::Snapshot> waitFor(
    Session& session, const std::function<bool(const values::Snapshot&)>& done) {
    for (int i = 0; i < 60'000; ++i) {
        if (auto snapshot = session.snapshots().take(); snapshot && done(*snapshot)) {
            return snapshot;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << "the session did not come to the state that was waited for";
    return std::make_shared<const values::Snapshot>();
}

std::shared_ptr<const ModelHandle> waitForWeights(Session& session) {
    for (int i = 0; i < 60'000; ++i) {
        if (auto weights = session.weights().take()) {
            return weights;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return nullptr;
}

bool equalBits(const training::Weights& a, const training::Weights& b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
        return x.first == y.first && x.second.equal(y.second);
    });
}

training::Weights trainedWithoutSession(const values::ExperimentSpec& spec) {
    training::Trainer trainer(spec);
    while (!trainer.finished()) {
        (void)trainer.step();
    }
    return trainer.weights();
}

TEST(Session, TrainsToTheEndAndTellsEveryStep) {
    const auto spec = testing::tinySpec();
    Session session(spec);
    session.start();
    session.wait();
    const auto last = session.snapshots().take();
    ASSERT_TRUE(last);
    EXPECT_EQ(last->state, RunState::kFinished);
    EXPECT_EQ(last->step, 40);
    EXPECT_EQ(last->evaluatedAtStep, 40);
    EXPECT_EQ(last->evaluations.size(), 2U);
    EXPECT_EQ(last->savedAtStep, -1);
    EXPECT_EQ(last->heads.size(), 2U);
    const auto metrics = session.metrics().takeAll();
    std::int64_t next = 1;
    for (const auto& metric : metrics) {
        if (metric.series == "loss") {
            EXPECT_EQ(metric.step, next++);
        }
        EXPECT_TRUE(std::isfinite(metric.value)) << metric.series;
    }
    EXPECT_EQ(next, 41);
    for (const auto* series :
         {"loss/name", "accuracy/output", "learning_rate", "gradient_norm", "tokens_per_second",
          "stage", "accuracy@4,2", "whole@2,1", "reveal@2,1/1", "state_norm/0.1", "beta_max/0.0"}) {
        EXPECT_THAT(metrics, Contains(Field(&values::Metric::series, series)));
    }
    const auto events = session.events().takeAll();
    EXPECT_EQ(events.front().kind, RunEvent::Kind::kStarted);
    EXPECT_EQ(events.back().kind, RunEvent::Kind::kEnded);
    EXPECT_THAT(events, Contains(Field(&RunEvent::kind, RunEvent::Kind::kStage)));
}

TEST(Session, GivesTheBitsOfATrainerHoweverOftenItIsWatchedAndPaused) {
    const auto spec = testing::tinySpec();
    const storage::ScratchFolder folder;
    Session session(spec, {.store = folder.path(), .resumeRunId = {}, .background = true});
    session.pause();
    session.start();
    for (int i = 0; i < 12; ++i) {
        session.stepOnce();
        session.requestWeights();
        session.requestCheckpoint();
        (void)session.snapshots().take();
        (void)session.metrics().takeAll();
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    session.resume();
    session.wait();
    const auto weights = waitForWeights(session);
    ASSERT_TRUE(weights);
    EXPECT_EQ(stepOf(*weights), 40);
    EXPECT_TRUE(equalBits(trainedWithoutSession(spec), weights->weights()));
}

TEST(Session, PausesAtABorderStepsOnceAndGoesOn) {
    auto spec = testing::tinySpec();
    spec.training.steps = 1'000'000;
    Session session(spec);
    session.start();
    (void)waitFor(session, [](const auto& now) { return now.step >= 3; });
    session.pause();
    const auto paused =
        waitFor(session, [](const auto& now) { return now.state == RunState::kPaused; });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(session.snapshots().take()) << "a paused run has no news";
    session.stepOnce();
    const auto stepped = waitFor(session, [&](const auto& now) { return now.step > paused->step; });
    EXPECT_EQ(stepped->step, paused->step + 1);
    EXPECT_EQ(stepped->state, RunState::kPaused);
    session.requestWeights();
    const auto weights = waitForWeights(session);
    ASSERT_TRUE(weights);
    EXPECT_EQ(stepOf(*weights), stepped->step);
    EXPECT_EQ(nameOf(*weights), "DeltaNet [-1,1]");
    session.resume();
    (void)waitFor(session, [&](const auto& now) { return now.step > stepped->step + 3; });
    session.requestStop();
    session.wait();
    const auto end = session.snapshots().take();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->state, RunState::kStopped);
}

TEST(Session, ChangesTheRateAtABorderAndMarksIt) {
    auto spec = testing::tinySpec();
    Session session(spec);
    session.pause();
    session.start();
    session.setLearningRate(0.5);
    session.setLearningRate(-1);  // replaces the one before, and is refused
    (void)waitFor(session, [](const auto& now) { return now.state == RunState::kPaused; });
    session.setLearningRate(0.004);
    session.stepOnce();
    const auto stepped = waitFor(session, [](const auto& now) { return now.step == 1; });
    EXPECT_DOUBLE_EQ(stepped->learningRate, 0.004 / 5);  // the first of five warm-up steps
    EXPECT_THAT(session.events().takeAll(),
                Contains(Field(&RunEvent::kind, RunEvent::Kind::kRateChanged)));
}

TEST(Session, WhoseOwnerGoesAwayEndsAtOnce) {
    auto spec = testing::tinySpec();
    spec.training.steps = 1'000'000;
    const auto begin = std::chrono::steady_clock::now();
    {
        Session running(spec);
        running.start();
        Session pausedSession(spec);
        pausedSession.pause();
        pausedSession.start();
        const Session never(spec);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Session, RecordsARunThatCanBeReadBack) {
    const auto spec = testing::tinySpec();
    const storage::ScratchFolder folder;
    Session session(spec, {.store = folder.path(), .resumeRunId = {}, .background = false});
    session.start();
    session.wait();
    const auto runs = listRuns(folder.path());
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].id, session.runId());
    EXPECT_EQ(runs[0].status, "finished");
    EXPECT_EQ(runs[0].step, 40);
    EXPECT_EQ(specOf(runs[0]), spec);
    const auto told = session.metrics().takeAll();
    const auto recorded = metricsOf(folder.path(), runs[0].id);
    ASSERT_EQ(recorded.size(), told.size());
    EXPECT_TRUE(std::ranges::equal(recorded, told, [](const auto& a, const auto& b) {
        return a.step == b.step && a.series == b.series && a.value == b.value;
    }));
    const auto handle = loadModel(findRun(folder.path(), runs[0].id.substr(0, 12)));
    EXPECT_EQ(stepOf(*handle), 40);
    EXPECT_TRUE(equalBits(trainedWithoutSession(spec), handle->weights()));
    // The checkpoint's accuracy is the one that the run had at its end.
    const auto results = evaluate(*handle, spec, {});
    const auto last = session.snapshots().take();
    ASSERT_EQ(results.size(), last->evaluations.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_EQ(results[i].byReveal, last->evaluations[i].byReveal);
        EXPECT_EQ(results[i].loss, last->evaluations[i].loss);
    }
    EXPECT_EQ(evaluate(*handle, spec, {{3, 3}}).front().byReveal.size(), 1U);
}

TEST(Session, GoesOnWithARecordedRunAsIfItHadNeverStopped) {
    const auto spec = testing::tinySpec();
    const storage::ScratchFolder folder;
    std::string id;
    {
        Session session(spec, {.store = folder.path(), .resumeRunId = {}, .background = false});
        id = session.runId();
        session.pause();
        session.start();
        for (int i = 0; i < 17; ++i) {
            session.stepOnce();
            (void)waitFor(session, [&](const auto& now) { return now.step > i; });
        }
        session.requestStop();
        session.wait();
        EXPECT_EQ(session.snapshots().take()->savedAtStep, 17);
    }
    EXPECT_EQ(findRun(folder.path(), id).status, "stopped");
    Session resumed(spec, {.store = folder.path(), .resumeRunId = id, .background = false});
    EXPECT_EQ(resumed.runId(), id);
    resumed.start();
    resumed.wait();
    const auto run = findRun(folder.path(), id);
    EXPECT_EQ(run.status, "finished");
    EXPECT_TRUE(equalBits(trainedWithoutSession(spec), loadModel(run)->weights()));
    std::int64_t next = 1;
    for (const auto& metric : metricsOf(folder.path(), id)) {
        if (metric.series == "loss") {
            EXPECT_EQ(metric.step, next++) << "every step once";
        }
    }
    EXPECT_EQ(next, 41);
}

TEST(Session, RefusesToGoOnWithAnotherExperiment) {
    const storage::ScratchFolder folder;
    auto spec = testing::tinySpec();
    std::string id;
    {
        Session session(spec, {.store = folder.path(), .resumeRunId = {}, .background = false});
        id = session.runId();
        session.start();
        session.wait();
    }
    spec.training.steps = 45;  // longer is allowed
    EXPECT_NO_THROW(
        Session(spec, {.store = folder.path(), .resumeRunId = id, .background = false}));
    EXPECT_EQ(specOf(findRun(folder.path(), id)).training.steps, 45);
    spec.seed = 99;
    EXPECT_THROW(Session(spec, {.store = folder.path(), .resumeRunId = id, .background = false}),
                 LabError);
    EXPECT_THROW(
        Session(spec, {.store = folder.path(), .resumeRunId = "none", .background = false}),
        LabError);
}

TEST(Session, StopsWhenItDivergesAndKeepsTheLastGoodCheckpoint) {
    auto spec = testing::tinySpec();
    const storage::ScratchFolder folder;
    Session session(spec, {.store = folder.path(), .resumeRunId = {}, .background = false});
    session.pause();
    session.start();
    session.stepOnce();
    (void)waitFor(session, [](const auto& now) { return now.step == 1; });
    session.requestCheckpoint();
    (void)waitFor(session, [](const auto& now) { return now.savedAtStep == 1; });
    session.setLearningRate(1e38);
    session.resume();
    session.wait();
    const auto end = session.snapshots().take();
    ASSERT_TRUE(end);
    EXPECT_EQ(end->state, RunState::kDiverged);
    EXPECT_THAT(end->message, HasSubstr("layer 0"));
    EXPECT_THAT(end->message, HasSubstr("head"));
    EXPECT_THAT(end->message, HasSubstr("The checkpoint of step 1 is good"));
    const auto run = findRun(folder.path(), session.runId());
    EXPECT_EQ(run.status, "diverged");
    EXPECT_EQ(run.message, end->message);
    EXPECT_EQ(stepOf(*loadModel(run)), 1);
    const auto events = session.events().takeAll();
    EXPECT_EQ(events.back().kind, RunEvent::Kind::kDiverged);
}

TEST(Session, SaysWhyThereIsNoCudaDevice) {
    auto spec = testing::tinySpec();
    spec.training.device = values::Device::kCuda;
    const auto reason = training::whyNoCuda();
    if (!reason) {
        GTEST_SKIP() << "this machine has a CUDA device";
    }
    try {
        const Session session(spec);
        ADD_FAILURE() << "a session without its device";
    } catch (const LabError& error) {
        EXPECT_EQ(error.kind(), LabError::Kind::kDevice);
        EXPECT_THAT(error.what(), HasSubstr(*reason));
    }
}

TEST(Session, RefusesASpecWithProblems) {
    auto spec = testing::tinySpec();
    spec.training.threads = 0;
    EXPECT_THROW(Session{spec}, LabError);
}

}  // namespace
}  // namespace lab
