#include <gmock/gmock.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>

#include "core/ops/delta_rule.h"
#include "core/ops/delta_rule_peers.h"
#include "core/ops/rms_norm.h"
#include "core/ops/short_conv.h"
#include "kernels/thread_pool.h"
#include "tests/core/models/tensors.h"

namespace lab::ops {
namespace {

using lab::testing::bitwiseEqual;
using lab::testing::difference;
using lab::testing::golden;
using lab::testing::kDoubleTolerance;
using lab::testing::random;

struct Case {
    std::int64_t steps = 13, householders = 1;
    bool gated = false, continued = false;
    double epsilon = -1;
};

/// Keys and values are strided views of one buffer, queries are transposed, and where keys are
/// taken as they are they have unit length.
DeltaArguments argumentsOf(const Case& c) {
    constexpr std::int64_t kBatch = 2;
    constexpr std::int64_t kHeads = 3;
    constexpr std::int64_t kKey = 5;
    constexpr std::int64_t kValue = 4;
    const auto rows = c.steps * c.householders;
    const at::Tensor buffer = random({kBatch, rows, kHeads, kKey + kValue + 2}, 1);
    DeltaArguments in;
    in.q = random({kBatch, kHeads, c.steps, kKey}, 2).transpose(1, 2);
    in.k = buffer.narrow(3, 0, kKey);
    if (c.epsilon < 0) {
        in.k = in.k / in.k.norm(2, -1, true);
    }
    in.v = buffer.narrow(3, kKey, kValue);
    in.beta = 2 * at::sigmoid(random({kBatch, rows, kHeads}, 3));
    in.gate = c.gated ? -0.3 * random({kBatch, c.steps, kHeads}, 4).abs() : at::Tensor();
    in.initialState = c.continued ? random({kBatch, kHeads, kKey, kValue}, 5) : at::Tensor();
    in.scale = 0.7;
    in.normaliseEpsilon = c.epsilon;
    return in;
}

std::vector<at::Tensor*> tensorsOf(DeltaArguments& in) {
    std::vector<at::Tensor*> all{&in.q, &in.k, &in.v, &in.beta};
    if (in.gate.defined()) {
        all.push_back(&in.gate);
    }
    if (in.initialState.defined()) {
        all.push_back(&in.initialState);
    }
    return all;
}

/// Leaves over the same memory, so that strides stay as they are.
std::vector<at::Tensor> makeLeaves(DeltaArguments& in) {
    std::vector<at::Tensor> leaves;
    for (at::Tensor* x : tensorsOf(in)) {
        *x = x->detach().requires_grad_(true);
        leaves.push_back(*x);
    }
    return leaves;
}

/// A scalar that weighs every number of both outputs; the upstream gradient of o is transposed.
at::Tensor scalarOf(const DeltaResult& out) {
    const auto s = out.o.sizes();
    const at::Tensor weight = random({s[0], s[2], s[1], s[3]}, 6).transpose(1, 2);
    return (out.o * weight).sum() + (out.finalState * random(out.finalState.sizes(), 7)).sum();
}

std::vector<Case> everyCase() {
    std::vector<Case> cases;
    for (const std::int64_t householders : {1, 2, 3}) {
        for (const bool gated : {false, true}) {
            for (const bool continued : {false, true}) {
                for (const double epsilon : {-1.0, 1e-6}) {
                    cases.push_back({.householders = householders,
                                     .gated = gated,
                                     .continued = continued,
                                     .epsilon = epsilon});
                }
            }
        }
    }
    cases.push_back({.steps = 1});
    cases.push_back({.steps = 70, .householders = 2, .gated = true, .continued = true});
    return cases;
}

TEST(DeltaRuleOp, AgreesWithAutogradThroughAPlainLoop) {
    for (const Case& c : everyCase()) {
        DeltaArguments in = argumentsOf(c);
        const auto leaves = makeLeaves(in);
        const DeltaResult ours = deltaRule(in);
        const DeltaResult loop = deltaRuleLoop(in, LoopForm::kSum);
        EXPECT_LE(difference(ours.o, loop.o), kDoubleTolerance);
        EXPECT_LE(difference(ours.finalState, loop.finalState), kDoubleTolerance);
        const auto gradients = torch::autograd::grad({scalarOf(ours)}, leaves);
        const auto expected = torch::autograd::grad({scalarOf(loop)}, leaves);
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            EXPECT_LE(difference(gradients[i], expected[i]), kDoubleTolerance)
                << "gradient " << i << ", n_h " << c.householders << ", gated " << c.gated
                << ", continued " << c.continued << ", epsilon " << c.epsilon;
        }
    }
}

TEST(DeltaRuleOp, EveryPlainFormGivesTheSameNumbersAndGradients) {
    for (const std::int64_t steps : {1, 15, 16, 17, 70}) {
        DeltaArguments in = argumentsOf({.steps = steps,
                                         .householders = 2,
                                         .gated = steps % 2 == 1,
                                         .continued = steps > 16,
                                         .epsilon = 1e-6});
        const auto leaves = makeLeaves(in);
        const DeltaResult loop = deltaRuleLoop(in, LoopForm::kSum);
        const auto expected = torch::autograd::grad({scalarOf(loop)}, leaves);
        std::vector<DeltaResult> others{deltaRuleLoop(in, LoopForm::kMatmul)};
        for (const std::int64_t chunk : {16, 32, 64}) {
            others.push_back(deltaRuleChunk(in, chunk));
        }
        for (const DeltaResult& other : others) {
            EXPECT_LE(difference(other.o, loop.o), kDoubleTolerance);
            EXPECT_LE(difference(other.finalState, loop.finalState), kDoubleTolerance);
            const auto gradients = torch::autograd::grad({scalarOf(other)}, leaves);
            for (std::size_t i = 0; i < leaves.size(); ++i) {
                EXPECT_LE(difference(gradients[i], expected[i]), kDoubleTolerance) << i;
            }
        }
    }
}

TEST(DeltaRuleOp, ComputesTheGradientOfOneArgumentAlone) {
    const Case everything{.householders = 2, .gated = true, .continued = true};
    DeltaArguments all = argumentsOf(everything);
    const auto leaves = makeLeaves(all);
    const auto expected = torch::autograd::grad({scalarOf(deltaRule(all))}, leaves);
    for (std::size_t wanted = 0; wanted < leaves.size(); ++wanted) {
        DeltaArguments in = argumentsOf(everything);
        at::Tensor& leaf = *tensorsOf(in)[wanted];
        leaf = leaf.detach().requires_grad_(true);
        const auto gradient = torch::autograd::grad({scalarOf(deltaRule(in))}, {leaf});
        EXPECT_TRUE(bitwiseEqual(gradient[0], expected[wanted])) << wanted;
    }
}

TEST(DeltaRuleOp, ComputesGradientsFromTheFinalStateAlone) {
    DeltaArguments in = argumentsOf({.continued = true});
    const auto leaves = makeLeaves(in);
    const std::vector<at::Tensor> read{in.k, in.v, in.beta, in.initialState};
    const auto ours = torch::autograd::grad({deltaRule(in).finalState.square().sum()}, read);
    const auto loop =
        torch::autograd::grad({deltaRuleLoop(in, LoopForm::kSum).finalState.square().sum()}, read);
    for (std::size_t i = 0; i < read.size(); ++i) {
        EXPECT_LE(difference(ours[i], loop[i]), kDoubleTolerance) << i;
    }
}

TEST(DeltaRuleOp, RefusesASecondDerivativeWithAMessage) {
    DeltaArguments in = argumentsOf({});
    const auto leaves = makeLeaves(in);
    try {
        (void)torch::autograd::grad({scalarOf(deltaRule(in))}, leaves, {}, std::nullopt,
                                    /*create_graph=*/true);
        FAIL() << "no exception";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("deltaRule: gradients of gradients"));
    }
}

