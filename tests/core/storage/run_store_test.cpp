#include "core/storage/run_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include "core/storage/migrations.h"
#include "core/storage/spec_toml.h"
#include "core/values/lab_error.h"
#include "tests/core/storage/scratch_folder.h"

namespace lab::storage {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using values::LabError;
using values::Metric;
using values::RunEvent;
using values::RunRecord;

values::ExperimentSpec specNamed(const std::string& name) {
    values::ExperimentSpec spec;
    spec.name = name;
    spec.seed = 18446744073709551615U;
    return spec;
}

std::string refusalOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const LabError& error) {
        EXPECT_EQ(error.kind(), LabError::Kind::kInvalidInput);
        return error.what();
    }
    return "no refusal";
}

TEST(RunStore, ARunIsARowAndAFolder) {
    const ScratchFolder store;
    EXPECT_FALSE(RunStore::existsIn(store.path()));
    RunStore runs(store / "new");
    EXPECT_TRUE(RunStore::existsIn(store / "new"));
    const RunRecord run = runs.create(specNamed("one"));
    EXPECT_THAT(run.id, MatchesRegex("20[0-9]{6}-[0-9]{6}-[0-9]{3}-[0-9a-z]{4}"));
    EXPECT_EQ(fromToml(contentOf(specFileOf(run)), "spec"), specNamed("one"));
    EXPECT_TRUE(std::filesystem::is_directory(checkpointFolderOf(run)));

    const RunRecord found = runs.find(run.id);
    EXPECT_EQ(found.name, "one");
    EXPECT_EQ(found.model, "DeltaNet [-1,1]");
    EXPECT_EQ(found.status, "running");
    EXPECT_EQ(found.seed, 18446744073709551615U);
    EXPECT_EQ(found.steps, 3000);
    EXPECT_EQ(found.accuracy, -1);
    EXPECT_TRUE(std::isnan(found.loss));
    EXPECT_EQ(found.folder, (store / "new" / "runs" / run.id).string());
    EXPECT_THAT(found.created, MatchesRegex("20..-..-..T..:..:..Z"));
}

TEST(RunStore, WhatOneConnectionWritesAnotherReads) {
    const ScratchFolder store;
    RunStore writer(store.path());
    const RunRecord run = writer.create(specNamed("curves"));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<Metric> metrics{
        {1, 0.5, "loss", 2.25}, {2, 1.0, "loss", nan}, {2, 1.0, "accuracy@32,4", infinity}};
    const std::vector<RunEvent> events{{RunEvent::Kind::kStarted, 0, "go"},
                                       {RunEvent::Kind::kRateChanged, 7, "0.001"},
                                       {RunEvent::Kind::kEnded, 9, ""}};
    writer.append(run.id, metrics, events);
    writer.update(run.id, {"finished", 9, 1.5, nan, 0.75, "all well"});

    const RunStore reader(store.path());
    const auto read = reader.metricsOf(run.id);
    ASSERT_EQ(read.size(), 3U);
    EXPECT_EQ(read[0].step, 1);
    EXPECT_EQ(read[0].cpuSeconds, 0.5);
    EXPECT_EQ(read[0].series, "loss");
    EXPECT_EQ(read[0].value, 2.25);
    EXPECT_TRUE(std::isnan(read[1].value));
    EXPECT_EQ(read[2].value, infinity);
    const auto happened = reader.eventsOf(run.id);
    ASSERT_EQ(happened.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(happened[i].kind, events[i].kind);
        EXPECT_EQ(happened[i].step, events[i].step);
        EXPECT_EQ(happened[i].text, events[i].text);
    }
    const RunRecord record = reader.find(run.id);
    EXPECT_EQ(record.status, "finished");
    EXPECT_EQ(record.step, 9);
    EXPECT_EQ(record.cpuSeconds, 1.5);
    EXPECT_TRUE(std::isnan(record.loss));
    EXPECT_EQ(record.accuracy, 0.75);
    EXPECT_EQ(record.message, "all well");
}

TEST(RunStore, AppendIsAllOrNothing) {
    const ScratchFolder store;
    RunStore runs(store.path());
    const RunRecord run = runs.create(specNamed("one"));
    const std::vector<Metric> metrics{{1, 0, "loss", 1}};
    EXPECT_THAT(refusalOf([&] { runs.append("nobody", metrics, {}); }), HasSubstr("FOREIGN KEY"));
    EXPECT_TRUE(runs.metricsOf("nobody").empty());
    EXPECT_THAT(refusalOf([&] { runs.update("nobody", {}); }), HasSubstr("there is no run nobody"));
    runs.append(run.id, metrics, {});  // the connection is fit for use afterwards
    EXPECT_EQ(runs.metricsOf(run.id).size(), 1U);
}

TEST(RunStore, ARunIsFoundByAUniqueBeginning) {
    const ScratchFolder store;
    RunStore runs(store.path());
    const RunRecord first = runs.create(specNamed("first"));
    EXPECT_EQ(runs.find(first.id.substr(0, 3)).name, "first");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const RunRecord second = runs.create(specNamed("second"));
    EXPECT_LT(first.id, second.id);
    EXPECT_EQ(runs.find(second.id).name, "second");
    EXPECT_EQ(runs.list().front().id, second.id);
    const std::string both = refusalOf([&] { static_cast<void>(runs.find("20")); });
    EXPECT_THAT(both, HasSubstr("\"20\" is the beginning of 2 runs: "));
    EXPECT_THAT(both, HasSubstr(first.id));
    EXPECT_THAT(refusalOf([&] { static_cast<void>(runs.find("20%")); }),
                HasSubstr("there is no run \"20%\""));
    EXPECT_THAT(refusalOf([&] { static_cast<void>(runs.find("")); }),
                HasSubstr("there is no run \"\""));
}

