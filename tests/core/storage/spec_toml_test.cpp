#include "core/storage/spec_toml.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/values/lab_error.h"
#include "tests/core/storage/scratch_folder.h"

namespace lab::storage {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using values::ExperimentSpec;
using values::LabError;

std::string refusalOf(std::string_view text) {
    try {
        static_cast<void>(fromToml(text, "x.toml"));
    } catch (const LabError& error) {
        EXPECT_EQ(error.kind(), LabError::Kind::kInvalidInput);
        return error.what();
    }
    return "accepted";
}

/// Every field differs from its default.
ExperimentSpec unusualSpec() {
    ExperimentSpec spec;
    spec.name = "a \"name\" \\ with\nlines, \t and \xED\x95\x9C";
    spec.note = "\x7F\x01";
    spec.seed = 18446744073709551615U;
    spec.task = {values::TaskKind::kWordProblem,
                 5,
                 values::CommandSet::kPermutations,
                 values::RevealPolicy::kFixed,
                 3,
                 true,
                 false,
                 "A5xZ2"};
    values::ModelSpec model;
    model.name = "one";
    model.architecture = "transformer";
    model.width = 48;
    model.layers = 3;
    model.heads = 6;
    model.mlp = true;
    model.negativeEigenvalues = false;
    model.householders = 2;
    model.betaSlope = 1.0 / 3.0;
    model.keyActivation = values::KeyActivation::kSilu;
    model.convWidth = 0;
    model.gate = true;
    model.normEpsilon = 1e-7;
    model.position = values::PositionCode::kLearned;
    model.maxSteps = 77;
    spec.models = {model, values::ModelSpec{}};
    spec.training = {87654321, 999, 5e-4, 7,   0.25,  0.125, 0.8,
                     0.95,     0.0, 2.0,  3.0, 0.625, {},    false,
                     0.9,      3,   11,   22,  1.0,   2,     values::Device::kCuda};
    spec.training.stages = {{3, 1}, {9, 3}};
    spec.evaluation = {{{5, 5}}, 17, 9};
    return spec;
}

TEST(SpecToml, WhatIsWrittenIsReadBack) {
    EXPECT_EQ(fromToml(toToml(ExperimentSpec{}), "x.toml"), ExperimentSpec{});
    EXPECT_EQ(fromToml(toToml(unusualSpec()), "x.toml"), unusualSpec());
}

TEST(SpecToml, AMissingKeyHasItsDefault) {
    EXPECT_EQ(fromToml("", "x.toml"), ExperimentSpec{});
}

TEST(SpecToml, AFileWrittenByHandMeansWhatItSays) {
    const ExperimentSpec spec = fromToml(R"(
        schema = 1
        name = "by hand"
        seed = "9223372036854775808"
        [task]
        kind = "word_problem"
        group = "S5"
        [[model]]
        architecture = "lstm"
        [[model]]
        beta_slope = 2        # a whole number where a real one is meant
        [training]
        stages = [[4, 1], [8, 2]]
        device = "cuda"
        [evaluation]
        seed = 5
    )",
                                         "x.toml");
    ExperimentSpec expected;
    expected.name = "by hand";
    expected.seed = 1ULL << 63U;
    expected.task.kind = values::TaskKind::kWordProblem;
    expected.task.group = "S5";
    expected.models.resize(2);
    expected.models[0].architecture = "lstm";
    expected.models[1].betaSlope = 2.0;
    expected.training.stages = {{4, 1}, {8, 2}};
    expected.training.device = values::Device::kCuda;
    expected.evaluation.seed = 5;
    EXPECT_EQ(spec, expected);
}