TEST(DeltaRuleOp, LeavesTheStateAloneWhereThereIsNoToken) {
    DeltaArguments in = argumentsOf({.steps = 0, .continued = true});
    const auto leaves = makeLeaves(in);
    const DeltaResult out = deltaRule(in);
    EXPECT_EQ(out.o.numel(), 0);
    EXPECT_TRUE(bitwiseEqual(out.finalState, in.initialState));
    const auto gradients = torch::autograd::grad({(3 * out.finalState).sum()}, {in.initialState});
    EXPECT_TRUE(bitwiseEqual(gradients[0], at::full_like(in.initialState, 3)));
}

TEST(DeltaRuleOp, NamesTheShapesThatDoNotFit) {
    DeltaArguments in = argumentsOf({});
    in.beta = in.beta.narrow(1, 0, 5);
    try {
        (void)deltaRule(in);
        FAIL() << "no exception";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("beta is [2, 5, 3]"));
    }
}

/// The node of the model, from its parts: product, slices, sigmoid, SiLU, plain loop.
at::Tensor writtenOut(const ProjectedDelta& s, const at::Tensor& h, const at::Tensor& weight,
                      const at::Tensor& bias, const at::Tensor& gate, const at::Tensor& initial) {
    const at::Tensor y = at::mm(h, weight.t());
    const auto keys = s.heads * s.keyDim;
    const auto values = s.heads * s.valueDim;
    std::vector<at::Tensor> k;
    std::vector<at::Tensor> v;
    std::vector<at::Tensor> x;
    for (std::int64_t j = 0; j < s.householders; ++j) {
        const auto from = keys + j * (keys + values + s.heads);
        k.push_back(y.narrow(1, from, keys).reshape({s.batch, s.steps, s.heads, s.keyDim}));
        v.push_back(
            y.narrow(1, from + keys, values).reshape({s.batch, s.steps, s.heads, s.valueDim}));
        x.push_back(
            y.narrow(1, from + keys + values, s.heads).reshape({s.batch, s.steps, s.heads}) +
            bias.narrow(0, j * s.heads, s.heads));
    }
    const auto rows = [](const std::vector<at::Tensor>& all) {
        return at::stack(all, 2).flatten(1, 2);
    };
    const auto activated = [&](const at::Tensor& z) { return s.silu ? at::silu(z) : z; };
    DeltaArguments in;
    in.q = activated(y.narrow(1, 0, keys).reshape({s.batch, s.steps, s.heads, s.keyDim}));
    in.k = activated(rows(k));
    in.v = rows(v);
    in.beta = s.betaRange * at::sigmoid(s.betaSlope * rows(x));
    in.gate = gate;
    in.initialState = initial;
    in.normaliseEpsilon = s.normaliseEpsilon;
    return deltaRuleLoop(in, LoopForm::kSum).o.reshape({h.size(0), values});
}

