#include "core/reader.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "core/catalog.h"
#include "core/data/task_factory.h"
#include "core/model_handle.h"
#include "core/reading/model_reading.h"
#include "core/training/trainer.h"
#include "tasks/repl_trace.h"
#include "tests/core/training/tiny_spec.h"

namespace lab {
namespace {

using ::testing::HasSubstr;
using values::EventReading;

const std::string kTranscript =
    ">>> a = 3\n>>> b = 1\n>>> c = 2\n>>> b, c = c, b\n>>> print('c', c)\nc 1\n"
    ">>> a, c = c, a\n>>> print('a', a)\na 1\n>>> print('c', c)\nc 3\n";

values::TraceReading read(const std::string& text) {
    auto result = readTranscript(text);
    if (const auto* problem = std::get_if<values::TranscriptProblem>(&result)) {
        ADD_FAILURE() << problem->message;
        return {};
    }
    return std::get<values::TraceReading>(result);
}

std::shared_ptr<const ModelHandle> trainedFor(std::int64_t steps, values::ExperimentSpec spec) {
    training::Trainer trainer(spec);
    for (std::int64_t step = 0; step < steps; ++step) {
        (void)trainer.step();
    }
    return std::make_shared<const ModelHandle>(spec, steps, trainer.weights());
}

/// What the watcher believes, by counting: every order of the first values, kept when it agrees
/// with every print so far.
values::Belief watchedByEnumeration(const values::TraceReading& reading, std::size_t events) {
    const auto cups = static_cast<int>(reading.cupNames.size());
    std::vector<int> first(static_cast<std::size_t>(cups));
    std::iota(first.begin(), first.end(), 0);  // distinct values: any order of them
    values::Belief belief{cups, cups, std::vector<double>(static_cast<std::size_t>(cups * cups))};
    double kept = 0;
    do {
        std::vector<int> now = first;
        bool possible = true;
        for (std::size_t i = 0; i < events; ++i) {
            const auto& event = reading.events[i];
            if (event.kind == EventReading::Kind::kPermute) {
                const auto before = now;
                for (std::size_t cup = 0; cup < now.size(); ++cup) {
                    now[cup] = before[static_cast<std::size_t>(event.moved[cup])];
                }
            } else if (event.kind == EventReading::Kind::kReveal) {
                possible = possible && now[static_cast<std::size_t>(event.cup)] == event.value;
            }
        }
        if (possible) {
            ++kept;
            for (int cup = 0; cup < cups; ++cup) {
                ++belief.probability[static_cast<std::size_t>(cup * cups +
                                                              now[static_cast<std::size_t>(cup)])];
            }
        }
    } while (std::ranges::next_permutation(first).found);
    for (double& p : belief.probability) {
        p /= kept;
    }
    return belief;
}

TEST(ReadTranscript, FollowsTheCupsByHand) {
    const auto reading = read(kTranscript);
    EXPECT_EQ(reading.cupNames, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(reading.valueNames, (std::vector<std::string>{"1", "2", "3"}));
    ASSERT_EQ(reading.events.size(), 8U);
    EXPECT_EQ(reading.events[0].contents, (std::vector<int>{2, -1, -1}));
    EXPECT_EQ(reading.events[3].moved, (std::vector<int>{0, 2, 1}));
    EXPECT_EQ(reading.events[3].contents, (std::vector<int>{2, 1, 0}));
    EXPECT_EQ(reading.events[4].cup, 2);
    EXPECT_EQ(reading.events[4].value, 0);
    EXPECT_EQ(reading.events[7].contents, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(reading.events[4].text, "print('c', c)");
    EXPECT_EQ(reading.events[4].line, 5);
    EXPECT_EQ(reading.tokens.size(), 3U * 5 + 2 * 9 + 3 * 10);
    EXPECT_EQ(reading.tokens[16].text, "b");
    EXPECT_EQ(reading.tokens[16].line, 4);
    EXPECT_EQ(reading.tokens[16].column, 5);
    EXPECT_EQ(reading.tokens[16].event, 3);
}

TEST(ReadTranscript, TellsWhatAWatcherLearnsFromEachPrint) {
    const auto reading = read(kTranscript);
    EXPECT_NEAR(reading.events[4].surprise, std::log2(3.0), 1e-12);  // one of three
    EXPECT_NEAR(reading.events[6].surprise, 0.0, 1e-12);             // the same value, moved to a
    EXPECT_NEAR(reading.events[7].surprise, 1.0, 1e-12);  // one of the two that were left
    // The last print settles all three.
    EXPECT_EQ(reading.events[7].watching.probability,
              (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
    EXPECT_EQ(reading.events[7].knowing.probability,
              (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

TEST(ReadTranscript, AgreesWithCountingEveryOrderOfTheFirstValues) {
    values::TaskSpec task;
    task.variables = 5;
    task.commands = values::CommandSet::kPermutations;
    for (const std::uint64_t seed : {1, 2, 3}) {
        const auto reading = read(sampleText(task, {8, 2}, seed));
        for (std::size_t events = 5; events <= reading.events.size(); ++events) {
            const auto expected = watchedByEnumeration(reading, events);
            const auto& found = reading.events[events - 1].watching;
            for (std::size_t i = 0; i < expected.probability.size(); ++i) {
                EXPECT_NEAR(found.probability[i], expected.probability[i], 1e-12);
            }
        }
    }
}

TEST(ReadTranscript, TreatsRepeatingValuesAsAMultiset) {
    const auto reading =
        read(">>> a = 5\n>>> b = 5\n>>> c = 9\n>>> print('a', a)\na 5\n>>> a = 9\n");
    EXPECT_NEAR(reading.events[2].watching.at(0, 0), 2.0 / 3, 1e-12);
    EXPECT_NEAR(reading.events[3].surprise, std::log2(1.5), 1e-12);
    EXPECT_NEAR(reading.events[3].watching.at(2, 1), 0.5, 1e-12);
    EXPECT_NEAR(reading.events[4].watching.at(0, 1), 1.0, 1e-12);  // a later assignment is seen
}

TEST(ReadTranscript, PointsAtWhatItRefuses) {
    const auto result = readTranscript(">>> a = 3\n>>> print('a', a)\na 4\n");
    ASSERT_TRUE(std::holds_alternative<values::TranscriptProblem>(result));
    EXPECT_EQ(std::get<values::TranscriptProblem>(result).line, 3);
}

/// Softmax of row `row` of a whole-sequence forward pass over the first `count` tokens and `extra`.
class ModelReading : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        auto spec = testing::tinySpec();
        spec.models.front().architecture = GetParam();
        m_handle = trainedFor(12, spec);
        m_task = std::make_unique<tasks::ReplTask>(tasks::ReplSettings{});
        m_model = training::modelOf(spec, *m_task);
        training::setWeights(*m_model, m_handle->weights());
    }

    [[nodiscard]] at::Tensor lastLogits(std::vector<std::int64_t> ids) const {
        const c10::NoGradGuard noGradient;
        const auto tokens = at::tensor(ids).unsqueeze(0);
        return m_model->forward(tokens).select(1, -1).squeeze(0).to(at::kDouble);
    }

    std::shared_ptr<const ModelHandle> m_handle;
    std::unique_ptr<tasks::ReplTask> m_task;
    std::unique_ptr<models::SequenceModel> m_model;
};

TEST_P(ModelReading, HasTheProbabilitiesAndBeliefsOfTheForwardPass) {
    auto reading = read(kTranscript);
    reading::ModelReader reader;
    reader.setModel(m_handle);
    ASSERT_TRUE(reader.fill(reading, [] { return false; }));
    EXPECT_EQ(reading.modelProblem, "");
    EXPECT_EQ(reading.modelStep, 12);
    const auto& vocabulary = m_task->vocabulary();
    std::vector<std::int64_t> ids;
    for (std::size_t i = 0; i < reading.tokens.size(); ++i) {
        const auto& token = reading.tokens[i];
        const int id = *vocabulary.idOf(token.text);
        if (i == 0) {
            EXPECT_EQ(token.probability, -1);
        } else {
            const auto p = lastLogits(ids).softmax(-1);
            EXPECT_NEAR(token.probability, p[id].item<double>(), 1e-5) << "token " << i;
            ASSERT_EQ(token.top.size(), 10U);
            EXPECT_NEAR(token.top[0].probability, p.max().item<double>(), 1e-5);
            EXPECT_TRUE(
                std::ranges::is_sorted(token.top, std::greater(), &values::Candidate::probability));
            EXPECT_EQ(token.mistake, token.kind == values::TokenKind::kOutput &&
                                         p.argmax().item<std::int64_t>() != id);
        }
        ids.push_back(id);
        const bool eventEnds =
            i + 1 == reading.tokens.size() || reading.tokens[i + 1].event != token.event;
        if (!eventEnds) {
            continue;
        }
        const auto& belief = reading.events[static_cast<std::size_t>(token.event)].model;
        for (int cup = 0; cup < 3; ++cup) {
            auto asked = ids;
            std::ranges::copy(vocabulary.query(cup), std::back_inserter(asked));
            const auto p = lastLogits(asked).narrow(0, vocabulary.valueId(1), 3).softmax(-1);
            double sum = 0;
            for (int value = 0; value < 3; ++value) {
                EXPECT_NEAR(belief.at(cup, value), p[value].item<double>(), 1e-5);
                sum += belief.at(cup, value);
            }
            EXPECT_NEAR(sum, 1.0, 1e-12);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Every, ModelReading,
                         ::testing::Values("delta_net", "transformer", "mamba2", "slstm"),
                         [](const auto& one) { return std::string(one.param); });

std::string problemOf(const std::shared_ptr<const ModelHandle>& handle, const std::string& text) {
    auto reading = read(text);
    reading::ModelReader reader;
    reader.setModel(handle);
    EXPECT_TRUE(reader.fill(reading, [] { return false; }));
    EXPECT_TRUE(reading.events.front().model.empty());
    EXPECT_TRUE(reading.tokens.back().top.empty());
    return reading.modelProblem;
}

TEST(ModelReader, NamesWhatIsOutsideTheModelsVocabulary) {
    const auto handle = trainedFor(0, testing::tinySpec());
    EXPECT_THAT(problemOf(handle, ">>> q = 1\n"), HasSubstr("the name \"q\""));
    EXPECT_THAT(problemOf(handle, ">>> q = 1\n"), HasSubstr("a, b, c"));
    EXPECT_THAT(problemOf(handle, ">>> a = 1\n>>> b = 17\n"),
                HasSubstr("line 2: the value \"17\""));
    auto words = testing::tinySpec();
    words.task.kind = values::TaskKind::kWordProblem;
    EXPECT_THAT(problemOf(trainedFor(0, words), ">>> a = 1\n"), HasSubstr("group"));
}

std::shared_ptr<const values::TraceReading> waitForReading(Reader& reader) {
    for (int i = 0; i < 60'000; ++i) {
        if (auto reading = reader.readings().take()) {
            return reading;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return nullptr;
}

TEST(Reader, GivesTheNewestOfManyRequestsAndReadsAgainForANewModel) {
    Reader reader;
    values::TaskSpec task;
    for (int i = 0; i < 20; ++i) {
        reader.setTranscript(sampleText(task, {512, 4}, 3));
        reader.setModel(trainedFor(0, testing::tinySpec()));
    }
    reader.setTranscript(kTranscript);
    auto reading = waitForReading(reader);
    while (reading && reading->transcript != kTranscript) {
        reading = waitForReading(reader);
    }
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->modelName, "DeltaNet [-1,1]");
    reader.setModel(nullptr);
    reading = waitForReading(reader);
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->modelName, "");
    EXPECT_TRUE(reading->events.back().model.empty());
}

TEST(Reader, ReadsFiveHundredTokensInWellUnderASecond) {
    auto spec = testing::tinySpec();
    spec.models.front().width = 64;
    spec.models.front().heads = 4;
    const auto handle = trainedFor(0, spec);
    auto reading = read(sampleText(spec.task, {40, 4}, 1));
    EXPECT_GT(reading.tokens.size(), 470U);
    reading::ModelReader reader;
    reader.setModel(handle);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(reader.fill(reading, [] { return false; }));
    // Some 20 ms on an idle core; the bound allows for a busy machine and an unoptimised build.
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
}

}  // namespace
}  // namespace lab
