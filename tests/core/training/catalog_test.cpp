#include "core/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/bench.h"
#include "core/values/lab_error.h"

namespace lab {
namespace {

using ::testing::HasSubstr;

TEST(Catalog, HasPresetsThatCanBeTrained) {
    std::set<std::string> keys;
    for (const auto& row : presets()) {
        const auto spec = preset(row.key);
        EXPECT_TRUE(values::problemsIn(spec).empty()) << row.key;
        EXPECT_FALSE(spec.note.empty()) << row.key;
        EXPECT_EQ(row.title, spec.name);
        EXPECT_EQ(fromToml(toToml(spec), "again"), spec) << row.key;
        keys.insert(row.key);
    }
    for (const auto* key : {"first-minute", "first-minute-plain", "five-cups", "all-of-s3",
                            "all-of-s5", "word-swaps-s3", "word-swaps-s5"}) {
        EXPECT_TRUE(keys.contains(key)) << key;
    }
    try {
        (void)preset("nothing");
        ADD_FAILURE() << "a preset that there is not";
    } catch (const values::LabError& error) {
        EXPECT_THAT(error.what(), HasSubstr("first-minute"));
    }
}

TEST(Catalog, PresetsDifferInWhatTheyShow) {
    const auto first = preset("first-minute");
    ASSERT_EQ(first.models.size(), 2U);
    EXPECT_TRUE(first.models[0].negativeEigenvalues);
    EXPECT_FALSE(first.models[1].negativeEigenvalues);
    EXPECT_EQ(first.training.stages.back(), (values::TraceLength{32, 8}));
    EXPECT_EQ(first.evaluation.lengths.back(), (values::TraceLength{128, 32}));
    EXPECT_EQ(first.training.valueWeight, 1.0);
    EXPECT_EQ(first.training.otherWeight, 0.1);
    EXPECT_EQ(preset("first-minute-plain").training.otherWeight, 1.0);
    EXPECT_EQ(preset("all-of-s5").models[0].householders, 2);
}

TEST(Catalog, ListsTheArchitecturesThatASpecMayName) {
    for (const auto& row : architectures()) {
        values::ExperimentSpec spec;
        spec.models.front().architecture = row.key;
        EXPECT_TRUE(values::problemsIn(spec).empty()) << row.key;
        EXPECT_FALSE(row.title.empty() || row.summary.empty());
        EXPECT_GT(factsOf(spec.models.front(), spec.task).parameters, 0) << row.key;
    }
    EXPECT_EQ(architectures().size(), 9U);
}

TEST(Catalog, CountsTheFirstMinuteByHand) {
    const auto spec = preset("first-minute");
    const auto model = factsOf(spec.models[0], spec.task);
    // 13 tokens in and out of width 64; conv 4; q, k, v and beta of four heads; out; norms of 64,
    // 64 and 16 (shared by the heads); four beta biases.
    EXPECT_EQ(model.parameters,
              2 * 13 * 64 + 64 * 4 + 64 * (3 * 64 + 4) + 64 * 64 + 64 + 64 + 16 + 4);
    EXPECT_EQ(model.stateNumbers, 4 * 16 * 16 + 3 * 64);  // and the last three inputs of the conv
    EXPECT_THAT(model.kernel, HasSubstr("delta"));
    // The products of matrices alone: projection, out and read-out, twice each.
    EXPECT_GT(model.flopsPerToken, 2.0 * (64 * 196 + 64 * 64 + 64 * 13));
    const auto task = factsOf(spec);
    EXPECT_EQ(task.states, 6);
    EXPECT_EQ(task.inputTokens, 13);
    EXPECT_FALSE(task.commutative);
    EXPECT_TRUE(task.solvable);
    EXPECT_NEAR(task.chance, 1.0 / 3, 1e-12);
    ASSERT_GE(task.ceilings.size(), 4U);
    EXPECT_NEAR(task.ceilings[0], 1.0 / 3, 1e-12);
    EXPECT_NEAR(task.ceilings[1], 2.0 / 3, 1e-12);
    EXPECT_NEAR(task.ceilings[2], 8.0 / 9, 1e-12);
    EXPECT_EQ(task.lengths.back().tokens, 3 * 5 + 128 * 9 + 4 * 10);
    EXPECT_EQ(task.lengths.back().reveals, 4);
}

TEST(Catalog, KnowsTheGroupsOfWordProblems) {
    values::ExperimentSpec spec;
    spec.task.kind = values::TaskKind::kWordProblem;
    spec.task.group = "A5";
    EXPECT_EQ(factsOf(spec).states, 60);
    EXPECT_FALSE(factsOf(spec).solvable);
    spec.task.group = "Z12";
    EXPECT_TRUE(factsOf(spec).commutative);
    EXPECT_TRUE(factsOf(spec).ceilings.empty());
    spec.task.group = "Q8";
    EXPECT_THROW((void)factsOf(spec), values::LabError);
}

TEST(Catalog, SamplesAreTheSameForASeedAndDifferBetweenSeeds) {
    const values::TaskSpec task;
    EXPECT_EQ(sampleText(task, {8, 2}, 5), sampleText(task, {8, 2}, 5));
    EXPECT_NE(sampleText(task, {8, 2}, 5), sampleText(task, {8, 2}, 6));
    EXPECT_TRUE(sampleText(task, {8, 2}, 5).starts_with(">>> a = "));
}

TEST(Doctor, SaysWhatThereIsUnderStableKeys) {
    std::set<std::string> keys;
    for (const auto& line : doctor()) {
        EXPECT_FALSE(line.value.empty()) << line.key;
        EXPECT_TRUE(keys.insert(line.key).second) << line.key << " twice";
    }
    for (const auto* key :
         {"version", "cpu", "kernels", "libtorch", "blas", "cuda", "display", "store"}) {
        EXPECT_TRUE(keys.contains(key)) << key;
    }
    EXPECT_FALSE(version().empty());
}

TEST(BenchReport, IsOneJsonObjectWithNullForWhatDoesNotExist) {
    BenchReport report;
    report.bench = "b";
    report.goals = {{"a goal", "1 \"of\" 2", false}};
    report.rows = {{{"seed", std::int64_t{3}},
                    {"range", std::string("[0,1]")},
                    {"cpu_s_to_99_at_4x", std::nan("")},
                    {"samples_ms", std::vector<double>{1.5, 2}},
                    {"none", {}}}};
    const auto json = nlohmann::json::parse(toJson(report));
    EXPECT_EQ(json.at("bench"), "b");
    EXPECT_EQ(json.at("pass"), false);
    EXPECT_EQ(json.at("goals")[0].at("measured"), "1 \"of\" 2");
    const auto& row = json.at("rows")[0];
    EXPECT_EQ(row.at("seed"), 3);
    EXPECT_EQ(row.at("samples_ms"), nlohmann::json({1.5, 2.0}));
    EXPECT_TRUE(row.at("cpu_s_to_99_at_4x").is_null());
    EXPECT_TRUE(row.at("none").is_null());
    EXPECT_THAT(toTable(report), HasSubstr("[0,1]"));
}

TEST(Bench, KnowsItsNames) {
    try {
        (void)runBench("nothing", {});
        ADD_FAILURE() << "a bench that there is not";
    } catch (const values::LabError& error) {
        EXPECT_THAT(error.what(), HasSubstr("first-minute"));
        EXPECT_THAT(error.what(), HasSubstr("step"));
    }
}

}  // namespace
}  // namespace lab
