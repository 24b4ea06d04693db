#include <gmock/gmock.h>

#include "tests/core/models/variants.h"

namespace lab::models {
namespace {

using namespace lab::testing;
using ::testing::Key;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAreArray;

std::vector<std::string> expectedSites(const values::ModelSpec& spec) {
    std::vector<std::string> inside{"in", "mixer.out", "out"};
    const auto add = [&](std::initializer_list<const char*> names) {
        inside.insert(inside.end(), names.begin(), names.end());
    };
    if (spec.mlp) {
        add({"mlp.out"});
    }
    if (spec.architecture == "delta_net") {
        add({"q", "k", "v", "beta", "state_norm"});
        if (spec.gate) {
            add({"decay"});
        }
    } else if (spec.architecture == "transformer") {
        add({"q", "k", "v", "pattern"});
    } else if (spec.architecture == "gla") {
        add({"q", "k", "v", "decay", "state_norm"});
    } else if (spec.architecture == "mamba") {
        add({"delta"});
    } else if (spec.architecture == "mamba2") {
        add({"delta", "decay", "state_norm"});
    } else if (spec.architecture == "slstm") {
        add({"i", "f", "z", "o", "c", "h"});
    } else if (spec.architecture == "lstm") {
        add({"i", "f", "g", "o", "c", "h"});
    } else if (spec.architecture == "gru") {
        add({"r", "z", "n", "h"});
    } else {
        add({"h"});
    }
    std::vector<std::string> sites{"embed", "final_norm", "logits"};
    for (int layer = 0; layer < spec.layers; ++layer) {
        for (const std::string& name : inside) {
            sites.push_back("block." + std::to_string(layer) + "." + name);
        }
    }
    return sites;
}

TEST(EveryTap, IsThereAndChangesNoBitOfTheLogits) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        const auto model = makeModel(configOf(variant.spec));
        const at::Tensor tokens = someTokens(2, 15);
        const at::Tensor plain = model->forward(tokens);
        Taps taps;
        model->watchHeads(true);
        const at::Tensor watched = model->forward(tokens, &taps);
        EXPECT_TRUE(bitwiseEqual(watched, plain));
        std::vector<std::string> names;
        for (const auto& [name, value] : taps.values()) {
            names.push_back(name);
            EXPECT_FALSE(value.requires_grad()) << name;
            EXPECT_EQ(value.size(0), 2) << name;
        }
        EXPECT_THAT(names, UnorderedElementsAreArray(expectedSites(variant.spec)));
        EXPECT_TRUE(bitwiseEqual(taps.values().at("logits"), plain));
        EXPECT_TRUE(bitwiseEqual(taps.values().at("embed"), taps.values().at("block.0.in")));
    }
}

TEST(EveryTap, OfTheResidualStreamAddsUp) {
    for (const Variant& variant : everyVariant()) {
        SCOPED_TRACE(variant.name);
        const auto model = makeModel(configOf(variant.spec, true));
        Taps taps;
        (void)model->forward(someTokens(2, 15), &taps);
        const auto at = [&](const std::string& name) { return taps.values().at(name); };
        for (int layer = 0; layer < variant.spec.layers; ++layer) {
            const std::string block = "block." + std::to_string(layer) + ".";
            at::Tensor sum = at(block + "in") + at(block + "mixer.out");
            if (variant.spec.mlp) {
                sum = sum + at(block + "mlp.out");
            }
            EXPECT_LE(difference(sum, at(block + "out")), kDoubleTolerance) << layer;
        }
    }
}

TEST(Taps, CollectOnlyWhatIsWanted) {
    const auto model = makeModel(configOf(smallSpec("delta_net")));
    Taps taps([](const std::string& site) { return site == "block.0.beta"; });
    (void)model->forward(someTokens(2, 15), &taps);
    EXPECT_THAT(taps.values(), ::testing::ElementsAre(Key("block.0.beta")));
}

TEST(Taps, ShowKeysOfUnitLengthAndTheNormOfTheCarriedState) {
    for (const Variant& variant : everyVariant()) {
        if (variant.spec.architecture != "delta_net") {
            continue;
        }
        const auto model = makeModel(configOf(variant.spec, true));
        const at::Tensor tokens = someTokens(2, 12);
        Taps taps;
        (void)model->forward(tokens, &taps);
        const auto sites = taps.values();
        for (const char* name : {"block.0.q", "block.0.k"}) {
            const at::Tensor lengths = sites.at(name).norm(2, -1);
            EXPECT_LE(difference(lengths, at::ones_like(lengths)), 1e-3) << variant.name;
        }
        const double range = variant.spec.negativeEigenvalues ? 2 : 1;
        EXPECT_LE(sites.at("block.0.beta").max().item<double>(), range);
        // Token by token the state itself is at hand.
        State state = model->initialState(2);
        for (std::int64_t t = 0; t < tokens.size(1); ++t) {
            (void)model->step(tokens.select(1, t), state);
            const at::Tensor norm = state[0].flatten(2).norm(2, 2);
            EXPECT_LE(difference(sites.at("block.0.state_norm").select(1, t), norm), 1e-6)
                << variant.name << " " << t;
        }
    }
}