TEST(ProjectedDeltaRule, EqualsItsPartsWrittenOut) {
    for (const std::int64_t householders : {1, 2}) {
        for (const bool silu : {false, true}) {
            const ProjectedDelta shape{.batch = 3,
                                       .steps = 11,
                                       .heads = 2,
                                       .keyDim = 4,
                                       .valueDim = 6,
                                       .householders = householders,
                                       .betaRange = 1.5,
                                       .betaSlope = 3,
                                       .silu = silu};
            const auto leaf = [](const at::Tensor& x) { return x.requires_grad_(true); };
            const at::Tensor h = leaf(random({33, 7}, 1));
            const at::Tensor weight = leaf(random({shape.projectionWidth(), 7}, 2));
            const at::Tensor bias = leaf(random({householders * 2}, 3));
            const at::Tensor gate = silu ? leaf(-random({3, 11, 2}, 4).abs()) : at::Tensor();
            const at::Tensor initial = silu ? random({3, 2, 4, 6}, 5) : at::Tensor();
            const at::Tensor ours = projectedDeltaRule(shape, h, weight, bias, gate, initial, {}).o;
            const at::Tensor parts = writtenOut(shape, h, weight, bias, gate, initial);
            EXPECT_LE(difference(ours, parts), kDoubleTolerance);
            const at::Tensor upstream = random({12, 33}, 6).t();  // not contiguous
            std::vector<at::Tensor> leaves{h, weight, bias};
            if (gate.defined()) {
                leaves.push_back(gate);
            }
            const auto gradients = torch::autograd::grad({ours}, leaves, {upstream});
            const auto expected = torch::autograd::grad({parts}, leaves, {upstream});
            for (std::size_t i = 0; i < leaves.size(); ++i) {
                EXPECT_LE(difference(gradients[i], expected[i]), kDoubleTolerance) << i;
            }
        }
    }
}