TEST(SpecToml, ARefusalNamesLineColumnAndField) {
    const auto expect = [](std::string_view text, const std::string& message) {
        EXPECT_EQ(refusalOf(text), message) << text;
    };
    expect("seed = -1",
           "x.toml:1:8: seed is -1, must be a whole number from 0 to 2^64 - 1 (above 2^63 - 1 as "
           "text)");
    expect("\n[task]\nvariables = 9\n",
           "x.toml:3:13: task.variables is 9, must be between 2 and 8");
    expect("[task]\nkind = \"chess\"\n",
           "x.toml:2:8: task.kind is \"chess\", must be one of repl, word_problem");
    expect("[training]\nsteps = 10.5\n",
           "x.toml:2:9: training.steps is 10.5, must be a whole number");
    expect(
        "[training]\nthreads = 3000000000\n",
        "x.toml:2:11: training.threads is 3000000000, must be a whole number of at most 32 bits");
    expect("[training]\nstages = [[4, 1], [2, 3]]\n",
           "x.toml:2:23: training.stages[1].spacing is 3, must be between 1 and 2");
    expect("[training]\nstages = [[4, 1], 7]\n",
           "x.toml:2:19: training.stages[1] is 7, must be [commands, spacing]");
    expect("[[model]]\n[[model]]\nheads = 5\n",
           "x.toml:3:9: models[1].heads is 5, must divide the width 64");
    expect("[model]\nheads = 5\n",
           "x.toml:1:1: model is a table, must be a table for each model: write [[model]]");
    expect("task = 3\n", "x.toml:1:8: task is 3, must be a table: write [task]");
    expect("[[model]]\nmlp = 1\n", "x.toml:2:7: models[0].mlp is 1, must be true or false");
    expect("name = 2023-01-01\n", "x.toml:1:8: name is a date or time, must be a text");
    EXPECT_THAT(refusalOf("[training]\nsteps = = 3\n"), HasSubstr("x.toml:2:9: "));
}

TEST(SpecToml, ARefusalListsEveryProblemInTheOrderOfTheText) {
    EXPECT_EQ(refusalOf("[training]\nsteps = 0\nbeta1 = \"x\"\n[task]\nvariables = 1\n"),
              "x.toml:2:9: training.steps is 0, must be between 1 and 100000000\n"
              "x.toml:3:9: training.beta1 is \"x\", must be a number\n"
              "x.toml:5:13: task.variables is 1, must be between 2 and 8");
}

TEST(SpecToml, AProblemOfAMissingKeyPointsAtItsTable) {
    EXPECT_EQ(refusalOf("[[model]]\n\n[[model]]\nwidth = 30\n"),
              "x.toml:3:1: models[1].heads is 4, must divide the width 30");
}

TEST(SpecToml, WhereTheTomlLibraryBreaksOffTheTextIsRefused) {
    EXPECT_EQ(refusalOf("[task]\n[.]\n"), "x.toml:2:2: this character may not stand here");
    EXPECT_EQ(refusalOf("seed = 1\n[\n]\n"), "x.toml:2:2: this character may not stand here");
    EXPECT_THAT(refusalOf("name = \xC3\xA9"), HasSubstr("x.toml:1:8: "));
    EXPECT_EQ(fromToml("name = \"\"\"a\\\n  \xC3\xA9\"\"\"", "x.toml").name, "a\xC3\xA9");
}

TEST(SpecToml, ANewerSchemaIsRefusedWithWhatToDo) {
    EXPECT_EQ(refusalOf("schema = 2\nseed = \"of another kind\"\n"),
              "x.toml:1:10: schema is 2, but this program reads 1: update Thimblerig to open this "
              "file");
    EXPECT_EQ(refusalOf("schema = \"one\"\n"), "x.toml:1:10: schema is \"one\", must be 1");
}

