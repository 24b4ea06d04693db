#include <gmock/gmock.h>

#include "core/models/registry.h"
#include "core/values/lab_error.h"
#include "tests/core/models/variants.h"

namespace lab::models {
namespace {

using namespace lab::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::vector<std::uint8_t> generatorState() {
    const at::Tensor state = at::globalContext().defaultGenerator(at::kCPU).get_state();
    const auto* const bytes = state.const_data_ptr<std::uint8_t>();
    return {bytes, bytes + state.numel()};
}

TEST(Models, ReachTheRegistryByTheKeysThatASpecMayName) {
    values::ExperimentSpec spec;
    std::string keys;
    for (const Architecture& row : architectureTable()) {
        spec.models[0].architecture = row.key;
        EXPECT_THAT(values::problemsIn(spec), ::testing::IsEmpty()) << row.key;
        keys += (keys.empty() ? "" : ", ") + std::string(row.key);
    }
    spec.models[0].architecture = "perceptron";
    const auto problems = values::problemsIn(spec);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_THAT(problems[0].text, HasSubstr("must be one of " + keys));
    EXPECT_THROW((void)makeModel(configOf(spec.models[0])), values::LabError);
}

TEST(Models, OfTheShellGameHave18708Parameters) {
    // Recipe: embedding, norm, conv of 4, projection to q k v beta, bias of beta, head norm, out,
    // norm, read-out.
    constexpr std::int64_t kTokensOfThreeCups = 13;
    const ModelConfig config{
        .spec = {}, .inputs = kTokensOfThreeCups, .outputs = kTokensOfThreeCups};
    const std::int64_t d = 64;
    const std::int64_t heads = 4;
    const std::int64_t expected =
        13 * d + d + 4 * d + (3 * d + heads) * d + heads + d / heads + d * d + d + 13 * d;
    EXPECT_EQ(makeModel(config)->parameterCount(), expected);
    EXPECT_EQ(expected, 18'708);
    ModelConfig counted = config;
    counted.shapesOnly = true;
    EXPECT_EQ(makeModel(counted)->parameterCount(), expected);
}

TEST(EveryModel, StartsFromTheSeedAndLeavesLibTorchsGeneratorAlone) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        const auto before = generatorState();
        auto config = configOf(variant.spec);
        const auto one = makeModel(config);
        const auto two = makeModel(config);
        config.seed = 6;
        const auto other = makeModel(config);
        const auto gradients = lossOf(*one, someTokens(3, 10)).gradients;
        const auto again = lossOf(*two, someTokens(3, 10)).gradients;
        bool differs = false;
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            const Parameter& parameter = one->parameters()[i];
            EXPECT_TRUE(bitwiseEqual(parameter.value, two->parameters()[i].value))
                << parameter.name;
            EXPECT_TRUE(bitwiseEqual(gradients[i], again[i])) << parameter.name;
            EXPECT_EQ(parameter.decays,
                      parameter.value.dim() >= 2 && !parameter.name.ends_with("log_a"))
                << parameter.name;
            differs = differs || !bitwiseEqual(parameter.value, other->parameters()[i].value);
        }
        EXPECT_TRUE(differs);
        EXPECT_EQ(generatorState(), before);
    }
}

TEST(EveryModel, IsTheSameInBothPrecisionsUpToRounding) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        const auto single = makeModel(configOf(variant.spec, false));
        const auto fine = makeModel(configOf(variant.spec, true));
        const at::Tensor tokens = someTokens(3, 40);
        EXPECT_LE(difference(single->forward(tokens), fine->forward(tokens)), 1e-5);
        const auto a = lossOf(*single, tokens).gradients;
        const auto b = lossOf(*fine, tokens).gradients;
        for (std::size_t i = 0; i < a.size(); ++i) {
            EXPECT_LE(difference(a[i], b[i]), 1e-4) << single->parameters()[i].name;
        }
    }
}

TEST(EveryModel, CopiesItsWeightsToAnother) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        auto config = configOf(variant.spec);
        const auto from = makeModel(config);
        config.seed = 6;
        const auto to = makeModel(config);
        copyWeights(*from, *to);
        const at::Tensor tokens = someTokens(2, 12);
        EXPECT_TRUE(bitwiseEqual(from->forward(tokens), to->forward(tokens)));
    }
}

TEST(EveryModel, ReadsNothingOfTheFuture) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        const auto model = makeModel(configOf(variant.spec));
        at::Tensor tokens = someTokens(1, 20);
        const at::Tensor before = model->forward(tokens).narrow(1, 0, 12).clone();
        tokens.narrow(1, 12, 8).copy_(someTokens(1, 8, 77));
        EXPECT_TRUE(bitwiseEqual(model->forward(tokens).narrow(1, 0, 12), before));
    }
}

