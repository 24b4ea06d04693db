// train, eval, runs, trace, doctor, bench: what needs LibTorch. Budgets are a few steps.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/app/headless/cli.h"

namespace lab::headless {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;
using Words = std::vector<std::string>;

/// Two tiny models of the smallest shell game.
constexpr const char* kSpec = R"(
schema = 1
name = "tiny"
seed = 3
[task]
variables = 2
[[model]]
width = 16
heads = 2
[[model]]
architecture = "gru"
width = 16
[training]
steps = 20
tokens_per_batch = 200
stages = [[4, 2]]
evaluate_every = 20
checkpoint_every = 10
[evaluation]
lengths = [[4, 2], [8, 4]]
traces = 8
)";

class CoreCommands : public testing::Test {
protected:
    CoreCommands() {
        std::string name = (std::filesystem::temp_directory_path() / "lab-store-XXXXXX").string();
        m_store = ::mkdtemp(name.data());
        ::setenv("XDG_DATA_HOME", m_store.c_str(), 1);
    }
    ~CoreCommands() override {
        std::error_code ignored;
        std::filesystem::remove_all(m_store, ignored);
    }
    CoreCommands(const CoreCommands&) = delete;
    CoreCommands& operator=(const CoreCommands&) = delete;

    /// Runs with the tiny spec on standard input.
    static Said tiny(Words words) {
        words.insert(words.begin() + 1, "-");
        return cli(words, kSpec);
    }

    std::string m_store;
};

TEST_F(CoreCommands, TrainRecordsARunThatTheOtherCommandsFind) {
    const Said trained = tiny({"train", "--json"});
    ASSERT_EQ(trained.code, 0) << trained.err;
    const auto lines = trained.jsonLines();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0].at("model"), "DeltaNet [-1,1]");
    EXPECT_EQ(lines[1].at("model"), "GRU");
    for (const json& line : lines) {
        EXPECT_EQ(line.at("status"), "finished");
        EXPECT_EQ(line.at("step"), 20);
        EXPECT_EQ(line.at("seed"), 3);
        EXPECT_TRUE(
            std::filesystem::exists(line.at("folder").get<std::string>() + "/experiment.toml"));
    }
    const json list = cli({"runs", "list", "--json"}).json();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0].at("run"), lines[1].at("run"));  // newest first
    EXPECT_EQ(list[1].at("status"), "finished");

    const std::string run = lines[0].at("run");
    const json shown = cli({"runs", "show", run, "--json", "--metrics"}).json();
    EXPECT_EQ(shown.at("step"), 20);
    EXPECT_FALSE(shown.at("metrics").empty());
    // The checkpoint is that of the last step, so it measures what training measured there.
    const json measured = cli({"eval", run, "--json"}).json();
    EXPECT_EQ(measured.at("evaluations"), lines[0].at("evaluations"));
    const json longer = cli({"eval", run, "--length", "12,3", "--json"}).json();
    EXPECT_EQ(longer.at("evaluations")[0].at("length"),
              json::parse(R"({"commands": 12, "spacing": 3})"));
}

TEST_F(CoreCommands, TheSameSeedTrainsToTheSameNumbers) {
    const Words words{"train", "--json", "--no-store", "--model", "0", "--quiet"};
    json first = tiny(words).json();
    json second = tiny(words).json();
    json other = tiny({"train", "--json", "--no-store", "--model", "0", "--seed", "4"}).json();
    for (json* result : {&first, &second, &other}) {
        result->erase("cpu_s");
    }
    EXPECT_EQ(first, second);
    EXPECT_NE(first.at("loss"), other.at("loss"));
    EXPECT_TRUE(std::filesystem::is_empty(m_store));
}

TEST_F(CoreCommands, AnInterruptSavesAndTheRunGoesOn) {
    const std::string store = m_store + "/here";
    Cli training({"train", "-", "--model", "0", "--steps", "100000000", "--store", store}, kSpec);
    json runs = json::array();
    for (int i = 0; i < 600 && (runs.empty() || runs[0].at("step") < 10); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        runs = cli({"runs", "list", "--json", "--store", store}).json();
    }
    ASSERT_FALSE(runs.empty());
    EXPECT_EQ(runs[0].at("status"), "running");
    training.interrupt();
    const Said stopped = training.wait();
    EXPECT_EQ(stopped.code, 5);
    const std::string id = runs[0].at("run");
    EXPECT_THAT(stopped.err, HasSubstr("train --resume " + id));
    const json record = cli({"runs", "show", id, "--json", "--store", store}).json();
    EXPECT_EQ(record.at("status"), "stopped");

    const auto more = std::to_string(record.at("step").get<std::int64_t>() + 5);
    const Said resumed = cli({"train", "--resume", id.substr(0, 20), "--steps", more, "--json",
                              "--store", store, "--quiet"});
    EXPECT_EQ(resumed.code, 0) << resumed.err;
    EXPECT_EQ(resumed.json().at("run"), id);
    EXPECT_EQ(std::to_string(resumed.json().at("step").get<std::int64_t>()), more);
}