TEST(SpecToml, UnknownKeysAreNamedAndWrittenBack) {
    const std::string text = R"(
        colour = "blue"
        "odd key" = [1, { a = 1979-05-27T07:32:00Z }]
        [task]
        sead = 3
        [[model]]
        [[model]]
        width = 32
        extra = { deep = { er = "x" } }
        [lesson]
        steps = [ { say = "hi" } ]
    )";
    EXPECT_THAT(unknownKeysIn(text, "x.toml"),
                testing::UnorderedElementsAre(
                    "x.toml:5:9: task.sead is not a key that this program knows",
                    "x.toml:9:9: models[1].extra is not a key that this program knows",
                    "x.toml:2:9: colour is not a key that this program knows",
                    "x.toml:3:9: odd key is not a key that this program knows",
                    "x.toml:10:10: lesson is not a key that this program knows"));
    ExperimentSpec spec = fromToml(text, "x.toml");
    spec.seed = 99;
    const std::string once = toToml(spec, text);
    EXPECT_EQ(fromToml(once, "x.toml"), spec);
    EXPECT_EQ(unknownKeysIn(once, "x.toml").size(), 5U);
    EXPECT_THAT(once, HasSubstr("colour = \"blue\"\n"));
    EXPECT_THAT(once, HasSubstr("\"odd key\" = [ 1, { a = 1979-05-27T07:32:00Z } ]\n"));
    EXPECT_THAT(once, HasSubstr("sead = 3\n"));
    EXPECT_THAT(once, HasSubstr("extra = { deep = { er = \"x\" } }\n"));
    EXPECT_EQ(toToml(spec, once), once);
}

TEST(SpecToml, ASettingChangesOneFieldAndIsChecked) {
    ExperimentSpec spec;
    spec.models.resize(2);
    spec = withSetting(spec, "training.steps=100");
    spec = withSetting(spec, "task.commands=permutations");
    spec = withSetting(spec, "model[1].width=32");
    spec = withSetting(spec, "model.layers=2");
    spec = withSetting(spec, "evaluation.lengths=[[8, 2]]");
    spec = withSetting(spec, "name=two words");
    ExperimentSpec expected;
    expected.models.resize(2);
    expected.training.steps = 100;
    expected.task.commands = values::CommandSet::kPermutations;
    expected.models[1].width = 32;
    expected.models[0].layers = expected.models[1].layers = 2;
    expected.evaluation.lengths = {{8, 2}};
    expected.name = "two words";
    EXPECT_EQ(spec, expected);

    const auto refusal = [&](std::string_view assignment) -> std::string {
        try {
            static_cast<void>(withSetting(spec, assignment));
        } catch (const LabError& error) {
            return error.what();
        }
        return "accepted";
    };
    EXPECT_EQ(refusal("training.stepz=1"),
              "setting training.stepz=1: there is no key training.stepz");
    EXPECT_EQ(refusal("model[2].width=8"),
              "setting model[2].width=8: there is no key model[2].width");
    EXPECT_EQ(refusal("training.steps=0"),
              "setting training.steps=0: training.steps is 0, must be between 1 and 100000000");
    EXPECT_EQ(refusal("training.steps=many"),
              "setting training.steps=many: training.steps is \"many\", must be a whole number");
    EXPECT_THAT(refusal("seed"), HasSubstr("must be KEY=VALUE"));
    EXPECT_THAT(refusal("name=\xFF"), HasSubstr("setting name="));
    EXPECT_THAT(refusal("seed=1\ntraining=2"), HasSubstr("seed is \"1\ntraining=2\""));
}

TEST(SpecToml, EveryPresetIsReadWithoutAnUnknownKey) {
    const auto folder = std::filesystem::path(LAB_GOLDEN_DIR) / "../../resources/presets";
    int presets = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string text = contentOf(entry.path());
        const std::string name = entry.path().filename().string();
        EXPECT_THAT(unknownKeysIn(text, name), testing::IsEmpty());
        EXPECT_NE(fromToml(text, name).note, "") << name;
        ++presets;
    }
    EXPECT_GE(presets, 5);
}

TEST(SpecToml, EveryKeyIsInTheDocumentation) {
    std::ifstream file(std::string(LAB_GOLDEN_DIR) + "/../../docs/experiment.md");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::istringstream lines(toToml(ExperimentSpec{}));
    int keys = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto equals = line.find(" = ");
        if (equals != std::string::npos) {
            ++keys;
            EXPECT_THAT(text, HasSubstr("`" + line.substr(0, equals) + "`"));
        }
    }
    EXPECT_GT(keys, 40);
}

}  // namespace
}  // namespace lab::storage
