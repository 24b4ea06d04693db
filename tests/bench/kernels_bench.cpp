// Speed of the kernels on the shapes that training spends its time on. Not a test: run it by hand,
// on a quiet machine. us_per_head_token and us_per_row are what to read.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "kernels/cross_entropy.h"
#include "kernels/delta_rule.h"
#include "kernels/rms_norm.h"
#include "kernels/short_conv.h"

namespace lab::kernels {
namespace {

using Floats = std::vector<float>;

Floats randomFloats(std::size_t count, float low, float high) {
    std::mt19937 generator(count == 0 ? 1U : static_cast<unsigned>(count));
    std::uniform_real_distribution<float> values(low, high);
    Floats result(count);
    for (float& x : result) {
        x = values(generator);
    }
    return result;
}

View<float> viewOf(Floats& data, int steps, int heads, int channels) {
    return {data.data(),
            {std::int64_t{steps} * heads * channels, std::int64_t{heads} * channels, channels, 1}};
}
View<const float> constant(const View<float>& view) {
    return {view.data, {view.stride[0], view.stride[1], view.stride[2], view.stride[3]}};
}
std::size_t size(int a, int b, int c, int d) {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(b) * static_cast<std::size_t>(c) *
           static_cast<std::size_t>(d);
}

/// One delta rule call with normalised q and k, and everything a training step asks for.
struct DeltaCase {
    DeltaCase(Isa isa, const DeltaShape& s, bool gated)
        : shape(s), plan(deltaRulePlan(s, {0.25, 1e-6}, isa)) {
        const int rows = s.steps * s.householders;
        const auto make = [&](int t, int channels, float low, float high) {
            arrays.push_back(randomFloats(size(s.batch, t, s.heads, channels), low, high));
            return viewOf(arrays.back(), t, s.heads, channels);
        };
        arrays.reserve(16);
        in.q = constant(make(s.steps, s.keyDim, -1, 1));
        in.k = constant(make(rows, s.keyDim, -1, 1));
        in.v = constant(make(rows, s.valueDim, -1, 1));
        in.beta = constant(make(rows, 1, 0, 2));
        if (gated) {
            in.gate = constant(make(s.steps, 1, -0.5F, 0));
            grad.gradGate = make(s.steps, 1, 0, 0);
        }
        out.o = make(s.steps, s.valueDim, 0, 0);
        out.residual = make(rows, s.valueDim, 0, 0).data;
        grad.gradO = constant(make(s.steps, s.valueDim, -1, 1));
        grad.gradQ = make(s.steps, s.keyDim, 0, 0);
        grad.gradK = make(rows, s.keyDim, 0, 0);
        grad.gradV = make(rows, s.valueDim, 0, 0);
        grad.gradBeta = make(rows, 1, 0, 0);
        workspace.resize(plan.backwardWorkspaceBytes / sizeof(float) + 1);
        forward();
    }
    void forward() { (void)deltaRuleForward<float>(plan, in, out, workspace.data()); }
    void backward() {
        (void)deltaRuleBackward<float>(plan, in, out.residual, grad, workspace.data());
    }
    [[nodiscard]] double headTokens() const {
        return static_cast<double>(shape.batch) * shape.steps * shape.heads;
    }