TEST(RunStore, ARunWhoseProcessDiedReadsInterrupted) {
    const ScratchFolder store;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        static_cast<void>(RunStore(store.path()).create(specNamed("child")));
        ::_exit(0);
    }
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    RunStore runs(store.path());
    const RunRecord orphan = runs.find("20");
    EXPECT_EQ(orphan.status, "interrupted");
    EXPECT_EQ(runs.resume(orphan.id, 0).status, "running");
    runs.update(orphan.id, {"finished", 1, 0, 0, 0, ""});
    EXPECT_EQ(runs.find(orphan.id).status, "finished");
}

TEST(RunStore, ResumingForgetsWhatComesAgain) {
    const ScratchFolder store;
    RunStore runs(store.path());
    const RunRecord run = runs.create(specNamed("one"));
    runs.append(
        run.id, std::vector<Metric>{{5, 0, "loss", 1}, {6, 0, "loss", 2}},
        std::vector<RunEvent>{{RunEvent::Kind::kSaved, 5, ""}, {RunEvent::Kind::kStage, 6, ""}});
    runs.update(run.id, {"stopped", 6, 0, 0, 0, "by hand"});
    const RunRecord resumed = runs.resume(run.id, 5);
    EXPECT_EQ(resumed.status, "running");
    EXPECT_EQ(resumed.step, 5);
    EXPECT_EQ(runs.metricsOf(run.id).size(), 1U);
    EXPECT_EQ(runs.eventsOf(run.id).size(), 1U);
}

TEST(RunStore, ManyWritersLoseNothing) {
    const ScratchFolder store;
    constexpr int kThreads = 4;
    constexpr int kBatches = 25;
    std::vector<std::string> ids(kThreads);
    std::vector<std::thread> threads;
    for (std::string& id : ids) {
        threads.emplace_back([&] {
            RunStore mine(store.path());
            id = mine.create(specNamed("many")).id;
            for (int i = 0; i < kBatches; ++i) {
                mine.append(id, std::vector<Metric>{{i, 0, "a", 1}, {i, 0, "b", 2}}, {});
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    const RunStore reader(store.path());
    EXPECT_EQ(reader.list().size(), static_cast<std::size_t>(kThreads));
    for (const std::string& id : ids) {
        const auto metrics = reader.metricsOf(id);
        ASSERT_EQ(metrics.size(), 2U * kBatches);
        EXPECT_EQ(metrics.back().step, kBatches - 1);
    }
}

TEST(RunStore, AnIndexOfANewerProgramIsLeftAlone) {
    const ScratchFolder store;
    SQLite::Database((store / "lab.sqlite").string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("PRAGMA user_version = 999");
    EXPECT_THAT(refusalOf([&] { RunStore runs(store.path()); }),
                HasSubstr("was written by a newer Thimblerig (version 999"));
}

TEST(RunStore, WhatIsNoIndexIsRefusedWithItsName) {
    const ScratchFolder store;
    std::ofstream(store / "lab.sqlite") << std::string(4096, 'x');
    EXPECT_THAT(refusalOf([&] { RunStore runs(store.path()); }),
                HasSubstr((store / "lab.sqlite").string() + ": file is not a database"));
    EXPECT_THAT(refusalOf([&] { RunStore runs(store / "lab.sqlite"); }),
                HasSubstr("cannot be created"));
}

TEST(Migrations, AnOlderIndexIsCopiedThenChangedStepByStep) {
    using namespace std::literals;
    const ScratchFolder folder;
    SQLite::Database index((folder / "lab.sqlite").string(),
                           SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const std::vector<std::string_view> first{"CREATE TABLE run (id TEXT);"sv};
    migrate(index, folder.path(), first);
    EXPECT_FALSE(std::filesystem::exists(folder / "backups"));  // there was nothing to lose
    index.exec("INSERT INTO run VALUES ('kept')");

    const std::vector<std::string_view> later{first[0], "ALTER TABLE run ADD COLUMN name TEXT;"sv,
                                              "UPDATE run SET name = 'new';"sv};
    migrate(index, folder.path(), later);
    EXPECT_EQ(index.execAndGet("PRAGMA user_version").getInt(), 3);
    EXPECT_EQ(index.execAndGet("SELECT name FROM run WHERE id = 'kept'").getString(), "new");
    const auto backup = *std::filesystem::directory_iterator(folder / "backups");
    EXPECT_THAT(backup.path().filename().string(), testing::StartsWith("lab-v1-"));
    SQLite::Database old(backup.path().string());
    EXPECT_EQ(old.execAndGet("SELECT id FROM run").getString(), "kept");
    EXPECT_EQ(old.execAndGet("PRAGMA user_version").getInt(), 1);
}

TEST(Migrations, AChangeThatFailsLeavesTheVersionBefore) {
    using namespace std::literals;
    const ScratchFolder folder;
    SQLite::Database index((folder / "lab.sqlite").string(),
                           SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const std::vector<std::string_view> changes{
        "CREATE TABLE run (id TEXT);"sv,
        "CREATE TABLE other (id TEXT); INSERT INTO nowhere VALUES (1);"sv};
    EXPECT_THROW(migrate(index, folder.path(), changes), SQLite::Exception);
    EXPECT_EQ(index.execAndGet("PRAGMA user_version").getInt(), 1);
    EXPECT_FALSE(index.tableExists("other"));
    EXPECT_TRUE(index.tableExists("run"));
}

}  // namespace
}  // namespace lab::storage