TEST(Taps, OfGatesAreTheGatesOfTheEquations) {
    const auto model = makeModel(configOf(smallSpec("lstm"), true));
    Taps taps;
    (void)model->forward(someTokens(2, 12), &taps);
    const auto site = [&](const char* name) {
        return taps.values().at(std::string("block.0.") + name);
    };
    const at::Tensor before =
        at::cat({at::zeros_like(site("c").narrow(1, 0, 1)), site("c").narrow(1, 0, 11)}, 1);
    EXPECT_LE(difference(site("f") * before + site("i") * site("g"), site("c")), kDoubleTolerance);
    EXPECT_LE(difference(site("o") * site("c").tanh(), site("h")), kDoubleTolerance);

    const auto gru = makeModel(configOf(smallSpec("gru"), true));
    Taps gruTaps;
    (void)gru->forward(someTokens(2, 12), &gruTaps);
    const auto gruSite = [&](const char* name) {
        return gruTaps.values().at(std::string("block.0.") + name);
    };
    const at::Tensor h = gruSite("h");
    const at::Tensor hBefore = at::cat({at::zeros_like(h.narrow(1, 0, 1)), h.narrow(1, 0, 11)}, 1);
    EXPECT_LE(difference((1 - gruSite("z")) * gruSite("n") + gruSite("z") * hBefore, h),
              kDoubleTolerance);
}

TEST(HeadReadings, SummariseBetaAndTheLastState) {
    auto spec = smallSpec("delta_net");
    spec.layers = 2;
    spec.betaSlope = 8;  // so that some betas come near 2
    const auto model = makeModel(configOf(spec, true));
    const at::Tensor tokens = someTokens(4, 25);
    (void)model->forward(tokens);
    EXPECT_TRUE(model->headReadings().empty());
    model->watchHeads(true);
    Taps taps;
    (void)model->forward(tokens, &taps);
    ASSERT_EQ(model->headReadings().size(), 6U);
    double nearTwo = 0;
    for (const values::HeadReading& reading : model->headReadings()) {
        const std::string block = "block." + std::to_string(reading.layer) + ".";
        const at::Tensor beta = taps.values().at(block + "beta").select(2, reading.head);
        const at::Tensor norm = taps.values().at(block + "state_norm").select(2, reading.head);
        EXPECT_NEAR(reading.betaMean, beta.mean().item<double>(), 1e-12);
        EXPECT_EQ(reading.betaMax, beta.max().item<double>());
        EXPECT_NEAR(reading.betaNearTwo, beta.gt(1.9).to(at::kDouble).mean().item<double>(), 1e-12);
        EXPECT_NEAR(reading.stateNorm, norm.select(1, 24).mean().item<double>(), 1e-5);
        nearTwo += reading.betaNearTwo;
    }
    EXPECT_GT(nearTwo, 0);
    const auto recurrent = makeModel(configOf(smallSpec("lstm")));
    recurrent->watchHeads(true);
    (void)recurrent->forward(tokens);
    EXPECT_TRUE(recurrent->headReadings().empty());
}

at::Tensor parameterNamed(const SequenceModel& model, const std::string& name) {
    for (const Parameter& parameter : model.parameters()) {
        if (parameter.name == name) {
            return parameter.value;
        }
    }
    ADD_FAILURE() << "no parameter " << name;
    return {};
}

TEST(FirstNonFinite, NamesTheLayerAndTheHead) {
    auto spec = smallSpec("delta_net");
    spec.layers = 2;
    const auto model = makeModel(configOf(spec));
    const at::Tensor tokens = someTokens(3, 20);
    EXPECT_EQ(firstNonFinite(*model, tokens), std::nullopt);
    {
        // Rows of W: q, k, v of 24 each, three heads of 8. Finite weights, infinite values.
        const c10::NoGradGuard noGrad;
        parameterNamed(*model, "block.1.mixer.projection.weight").narrow(0, 48 + 8, 8).fill_(3e38);
    }
    const auto fault = firstNonFinite(*model, tokens);
    ASSERT_TRUE(fault);
    EXPECT_THAT(*fault, StartsWith("block.1.v, head 1, token "));
    {
        const c10::NoGradGuard noGrad;
        parameterNamed(*model, "readout.weight")[2][3] = NAN;
    }
    EXPECT_EQ(firstNonFinite(*model, tokens), "parameter readout.weight");
}

}  // namespace
}  // namespace lab::models