    DeltaShape shape;
    DeltaPlan plan;
    std::vector<Floats> arrays;
    DeltaInputs<float> in;
    DeltaOutputs<float> out;
    DeltaGradients<float> grad;
    Floats workspace;
};

void report(benchmark::State& state, const char* name, double items, double flops) {
    using Counter = benchmark::Counter;
    state.counters[name] =
        Counter(items * 1e-6, Counter::kIsIterationInvariantRate | Counter::kInvert);
    state.counters["GF"] = Counter(flops * 1e-9, Counter::kIsIterationInvariantRate);
}

void deltaBench(benchmark::State& state, Isa isa, DeltaShape shape, bool gated, bool backward) {
    if (deltaRulePlan(shape, {}, isa).status != Status::kOk) {
        state.SkipWithError("not on this machine");
        return;
    }
    DeltaCase test(isa, shape, gated);
    for (auto _ : state) {
        backward ? test.backward() : test.forward();
        benchmark::ClobberMemory();
    }
    const Cost cost =
        backward ? deltaRuleBackwardCost(shape, gated) : deltaRuleForwardCost(shape, gated);
    report(state, "us_per_head_token", test.headTokens(), cost.flops);
}

void convBench(benchmark::State& state, Isa isa, bool backward) {
    constexpr ConvShape kShape{6, 250, 192, 4};
    if (deltaRulePlan({1, 1, 1, 1, 1}, {}, isa).status != Status::kOk) {
        state.SkipWithError("not on this machine");
        return;
    }
    Floats x = randomFloats(size(6, 250, 192, 1), -1, 1), y = x, gradX = x, gradY = x;
    const Floats weight = randomFloats(size(192, 4, 1, 1), -1, 1);
    Floats gradWeight = weight;
    Floats workspace(shortConvWorkspaceBytes(kShape, false) / sizeof(float));
    const ConvInputs<float> in{constant(viewOf(x, 250, 1, 192)), weight.data()};
    const ConvGradients<float> grad{constant(viewOf(gradY, 250, 1, 192)), nullptr,
                                    viewOf(gradX, 250, 1, 192), gradWeight.data()};
    for (auto _ : state) {
        const Status status = backward
                                  ? shortConvBackward<float>(kShape, Activation::kSilu, in, grad,
                                                             workspace.data(), isa)
                                  : shortConvForward<float>(kShape, Activation::kSilu, in,
                                                            viewOf(y, 250, 1, 192), nullptr, isa);
        benchmark::DoNotOptimize(status);
        benchmark::ClobberMemory();
    }
    const Cost cost = backward ? shortConvBackwardCost(kShape) : shortConvForwardCost(kShape);
    report(state, "us_per_row", 6 * 250, cost.flops);
}

void normBench(benchmark::State& state, Isa isa, bool backward) {
    constexpr RowShape kShape{1500, 64, 64, 64};
    const Floats x = randomFloats(size(1500, 64, 1, 1), -1, 1), weight(64, 1.0F);
    Floats y = x, gradX = x, gradWeight = weight, inverse(1500);
    Floats workspace(rmsNormWorkspaceBytes(kShape, false) / sizeof(float));
    if (rmsNormForward<float>(kShape, 1e-6, x.data(), weight.data(), y.data(), inverse.data(),
                              isa) != Status::kOk) {
        state.SkipWithError("not on this machine");
        return;
    }
    for (auto _ : state) {
        const Status status =
            backward
                ? rmsNormBackward<float>(kShape, x.data(), weight.data(), inverse.data(), x.data(),
                                         gradX.data(), gradWeight.data(), workspace.data(), isa)
                : rmsNormForward<float>(kShape, 1e-6, x.data(), weight.data(), y.data(),
                                        inverse.data(), isa);
        benchmark::DoNotOptimize(status);
        benchmark::ClobberMemory();
    }
    report(state, "us_per_row", 1500, 0);
}

void crossEntropyBench(benchmark::State& state, Isa isa) {
    const Floats x = randomFloats(size(1500, 24, 1, 1), -3, 3), weight(1500, 1.0F);
    Floats loss(1500), gradX = x;
    std::vector<std::int64_t> target(1500, 7);
    std::vector<std::uint8_t> correct(1500);
    for (auto _ : state) {
        const Status status = crossEntropy<float>(1500, 24, x.data(), target.data(), weight.data(),
                                                  loss.data(), gradX.data(), correct.data(), isa);
        if (status != Status::kOk) {
            state.SkipWithError("not on this machine");
            return;
        }
        benchmark::ClobberMemory();
    }
    report(state, "us_per_row", 1500, 0);
}

void registerAll() {
    for (const Isa isa : {Isa::kGeneric, Isa::kAvx2, Isa::kAvx512}) {
        const std::string name = nameOf(isa);
        const auto add = [&](const std::string& what, auto body) {
            benchmark::RegisterBenchmark((name + "/" + what).c_str(), body);
        };
        for (const bool backward : {false, true}) {
            const std::string way = backward ? "/backward" : "/forward";
            const auto delta = [&](const char* what, DeltaShape shape, bool gated) {
                add("delta" + std::string(what) + way, [=](benchmark::State& state) {
                    deltaBench(state, isa, shape, gated, backward);
                });
            };
            delta("_d16", {6, 250, 4, 16, 16, 1}, false);  // the hot one
            delta("_d16_gated", {6, 250, 4, 16, 16, 1}, true);
            delta("_d16_n2", {6, 250, 4, 16, 16, 2}, false);
            delta("_d32", {6, 250, 4, 32, 32, 1}, false);
            delta("_d64", {6, 250, 2, 64, 64, 1}, false);
            delta("_k24v48", {6, 250, 2, 24, 48, 1}, false);
            add("conv" + way, [=](benchmark::State& state) { convBench(state, isa, backward); });
            add("norm" + way, [=](benchmark::State& state) { normBench(state, isa, backward); });
        }
        add("cross_entropy", [=](benchmark::State& state) { crossEntropyBench(state, isa); });
    }
}

}  // namespace
}  // namespace lab::kernels

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    lab::kernels::registerAll();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