TEST(EveryModel, CountsMoreWorkThanItsMatrixProductsAlone) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        const auto model = makeModel(configOf(variant.spec));
        double products = 0;
        for (const Parameter& parameter : model->parameters()) {
            const bool looked_up =
                parameter.name == "embed.weight" || parameter.name == "position.weight";
            if (parameter.value.dim() == 2 && !looked_up) {
                products += 2 * static_cast<double>(parameter.value.numel());
            }
        }
        EXPECT_GT(model->flopsPerToken(100), products);
        EXPECT_LT(model->flopsPerToken(100), 3 * products);
    }
}

TEST(Models, DrawTheirFirstWeightsFromTheDistributionsOfTheRecipe) {
    ModelConfig config;
    config.spec.width = 128;
    config.inputs = config.outputs = 200;
    const auto model = makeModel(config);
    for (const Parameter& parameter : model->parameters()) {
        const at::Tensor x = parameter.value.detach();
        const double mean = x.mean().item<double>();
        const double rms = x.square().mean().sqrt().item<double>();
        const double count = static_cast<double>(x.numel());
        // Five standard errors of mean and root mean square.
        if (parameter.name == "embed.weight") {
            EXPECT_NEAR(mean, 0, 5 / std::sqrt(count));
            EXPECT_NEAR(rms, 1, 5 / std::sqrt(2 * count));
        } else if (x.dim() == 2) {
            const double bound =
                parameter.name.ends_with("conv.weight") ? 0.5 : 1 / std::sqrt(128.0);
            EXPECT_NEAR(rms / bound, 1 / std::sqrt(3.0), 5 / std::sqrt(count)) << parameter.name;
            EXPECT_LE(x.abs().max().item<double>(), bound) << parameter.name;
        } else {
            const double value = parameter.name.ends_with("beta.bias") ? 0 : 1;
            EXPECT_TRUE(at::equal(x, at::full_like(x, value))) << parameter.name;
        }
    }
}

TEST(Models, ComputeTheDeltaRuleAlikeInEveryImplementation) {
    for (const Variant& variant : everyVariant()) {
        if (variant.spec.architecture != "delta_net") {
            continue;
        }
        auto config = configOf(variant.spec, true);
        const at::Tensor tokens = someTokens(3, 45);
        const auto kernel = makeModel(config);
        EXPECT_THAT(kernel->kernelName(), StartsWith("delta."));
        const at::Tensor logits = kernel->forward(tokens);
        const auto expected = lossOf(*kernel, tokens);
        for (const auto implementation :
             {DeltaImplementation::kLoopMatmul, DeltaImplementation::kLoopSum,
              DeltaImplementation::kChunk16, DeltaImplementation::kChunk32,
              DeltaImplementation::kChunk64}) {
            config.deltaImplementation = implementation;
            const auto peer = makeModel(config);
            EXPECT_EQ(peer->kernelName(), "");
            EXPECT_LE(difference(peer->forward(tokens), logits), 1e-10) << variant.name;
            const auto ours = lossOf(*peer, tokens);
            EXPECT_NEAR(ours.loss, expected.loss, 1e-12);
            for (std::size_t i = 0; i < ours.gradients.size(); ++i) {
                EXPECT_LE(difference(ours.gradients[i], expected.gradients[i]), 1e-9)
                    << variant.name << " " << peer->parameters()[i].name;
            }
        }
    }
}

TEST(Models, TrainAlikeOnAnyNumberOfThreads) {
    for (const Variant& variant : everyVariant()) {
        auto config = configOf(variant.spec);
        const auto one = makeModel(config);
        config.threads = 3;
        const auto three = makeModel(config);
        EXPECT_EQ(train(*one, 3), train(*three, 3)) << variant.name;
    }
}

TEST(Models, NameASequenceLongerThanTheirLearnedPositions) {
    auto spec = smallSpec("transformer");
    spec.position = values::PositionCode::kLearned;
    spec.maxSteps = 8;
    const auto model = makeModel(configOf(spec));
    EXPECT_NO_THROW((void)model->forward(someTokens(1, 8)));
    EXPECT_THROW((void)model->forward(someTokens(1, 9)), values::LabError);
    State state = model->initialState(1);
    (void)model->advance(someTokens(1, 8), state);
    EXPECT_THROW((void)model->step(someTokens(1, 1).select(1, 0), state), values::LabError);
}

}  // namespace
}  // namespace lab::models
