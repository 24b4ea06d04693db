#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>

#include "core/ops/gated_linear_attention.h"
#include "core/ops/scan_loops.h"
#include "core/ops/state_space.h"
#include "tests/core/models/tensors.h"

namespace lab::ops {
namespace {

using lab::testing::difference;
using lab::testing::kDoubleTolerance;
using lab::testing::kFloatTolerance;
using lab::testing::random;

using Leaves = std::vector<at::Tensor>;
using Scan = std::function<Leaves(const Leaves&)>;

/// The operation and the loop give the same outputs and the same gradients of all inputs, whose
/// strides are those of a slice of one projection where they are sequences.
void expectSame(const Scan& ours, const Scan& theirs, const Leaves& leaves, double tolerance) {
    const Leaves a = ours(leaves), b = theirs(leaves);
    at::Tensor sumA = at::zeros({}, a[0].options()), sumB = sumA;
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_LE(difference(a[i], b[i]), tolerance) << "output " << i;
        const at::Tensor upstream =
            random(a[i].sizes(), 90 + static_cast<int>(i), a[i].scalar_type());
        sumA = sumA + (a[i] * upstream).sum();
        sumB = sumB + (b[i] * upstream).sum();
    }
    const auto g = torch::autograd::grad({sumA}, leaves), e = torch::autograd::grad({sumB}, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
        EXPECT_LE(difference(g[i], e[i]), 10 * tolerance) << "gradient of input " << i;
    }
}

/// KR-33: each input asks for its gradient alone.
void expectAskedGradientsAlone(const Scan& scan, const Leaves& leaves) {
    for (std::size_t asked = 0; asked < leaves.size(); ++asked) {
        Leaves own;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            own.push_back(leaves[i].detach().clone().requires_grad_(i == asked));
        }
        const Leaves out = scan(own);
        (out[0].sum() + out[1].sum()).backward();
        for (std::size_t i = 0; i < own.size(); ++i) {
            EXPECT_EQ(own[i].grad().defined(), i == asked) << i << " of " << asked;
        }
    }
}

/// A leaf whose rows lie apart, as a slice of a projection.
at::Tensor slice(at::IntArrayRef sizes, int seed, at::ScalarType type) {
    std::vector<std::int64_t> wide(sizes.begin(), sizes.end());
    wide.back() += 3;
    return random(wide, seed, type)
        .narrow(static_cast<std::int64_t>(sizes.size()) - 1, 1, sizes.back())
        .requires_grad_(true);
}
at::Tensor leaf(const at::Tensor& x) {
    return x.detach().requires_grad_(true);
}

Leaves glaLeaves(at::ScalarType type, bool vectorGate) {
    const at::Tensor gate =
        vectorGate ? random({2, 21, 3, 8}, 4, type) : random({2, 21, 3}, 4, type);
    return {slice({2, 21, 3, 8}, 1, type), slice({2, 21, 3, 8}, 2, type),
            slice({2, 21, 3, 16}, 3, type), leaf(-gate.abs()),
            leaf(random({2, 3, 8, 16}, 5, type))};
}
Leaves viaGla(const Leaves& x, ScanResult (*scan)(const GlaArguments&)) {
    const auto out = scan({x[0], x[1], x[2], x[3], x[4], 0.7});
    return {out.o, out.finalState};
}
ScanResult glaKernel(const GlaArguments& in) {
    return gatedLinearAttention(in);
}

TEST(GatedLinearAttentionOp, AgreesWithTheLoop) {
    for (const auto type : {at::kDouble, at::kFloat}) {
        for (const bool vectorGate : {true, false}) {
            expectSame([](const Leaves& x) { return viaGla(x, &glaKernel); },
                       [](const Leaves& x) { return viaGla(x, &gatedLinearAttentionLoop); },
                       glaLeaves(type, vectorGate),
                       type == at::kDouble ? kDoubleTolerance : kFloatTolerance);
        }
    }
}

