// The production code in float64 against outputs of published libraries (tests/golden).
#include "tests/kernels/golden.h"

#include "kernels/adamw.h"
#include "kernels/cross_entropy.h"
#include "kernels/gate.h"
#include "kernels/norm.h"
#include "tests/kernels/conv_support.h"
#include "tests/kernels/delta_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(Golden64);

constexpr double kTolerance = 1e-10;

/// [a, b, c, rest] -> [a, c, b, rest].
Numbers swapAxes(const Numbers& from, int a, int b, int c) {
    Numbers to;
    if (from.empty()) {
        return to;
    }
    const std::size_t rest = from.size() / static_cast<std::size_t>(a * b * c);
    for (int i = 0; i < a; ++i) {
        for (int k = 0; k < c; ++k) {
            for (int j = 0; j < b; ++j) {
                const auto at =
                    from.begin() + static_cast<std::ptrdiff_t>(
                                       static_cast<std::size_t>((i * b + j) * c + k) * rest);
                to.insert(to.end(), at, at + static_cast<std::ptrdiff_t>(rest));
            }
        }
    }
    return to;
}

struct DeltaGolden {
    std::string name;
    double scale = 0;  ///< 0: 1 / sqrt K
    int householders = 1;
    bool headMajor = false;  ///< the file is [B,H,T,D]
    double epsilon = -1;
};

const std::vector<DeltaGolden> kDeltaFiles{
    {"delta_rule_beta_0_1", 0, 1, true},
    {"delta_rule_beta_0_2", 0, 1, true},
    {"delta_rule_reflections", 0, 1, true},
    {"delta_rule_repeated_keys", 0, 1, true},
    {"delta_rule_overwrite", 0, 1, true},
    {"delta_rule_one_token", 0, 1, true},
    {"delta_rule_keys_not_normalised", 0, 1, true},
    {"gated_delta_rule"},
    {"gated_delta_rule_beta_0_2", 0.7},
    {"gated_delta_rule_strong_gates"},
    {"transformers_recurrent_gated_delta_rule", 0, 1, false, 1e-6},
    {"transformers_chunk_gated_delta_rule", 0, 1, false, 1e-6},
    {"delta_product_1", 1.0, 1},
    {"delta_product_2", 0.5, 2},
    {"delta_product_2_gated", 0.408248290463863, 2},
    {"delta_product_3_gated", 0.408248290463863, 3},
    {"delta_product_4", 1.0, 4},
};

