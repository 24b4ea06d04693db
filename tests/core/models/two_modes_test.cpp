// Every architecture reads a whole sequence and token by token with the same result.
#include <gtest/gtest.h>

#include "tests/core/models/variants.h"

namespace lab::models {
namespace {

using namespace lab::testing;

constexpr std::int64_t kSteps = 2000;
constexpr double kDoubleLimit = 1e-10;  // the two limits that the lab promises
constexpr double kFloatLimit = 1e-5;

at::Tensor stepByStep(SequenceModel& model, const at::Tensor& tokens) {
    State state = model.initialState(tokens.size(0));
    std::vector<at::Tensor> logits;
    for (const at::Tensor& column : tokens.unbind(1)) {
        logits.push_back(model.step(column, state));
    }
    return at::stack(logits, 1);
}

/// In pieces of one, two, five, ... tokens.
at::Tensor inPieces(SequenceModel& model, const at::Tensor& tokens) {
    State state = model.initialState(tokens.size(0));
    std::vector<at::Tensor> logits;
    std::int64_t length = 1;
    for (std::int64_t at = 0; at < tokens.size(1); at += length) {
        length = std::min(at + at / 2 + 1, tokens.size(1) - at);
        logits.push_back(model.advance(tokens.narrow(1, at, length), state));
    }
    return at::cat(logits, 1);
}

class TwoModes : public ::testing::TestWithParam<Variant> {};

TEST_P(TwoModes, AgreeOver2000TokensBeforeAndAfterTraining) {
    for (const bool doublePrecision : {true, false}) {
        const auto model = makeModel(configOf(GetParam().spec, doublePrecision));
        const at::Tensor tokens = someTokens(2, kSteps);
        for (const bool trained : {false, true}) {
            if (trained) {
                const double before = lossOf(*model, someTokens(8, 24)).loss;
                EXPECT_LT(train(*model, 40), before);
            }
            const c10::NoGradGuard noGrad;
            const at::Tensor whole = model->forward(tokens);
            ASSERT_EQ(whole.sizes(), at::IntArrayRef({2, kSteps, kClasses}));
            const double limit = doublePrecision ? kDoubleLimit : kFloatLimit;
            EXPECT_LE(difference(stepByStep(*model, tokens), whole), limit) << trained;
            EXPECT_LE(difference(inPieces(*model, tokens), whole), limit) << trained;
        }
    }
}

TEST(TwoModesOfEveryModel, LeaveAnEarlierStateAsItWas) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        const auto model = makeModel(configOf(variant.spec));
        State state = model->initialState(2);
        (void)model->advance(someTokens(2, 9), state);
        const State kept = state;
        State copies;
        for (const at::Tensor& tensor : state) {
            copies.push_back(tensor.clone());
        }
        const at::Tensor first = model->step(someTokens(2, 1).select(1, 0), state);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            EXPECT_TRUE(bitwiseEqual(kept[i], copies[i])) << i;
        }
        State fork = kept;
        EXPECT_TRUE(bitwiseEqual(model->step(someTokens(2, 1).select(1, 0), fork), first));
    }
}

TEST(TwoModesOfEveryModel, CarryAsManyNumbersAsTheySay) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        const auto model = makeModel(configOf(variant.spec));
        State state = model->initialState(1);
        (void)model->advance(someTokens(1, 9), state);
        std::int64_t numbers = 0;
        for (const at::Tensor& tensor : state) {
            numbers += at::isFloatingType(tensor.scalar_type()) ? tensor.numel() : 0;
        }
        EXPECT_EQ(model->stateNumbers(9), numbers);
    }
}

INSTANTIATE_TEST_SUITE_P(All, TwoModes, ::testing::ValuesIn(everyVariant()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace lab::models