Leaves ssdLeaves(at::ScalarType type) {
    return {slice({2, 19, 4, 8}, 1, type),           leaf(random({2, 19, 4}, 2, type).abs()),
            leaf(-random({4}, 3, type).abs() - 0.1), slice({2, 19, 2, 6}, 4, type),
            slice({2, 19, 2, 6}, 5, type),           leaf(random({4}, 6, type)),
            leaf(random({2, 4, 6, 8}, 7, type))};
}
Leaves viaSsd(const Leaves& x, ScanResult (*scan)(const SsdArguments&)) {
    const auto out = scan({x[0], x[1], x[2], x[3], x[4], x[5], x[6]});
    return {out.o, out.finalState};
}
ScanResult ssdKernel(const SsdArguments& in) {
    return ssd(in);
}

TEST(SsdOp, AgreesWithTheLoop) {
    for (const auto type : {at::kDouble, at::kFloat}) {
        expectSame([](const Leaves& x) { return viaSsd(x, &ssdKernel); },
                   [](const Leaves& x) { return viaSsd(x, &ssdLoop); }, ssdLeaves(type),
                   type == at::kDouble ? kDoubleTolerance : kFloatTolerance);
    }
}

Leaves selectiveLeaves(at::ScalarType type) {
    return {slice({2, 19, 10}, 1, type),      slice({2, 19, 10}, 2, type),
            slice({2, 19, 10}, 3, type),      leaf(-random({10, 5}, 4, type).abs() - 0.1),
            slice({2, 19, 5}, 5, type),       slice({2, 19, 5}, 6, type),
            leaf(random({10}, 7, type)),      leaf(random({10}, 8, type)),
            leaf(random({2, 10, 5}, 9, type))};
}
Leaves viaSelective(const Leaves& x, SelectiveScanResult (*scan)(const SelectiveScanArguments&)) {
    const auto out = scan({x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]});
    return {out.out, out.finalState};
}
SelectiveScanResult selectiveKernel(const SelectiveScanArguments& in) {
    return selectiveScan(in);
}

TEST(SelectiveScanOp, AgreesWithTheLoop) {
    for (const auto type : {at::kDouble, at::kFloat}) {
        expectSame([](const Leaves& x) { return viaSelective(x, &selectiveKernel); },
                   [](const Leaves& x) { return viaSelective(x, &selectiveScanLoop); },
                   selectiveLeaves(type), type == at::kDouble ? kDoubleTolerance : kFloatTolerance);
    }
}

TEST(ScanOps, GiveTheGradientsThatAreAskedForAndNoOthers) {
    expectAskedGradientsAlone([](const Leaves& x) { return viaGla(x, &glaKernel); },
                              glaLeaves(at::kDouble, true));
    expectAskedGradientsAlone([](const Leaves& x) { return viaSsd(x, &ssdKernel); },
                              ssdLeaves(at::kDouble));
    expectAskedGradientsAlone([](const Leaves& x) { return viaSelective(x, &selectiveKernel); },
                              selectiveLeaves(at::kDouble));
}

TEST(ScanOps, TellTheNormOfTheState) {
    const Leaves g = glaLeaves(at::kFloat, true), s = ssdLeaves(at::kFloat);
    const GlaArguments gla{g[0], g[1], g[2], g[3], g[4], 1.0};
    EXPECT_LE(difference(gatedLinearAttention(gla, {}, true).stateNorm,
                         gatedLinearAttentionLoop(gla).stateNorm),
              kFloatTolerance);
    const SsdArguments ssdIn{s[0], s[1], s[2], s[3], s[4], s[5], s[6]};
    EXPECT_LE(difference(ssd(ssdIn, {}, true).stateNorm, ssdLoop(ssdIn).stateNorm),
              kFloatTolerance);
}

TEST(ScanOps, RefuseShapesThatDoNotFit) {
    Leaves g = glaLeaves(at::kFloat, true);
    EXPECT_THROW((void)gatedLinearAttention({g[0], g[2], g[2], g[3]}), c10::Error);
    Leaves s = ssdLeaves(at::kFloat);
    EXPECT_THROW((void)ssd({s[0], s[1], s[2], s[3], s[0], s[5]}), c10::Error);
    Leaves m = selectiveLeaves(at::kFloat);
    EXPECT_THROW((void)selectiveScan({m[0], m[1], m[4], m[3], m[4], m[5], m[6], m[7]}), c10::Error);
}

}  // namespace
}  // namespace lab::ops
