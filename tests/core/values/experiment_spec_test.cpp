#include "core/values/experiment_spec.h"

#include <gmock/gmock.h>

namespace lab::values {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

TEST(ExperimentSpec, DefaultsHaveNoProblem) {
    EXPECT_THAT(problemsIn({}), IsEmpty());
}

TEST(ExperimentSpec, EveryProblemIsListedInFieldOrder) {
    ExperimentSpec spec;
    spec.task.variables = 9;
    spec.models.push_back({});
    spec.models[1].heads = 5;
    spec.training.steps = 0;
    spec.evaluation.lengths.clear();

    EXPECT_THAT(problemsIn(spec), ElementsAre(Field(&Problem::field, "task.variables"),
                                              Field(&Problem::field, "models[1].heads"),
                                              Field(&Problem::field, "training.steps"),
                                              Field(&Problem::field, "evaluation.lengths")));
}

TEST(ExperimentSpec, MessagesNameTheValueAndTheRange) {
    ExperimentSpec spec;
    spec.task.variables = 1;

    EXPECT_EQ(problemsIn(spec).at(0).text, "is 1, must be between 2 and 8");
}

TEST(ExperimentSpec, GroupNamesAreProductsOfKnownGroups) {
    ExperimentSpec spec;
    spec.task.kind = TaskKind::kWordProblem;
    for (const char* good : {"S3", "A5", "Z60", "A5xZ2", "S3xS3xZ7", "Z120"}) {
        spec.task.group = good;
        EXPECT_THAT(problemsIn(spec), IsEmpty()) << good;
    }
    for (const char* bad : {"", "S9", "A4x", "x", "Z1", "Z121", "S3x", "xS3", "S3xQ8"}) {
        spec.task.group = bad;
        EXPECT_THAT(problemsIn(spec), ElementsAre(Field(&Problem::field, "task.group"))) << bad;
    }
}

TEST(ExperimentSpec, NamesRoundTrip) {
    for (const auto name : namesOf<CommandSet>()) {
        EXPECT_EQ(nameOf(fromName<CommandSet>(name).value()), name);
    }
    EXPECT_EQ(fromName<CommandSet>("juggle"), std::nullopt);
}

TEST(ExperimentSpec, ABudgetOfAModelIsThatOfItsRun) {
    ExperimentSpec spec;
    spec.training.steps = 100;
    spec.models.resize(2);
    spec.models[1].steps = 700;

    EXPECT_EQ(onlyModel(spec, 0).training.steps, 100);
    EXPECT_EQ(onlyModel(spec, 1).training.steps, 700);
    EXPECT_EQ(onlyModel(onlyModel(spec, 1), 0), onlyModel(spec, 1));
}

TEST(ExperimentSpec, ADisplayNameTellsTheEigenvalueRange) {
    ModelSpec model;
    EXPECT_EQ(displayName(model), "DeltaNet [-1,1]");
    model.negativeEigenvalues = false;
    model.householders = 2;
    EXPECT_EQ(displayName(model), "DeltaNet [0,1] n_h 2");
    model.name = "mine";
    EXPECT_EQ(displayName(model), "mine");
}

}  // namespace
}  // namespace lab::values