TEST(ProjectedDeltaRule, DoesNotDependOnTheNumberOfThreads) {
    const ProjectedDelta shape{.batch = 5, .steps = 40, .heads = 3, .keyDim = 16, .valueDim = 16};
    const auto gradients = [&](const Execution& execution) {
        const at::Tensor h = random({200, 8}, 1, at::kFloat).requires_grad_(true);
        const at::Tensor weight =
            random({shape.projectionWidth(), 8}, 2, at::kFloat).requires_grad_(true);
        const at::Tensor bias = at::zeros({3}).requires_grad_(true);
        const auto out = projectedDeltaRule(shape, h, weight, bias, {}, {}, execution);
        auto all = torch::autograd::grad({out.o.square().sum()}, {h, weight, bias});
        all.push_back(out.o);
        return all;
    };
    const auto one = gradients({});
    const auto three = gradients({.pool = std::make_shared<kernels::ThreadPool>(3)});
    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_TRUE(bitwiseEqual(one[i], three[i])) << i;
    }
}

/// A whole Gated DeltaNet mixer of another library, from our operations.
at::Tensor olmoMixer(lab::testing::Tensors& t, double betaRange) {
    constexpr std::int64_t kHeads = 2;
    const at::Tensor& x = t["x"];
    const auto project = [&](const char* name) {
        return at::matmul(x, t[std::string("param.") + name + "_proj.weight"].t());
    };
    const at::Tensor qkv =
        shortConv(at::cat({project("q"), project("k"), project("v")}, -1),
                  t["param.conv1d.weight"].squeeze(1), {}, {}, ConvActivation::kSilu);
    const auto heads = [&](std::int64_t from, std::int64_t width) {
        return qkv.narrow(-1, from, kHeads * width).unflatten(-1, {kHeads, width});
    };
    DeltaArguments in;
    in.q = heads(0, 6);
    in.k = heads(12, 6);
    in.v = heads(24, 8);
    in.beta = betaRange * at::sigmoid(project("b"));
    in.gate = -t["param.A_log"].exp() * at::softplus(project("a") + t["param.dt_bias"]);
    in.scale = 1 / std::sqrt(6.0);
    in.normaliseEpsilon = 1e-6;
    const at::Tensor o = deltaRule(in).o;
    const at::Tensor normed =
        rmsNorm(o.reshape({-1, 8}), t["param.o_norm.weight"], 1e-5).view_as(o);
    const at::Tensor gated = normed * at::silu(project("g").view_as(o));
    return at::matmul(gated.flatten(2), t["param.o_proj.weight"].t());
}

TEST(DeltaRuleOp, MakesThePublishedGatedDeltaNetMixer) {
    for (const auto& [name, range] :
         {std::pair{"recurrences/olmo_hybrid_gated_deltanet", 1.0},
          std::pair{"recurrences/olmo_hybrid_gated_deltanet_negative_eigenvalues", 2.0}}) {
        auto tensors = golden(name);
        std::vector<at::Tensor> leaves;
        std::vector<std::string> names;
        for (auto& [key, tensor] : tensors) {
            if (key == "x" || key.starts_with("param.")) {
                leaves.push_back(tensor.requires_grad_(true));
                names.push_back("grad." + (key == "x" ? key : key.substr(6)));
            }
        }
        const at::Tensor output = olmoMixer(tensors, range);
        EXPECT_LE(difference(output, tensors["output"]), 1e-10);
        const auto gradients = torch::autograd::grad({output}, leaves, {tensors["d.output"]});
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            EXPECT_LE(difference(gradients[i], tensors[names[i]]), 1e-10) << names[i];
        }
    }
}

}  // namespace
}  // namespace lab::ops