TEST_F(CoreCommands, DivergenceIsCodeThree) {
    const Said said = tiny({"train", "--json", "--no-store", "--model", "0", "--set",
                            "training.learning_rate=1e30", "--set", "training.clip_norm=0.0"});
    EXPECT_EQ(said.code, 3) << said.err;
    EXPECT_EQ(said.json().at("status"), "diverged");
    EXPECT_NE(said.json().at("message"), "");
}

TEST_F(CoreCommands, AMissingDeviceIsCodeFour) {
    for (const json& check : cli({"doctor", "--json"}).json().at("checks")) {
        if (check.at("key") == "cuda" && check.at("good") == true) {
            GTEST_SKIP() << "there is a CUDA device";
        }
    }
    EXPECT_EQ(tiny({"train", "--no-store", "--set", "training.device=cuda"}).code, 4);
}

TEST_F(CoreCommands, ARefusedExperimentIsCodeSixWithThePlace) {
    const Said said = cli({"train", "-"}, "[training]\nsteps = 0\n");
    EXPECT_EQ(said.code, 6);
    EXPECT_THAT(said.err, HasSubstr("standard input:2:9: training.steps is 0"));
    EXPECT_EQ(said.out, "");
}

TEST_F(CoreCommands, AWrongRequestIsCodeTwo) {
    for (const Words& words :
         std::vector<Words>{{"train"},
                            {"train", "--preset", "nonsense"},
                            {"train", "x.toml", "--preset", "first-minute"},
                            {"train", "--preset", "first-minute", "--set", "a=1"},
                            {"train", "--preset", "first-minute", "--model", "9"},
                            {"train", "--preset", "first-minute", "--steps", "0"},
                            {"trace", "--preset", "first-minute", "--count", "0"},
                            {"eval", "x", "--length", "4,5"},
                            {"runs"},
                            {"bench", "nonsense"}}) {
        const Said said = cli(words);
        EXPECT_EQ(said.code, 2) << testing::PrintToString(words) << said.err;
        EXPECT_EQ(said.out, "");
    }
    EXPECT_EQ(cli({"eval", "nobody"}).code, 1);
    EXPECT_EQ(cli({"runs", "show", "nobody"}).code, 1);
    EXPECT_EQ(cli({"train", "--resume", "nobody"}).code, 1);
    EXPECT_EQ(cli({"train", "/no/such.toml"}).code, 1);
}

TEST_F(CoreCommands, ATypingErrorInAFileIsNamed) {
    const Said said = cli({"trace", "-"}, "[task]\nvariabels = 2\n");
    EXPECT_EQ(said.code, 0);
    EXPECT_THAT(said.err, HasSubstr("warning: standard input:2:1: task.variabels"));
}

TEST_F(CoreCommands, SampledTracesAreSessionsAndRepeatable) {
    const Words words{"trace", "--preset", "first-minute", "--count", "3", "--seed", "7", "--json"};
    const Said said = cli(words);
    const auto traces = said.jsonLines();
    ASSERT_EQ(traces.size(), 3U);
    for (const json& trace : traces) {
        EXPECT_EQ(cli({"trace", "check", "-"}, trace.at("text")).code, 0);
    }
    EXPECT_EQ(cli(words).out, said.out);
    EXPECT_NE(traces[0].at("text"), traces[1].at("text"));
    // Trace number 1 of seed 7 is trace number 0 of seed 8.
    const json next = cli({"trace", "--preset", "first-minute", "--seed", "8", "--json"}).json();
    EXPECT_EQ(next.at("text"), traces[1].at("text"));
}

TEST_F(CoreCommands, AShortLengthPrintsThatManyCommands) {
    const Said said = tiny({"trace", "--length", "2,1"});
    EXPECT_EQ(said.code, 0);
    // Two assignments, two swaps, two prints with their output lines.
    EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 8);
}

TEST_F(CoreCommands, DoctorSaysWhatThereIs) {
    const json report = cli({"doctor", "--json"}).json();
    EXPECT_EQ(report.at("version"), LAB_VERSION);
    EXPECT_GE(report.at("checks").size(), 4U);
    EXPECT_EQ(cli({"doctor"}).code, 0);
}

TEST_F(CoreCommands, ABenchThatMissesItsGoalsIsCodeSix) {
    const Said said =
        cli({"bench", "first-minute", "--seeds", "1", "--steps", "2", "--json", "--quiet"});
    EXPECT_EQ(said.code, 6) << said.err;
    const json report = said.json();
    EXPECT_EQ(report.at("bench"), "first-minute");
    EXPECT_EQ(report.at("pass"), false);
    ASSERT_EQ(report.at("rows").size(), 2U);
    for (const char* field :
         {"seed", "range", "steps", "cpu_s", "cpu_s_to_99_at_4x", "acc_1x", "acc_2x", "acc_4x"}) {
        EXPECT_TRUE(report.at("rows")[0].contains(field)) << field;
    }
}

}  // namespace
}  // namespace lab::headless