TEST_P(Golden64, DeltaRulesAreThoseOfThePublishedLibraries) {
    for (const DeltaGolden& file : kDeltaFiles) {
        SCOPED_TRACE(file.name);
        const Golden golden("recurrences/" + file.name);
        const std::size_t time = file.headMajor ? 2 : 1;
        const std::size_t head = file.headMajor ? 1 : 2;
        DeltaProblem p{golden.extent("q", 0), golden.extent("q", time), golden.extent("q", head),
                       golden.extent("q", 3), golden.extent("v", 3),    file.householders};
        p.scale = file.scale > 0 ? file.scale : 1 / std::sqrt(p.keyDim);
        p.normaliseEpsilon = file.epsilon;
        const auto get = [&](const std::string& name) {
            const Numbers all = golden.values(name);
            return file.headMajor ? swapAxes(all, p.batch, p.heads, p.steps) : all;
        };
        p.q = get("q");
        p.k = get("k");
        p.v = get("v");
        p.beta = get("beta");
        p.gate = get("g");
        p.initialState = golden.values("initial_state");
        p.gradO = get("d.o");
        p.gradFinalState = golden.values("d.final_state");
        const auto run = runDelta<double>(p, {GetParam()});
        LAB_EXPECT_CLOSE(run.o, get("o"), kTolerance);
        LAB_EXPECT_CLOSE(run.finalState, golden.values("final_state"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradQ, get("grad.q"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradK, get("grad.k"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradV, get("grad.v"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradBeta, get("grad.beta"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradGate, get("grad.g"), kTolerance);
        if (!p.initialState.empty()) {
            LAB_EXPECT_CLOSE(run.gradInitialState, golden.values("grad.initial_state"), kTolerance);
        }
    }
}

TEST_P(Golden64, ALongWalkOfReflectionsEndsInThePublishedPermutation) {
    const Golden golden("recurrences/delta_rule_long_reflections");
    const Numbers swaps = golden.values("swaps");
    DeltaProblem p{1, static_cast<int>(swaps.size() / 2), 1, 5, 5};
    p.q.assign(swaps.size() / 2 * 5, 0.0);
    p.k = p.v = p.q;
    p.beta.assign(swaps.size() / 2, 2.0);
    for (std::size_t t = 0; t < swaps.size() / 2; ++t) {
        p.k[t * 5 + static_cast<std::size_t>(swaps[2 * t])] = std::sqrt(0.5);
        p.k[t * 5 + static_cast<std::size_t>(swaps[2 * t + 1])] = -std::sqrt(0.5);
    }
    p.initialState.assign(25, 0.0);
    for (std::size_t i = 0; i < 5; ++i) {
        p.initialState[i * 6] = 1.0;
    }
    const auto run = runDelta<double>(p, {GetParam(), {}, {}, {}, false});
    LAB_EXPECT_CLOSE(run.finalState, golden.values("exact_permutation_matrix"), kTolerance);
    LAB_EXPECT_CLOSE(run.finalState, golden.values("final_state"), kTolerance);
}

/// Files are [B,C,T].
TEST_P(Golden64, ConvolutionsAreThoseOfTorch) {
    for (const std::string name :
         {"causal_conv_2", "causal_conv_3", "causal_conv_4", "causal_conv_4_short"}) {
        SCOPED_TRACE(name);
        const Golden golden("modules/" + name);
        ConvProblem p{golden.extent("x", 0), golden.extent("x", 2), golden.extent("x", 1),
                      golden.extent("param.weight", 2)};
        const auto timeFirst = [&](const std::string& tensor) {
            return swapAxes(golden.values(tensor), p.batch, p.channels, p.steps);
        };
        p.silu = name != "causal_conv_4_short";
        p.x = timeFirst("x");
        p.weight = golden.values("param.weight");
        p.bias = golden.values("param.bias");
        p.gradY = timeFirst("d.output");
        const auto run = runConv<double>(p, {GetParam()});
        LAB_EXPECT_CLOSE(run.y, timeFirst("output"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradX, timeFirst("grad.x"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradWeight, golden.values("grad.weight"), kTolerance);
        if (!p.bias.empty()) {
            LAB_EXPECT_CLOSE(run.gradBias, golden.values("grad.bias"), kTolerance);
        }
    }
}

TEST_P(Golden64, NormsAreThoseOfTorch) {
    struct File {
        std::string name;
        Norm norm;
        double epsilon;
    };
    for (const auto& [name, norm, epsilon] :
         {File{"rms_norm_eps_1e-5", Norm::kRms, 1e-5},
          {"rms_norm_eps_1e-1", Norm::kRms, 1e-1},
          {"rms_norm_default_eps", Norm::kRms, std::numeric_limits<double>::epsilon()},
          {"layer_norm", Norm::kLayer, 1e-5},
          {"layer_norm_eps_1e-2", Norm::kLayer, 1e-2},
          {"layer_norm_no_bias", Norm::kLayer, 1e-5},
          {"layer_norm_plain", Norm::kLayer, 1e-5},
          {"l2_normalize", Norm::kL2, 1e-24}}) {
        SCOPED_TRACE(name);
        const Golden golden("modules/" + name);
        const Numbers x = golden.values("x"), weight = golden.values("param.weight");
        const Numbers bias = golden.values("param.bias");
        const auto width = static_cast<std::size_t>(golden.last("x"));
        const auto rows = x.size() / width;
        const auto stride = static_cast<std::int64_t>(width);
        const RowShape shape{static_cast<std::int64_t>(rows), static_cast<int>(width), stride,
                             stride};
        Numbers y(x.size()), inverse(rows), mean(rows), gradX(x.size());
        Numbers gradWeight(width), gradBias(width);
        Numbers workspace(normWorkspaceBytes(shape, true) / sizeof(double));
        const NormInputs<double> in{x.data(), weight.empty() ? nullptr : weight.data(),
                                    bias.empty() ? nullptr : bias.data()};
        ASSERT_EQ(normForward<double>(norm, shape, epsilon, in, y.data(),
                                      {inverse.data(), mean.data()}, GetParam()),
                  Status::kOk);
        const Numbers gradY = golden.values("d.output");
        ASSERT_EQ(
            normBackward<double>(norm, shape, in, {inverse.data(), mean.data()},
                                 {gradY.data(), gradX.data(), gradWeight.data(), gradBias.data()},
                                 workspace.data(), GetParam()),
            Status::kOk);
        LAB_EXPECT_CLOSE(y, golden.values("output"), kTolerance);
        LAB_EXPECT_CLOSE(gradX, golden.values("grad.x"), kTolerance);
        if (!weight.empty()) {
            LAB_EXPECT_CLOSE(gradWeight, golden.values("grad.weight"), kTolerance);
        }
        if (!bias.empty()) {
            LAB_EXPECT_CLOSE(gradBias, golden.values("grad.bias"), kTolerance);
        }
    }
}

/// The clipped one: |g| of all parameters, then the update with the scaled gradients.
TEST_P(Golden64, UpdatesAreThoseOfTorchsAdamW) {
    for (const bool clipped : {false, true}) {
        const Golden golden(clipped ? "modules/adamw_groups_clip" : "modules/adamw_decay");
        const std::vector<std::string> names{"W", "b", "s"};
        std::vector<Numbers> weight, first, second;
        for (const std::string& name : names) {
            const Numbers all = golden.values("param." + name);
            weight.emplace_back(all.begin(),
                                all.begin() + static_cast<std::ptrdiff_t>(all.size() / 11));
            first.emplace_back(all.size() / 11);
            second.emplace_back(all.size() / 11);
        }
        const Numbers rates = golden.values("lr");
        for (std::size_t step = 0; step < 10; ++step) {
            std::vector<Numbers> gradient;
            std::vector<ParameterSpan<double>> spans;
            std::vector<const double*> pointers;
            std::vector<std::int64_t> counts;
            for (std::size_t i = 0; i < names.size(); ++i) {
                const Numbers all = golden.values("grad_before_clipping." + names[i]);
                const auto n = static_cast<std::ptrdiff_t>(weight[i].size());
                const auto at = all.begin() + static_cast<std::ptrdiff_t>(step) * n;
                gradient.emplace_back(at, at + n);
            }
            for (std::size_t i = 0; i < names.size(); ++i) {
                spans.push_back({weight[i].data(), gradient[i].data(), first[i].data(),
                                 second[i].data(), static_cast<std::int64_t>(weight[i].size()),
                                 !clipped || names[i] == "W"});
                pointers.push_back(gradient[i].data());
                counts.push_back(spans.back().count);
            }
            double squares[3];
            ASSERT_EQ(sumsOfSquares<double>(pointers.data(), counts.data(), 3, squares, GetParam()),
                      Status::kOk);
            const double norm = std::sqrt(squares[0] + squares[1] + squares[2]);
            EXPECT_NEAR(norm, golden.values("gradient_norm_before_clipping")[step], 1e-12 * norm);
            AdamwOptions o{rates[step * rates.size() / 10],
                           0.9,
                           clipped ? 0.95 : 0.999,
                           clipped ? 1e-6 : 1e-8,
                           0.1,
                           1.0,
                           static_cast<std::int64_t>(step) + 1};
            if (clipped) {  // torch adds 1e-6 to the norm
                o.gradientScale = std::min(1.0, 1.0 / (norm + 1e-6));
            }
            ASSERT_EQ(adamwStep<double>(spans.data(), 3, o, GetParam()), Status::kOk);
            for (std::size_t i = 0; i < names.size(); ++i) {
                const Numbers all = golden.values("param." + names[i]);
                const auto n = static_cast<std::ptrdiff_t>(weight[i].size());
                const auto at = all.begin() + static_cast<std::ptrdiff_t>(step + 1) * n;
                LAB_EXPECT_CLOSE(weight[i], Numbers(at, at + n), kTolerance);
            }
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            LAB_EXPECT_CLOSE(first[i], golden.values("final.exp_avg." + names[i]), kTolerance);
            LAB_EXPECT_CLOSE(second[i], golden.values("final.exp_avg_sq." + names[i]), kTolerance);
        }
    }
}

TEST_P(Golden64, SiluIsThatOfTorch) {
    const Golden golden("modules/activations");
    const Numbers x = golden.values("x"), ones(x.size(), 1.0);
    const auto n = static_cast<std::int64_t>(x.size());
    const GateShape shape{1, n, n, n, n};
    Numbers y(x.size()), slope(x.size());
    ASSERT_EQ(siluGateForward<double>(shape, x.data(), nullptr, y.data(), GetParam()), Status::kOk);
    ASSERT_EQ(siluGateBackward<double>(shape, x.data(), nullptr, ones.data(), slope.data(), nullptr,
                                       GetParam()),
              Status::kOk);
    LAB_EXPECT_CLOSE(y, golden.values("silu"), kTolerance);
    LAB_EXPECT_CLOSE(slope, golden.values("grad.silu"), kTolerance);
}

TEST_P(Golden64, CrossEntropiesAreThoseOfTorch) {
    for (const std::string name : {"cross_entropy_none", "cross_entropy_extreme"}) {
        SCOPED_TRACE(name);
        const Golden golden("modules/" + name);
        const int rows = golden.extent("logits", 0), classes = golden.extent("logits", 1);
        std::vector<std::int64_t> target;
        for (const double index : golden.values("target")) {
            target.push_back(static_cast<std::int64_t>(index));
        }
        const Numbers logits = golden.values("logits"), upstream = golden.values("d.output");
        Numbers loss(target.size()), gradX(logits.size());
        ASSERT_EQ(crossEntropy<double>(rows, classes, logits.data(), target.data(), upstream.data(),
                                       loss.data(), gradX.data(), nullptr, GetParam()),
                  Status::kOk);
        LAB_EXPECT_CLOSE(loss, golden.values("output"), kTolerance);
        LAB_EXPECT_CLOSE(gradX, golden.values("grad.logits"), kTolerance);
    }
}

}  // namespace
}  // namespace lab::kernels::testing
