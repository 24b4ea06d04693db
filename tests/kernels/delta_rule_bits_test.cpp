// What must hold bit for bit: repeats, threads, neighbours, layouts, steps, splits, causality.
#include <sys/mman.h>

#include <array>

#include "kernels/thread_pool.h"
#include "tests/kernels/delta_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(DeltaRuleBits);

/// Compiled and general extents, one and several factors, gated and not, normalised and not.
std::vector<DeltaSetting> settings() {
    std::vector<DeltaSetting> result;
    for (const auto& [keyDim, valueDim] :
         {std::array{16, 16}, std::array{32, 32}, std::array{64, 64}, std::array{5, 19}}) {
        for (const int factors : {1, 2, 3}) {
            DeltaSetting s{3, 21, 2, keyDim, valueDim, factors};
            s.gated = factors != 2;
            s.normalised = factors != 1;
            s.seed = static_cast<std::uint64_t>(keyDim + factors);
            result.push_back(s);
        }
    }
    return result;
}

std::string describe(const DeltaSetting& s) {
    return "K " + std::to_string(s.keyDim) + " V " + std::to_string(s.valueDim) + " n " +
           std::to_string(s.householders);
}

/// Numbers [at, at + count) of every batch entry of an array [batch, each].
Numbers part(const Numbers& all, int batch, std::size_t at, std::size_t count) {
    const std::size_t each = all.size() / static_cast<std::size_t>(std::max(batch, 1));
    Numbers result;
    for (int b = 0; b < batch && !all.empty(); ++b) {
        const auto from =
            all.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(b) * each + at);
        result.insert(result.end(), from, from + static_cast<std::ptrdiff_t>(count));
    }
    return result;
}

/// Tokens [begin, end) of an array with `width` numbers a token and head.
Numbers tokens(const DeltaProblem& p, const Numbers& all, int width, int begin, int end) {
    const auto each = static_cast<std::size_t>(width * p.heads);
    return part(all, p.batch, static_cast<std::size_t>(begin) * each,
                static_cast<std::size_t>(end - begin) * each);
}

/// Tokens [begin, end) of every sequence.
DeltaProblem slice(const DeltaProblem& p, int begin, int end) {
    DeltaProblem s = p;
    s.steps = end - begin;
    s.q = tokens(p, p.q, p.keyDim, begin, end);
    s.k = tokens(p, p.k, p.keyDim * p.householders, begin, end);
    s.v = tokens(p, p.v, p.valueDim * p.householders, begin, end);
    s.beta = tokens(p, p.beta, p.householders, begin, end);
    s.gate = tokens(p, p.gate, 1, begin, end);
    s.gradO = tokens(p, p.gradO, p.valueDim, begin, end);
    return s;
}

/// Sequence b alone.
DeltaProblem alone(const DeltaProblem& p, int b) {
    DeltaProblem s = p;
    s.batch = 1;
    for (Numbers* all :
         {&s.q, &s.k, &s.v, &s.beta, &s.gate, &s.initialState, &s.gradO, &s.gradFinalState}) {
        const std::size_t each = all->size() / static_cast<std::size_t>(p.batch);
        *all = part(*all, 1, static_cast<std::size_t>(b) * each, each);
    }
    return s;
}

/// KR-22 (and KR-21): the same bits on every repeat and for 1, 2 and 16 threads.
TEST_P(DeltaRuleBits, AreTheSameForAnyNumberOfThreads) {
    ThreadPool two(2);
    ThreadPool sixteen(16);
    for (const DeltaSetting& setting : settings()) {
        SCOPED_TRACE(describe(setting));
        const DeltaProblem p = randomProblem(setting);
        RunOptions options{GetParam()};
        const auto once = runDelta<float>(p, options);
        for (const Exec& exec : {Exec{}, two.exec(), sixteen.exec(), sixteen.exec()}) {
            options.exec = exec;
            expectSameBits(runDelta<float>(p, options), once);
        }
    }
}

/// KR-23: a sequence alone and inside any batch gives the same bits.
TEST_P(DeltaRuleBits, DoNotDependOnBatchNeighbours) {
    for (const DeltaSetting& setting : settings()) {
        SCOPED_TRACE(describe(setting));
        const DeltaProblem p = randomProblem(setting);
        const auto together = runDelta<float>(p, {GetParam()});
        for (int b = 0; b < p.batch; ++b) {
            const auto single = runDelta<float>(alone(p, b), {GetParam()});
            const auto mine = [&](const std::vector<float>& all) {
                const std::size_t each = all.size() / 3;
                return cast<float>(part(widen(all), 1, static_cast<std::size_t>(b) * each, each));
            };
            EXPECT_TRUE(sameBits(single.o, mine(together.o)));
            EXPECT_TRUE(sameBits(single.finalState, mine(together.finalState)));
            EXPECT_TRUE(sameBits(single.gradQ, mine(together.gradQ)));
            EXPECT_TRUE(sameBits(single.gradK, mine(together.gradK)));
            EXPECT_TRUE(sameBits(single.gradV, mine(together.gradV)));
            EXPECT_TRUE(sameBits(single.gradBeta, mine(together.gradBeta)));
            EXPECT_TRUE(sameBits(single.gradGate, mine(together.gradGate)));
        }
    }
}

/// KR-12 and KR-13: head-major, far-apart channels, odd offsets and odd strides, for inputs,
/// incoming gradients and results: as if contiguous.
TEST_P(DeltaRuleBits, DoNotDependOnTheLayout) {
    for (const DeltaSetting& setting : settings()) {
        SCOPED_TRACE(describe(setting));
        const DeltaProblem p = randomProblem(setting);
        const auto plain = runDelta<float>(p, {GetParam()});
        for (const Layout inputs : {Layout::kHeadMajor, Layout::kSlice, Layout::kChannelStrided}) {
            const Layout outputs =
                inputs == Layout::kHeadMajor ? Layout::kSlice : Layout::kHeadMajor;
            expectSameBits(runDelta<float>(p, {GetParam(), {}, inputs, outputs}), plain);
        }
    }
}

/// KR-12: stride 0, one key and one value for all tokens and heads.
TEST_P(DeltaRuleBits, AcceptExpandedInputs) {
    DeltaProblem p = randomProblem({2, 9, 2, 16, 16});
    for (std::size_t i = 0; i < p.k.size(); ++i) {
        p.k[i] = p.k[i % 16];
        p.v[i] = p.v[i % 16];
    }
    const auto plain = runDelta<float>(p, {GetParam(), {}, {}, {}, false});
    const DeltaArguments<float> arguments(p, Layout::kContiguous);
    DeltaInputs<float> in = arguments.inputs;
    for (View<const float>* view : {&in.k, &in.v}) {
        view->stride[0] = view->stride[1] = view->stride[2] = 0;
    }
    const DeltaPlan plan = deltaRulePlan(shapeOf(p), {p.scale, -1}, GetParam());
    std::vector<float> workspace(plan.forwardWorkspaceBytes / sizeof(float));
    const Placed<float> o({2, 9, 2, 16}, Layout::kContiguous);
    ASSERT_EQ(deltaRuleForward<float>(plan, in, {o.out()}, workspace.data()), Status::kOk);
    EXPECT_TRUE(sameBits(o.values(), plain.o));
}

/// KR-19: strides whose offsets pass 2^32 bytes, over a sparse mapping.
TEST_P(DeltaRuleBits, AcceptOffsetsBeyond32Bits) {
    constexpr std::int64_t kStride = (std::int64_t{1} << 31) + 3;
    constexpr std::size_t kBytes = (static_cast<std::size_t>(kStride) + 64) * sizeof(float);
    void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        GTEST_SKIP() << "no address space for a sparse mapping of 8 GiB";
    }
    const DeltaProblem p = randomProblem({1, 2, 1, 16, 16});
    const DeltaArguments<float> arguments(p, Layout::kContiguous);
    DeltaInputs<float> in = arguments.inputs;
    auto* const keys = static_cast<float*>(memory);
    for (int i = 0; i < 16; ++i) {
        keys[i] = in.k.data[i];
        keys[kStride + i] = in.k.data[16 + i];
    }
    in.k.data = keys;
    in.k.stride[1] = kStride;
    const DeltaPlan plan = deltaRulePlan(shapeOf(p), {p.scale, -1}, GetParam());
    std::vector<float> workspace(plan.forwardWorkspaceBytes / sizeof(float));
    const Placed<float> o({1, 2, 1, 16}, Layout::kContiguous);
    EXPECT_EQ(deltaRuleForward<float>(plan, in, {o.out()}, workspace.data()), Status::kOk);
    EXPECT_TRUE(sameBits(o.values(), runDelta<float>(p, {GetParam(), {}, {}, {}, false}).o));
    munmap(memory, kBytes);
}

/// KR-02: a gate of 0 everywhere is no gate, to the bit.
TEST_P(DeltaRuleBits, AreThoseOfTheUngatedRuleWhenGatesAreZero) {
    for (DeltaSetting setting : settings()) {
        SCOPED_TRACE(describe(setting));
        setting.gated = true;
        DeltaProblem p = randomProblem(setting);
        p.gate.assign(p.gate.size(), 0.0);
        auto gated = runDelta<float>(p, {GetParam()});
        p.gate.clear();
        gated.gradGate.clear();
        expectSameBits(gated, runDelta<float>(p, {GetParam()}));
    }
}

/// KR-10: nothing before a token feels it, and its gradient feels nothing before it.
TEST_P(DeltaRuleBits, AreCausal) {
    for (const DeltaSetting& setting : settings()) {
        SCOPED_TRACE(describe(setting));
        const DeltaProblem p = randomProblem(setting);
        constexpr int kCut = 13;
        DeltaProblem changed = p;
        for (Numbers* all : {&changed.q, &changed.k, &changed.v, &changed.beta, &changed.gate}) {
            const std::size_t each = all->size() / static_cast<std::size_t>(p.batch);
            for (std::size_t i = each * kCut / 21; i < each; ++i) {
                (*all)[i] *= 0.5;  // tokens from kCut on, of the first sequence
            }
        }
        const auto before = runDelta<float>(p, {GetParam()});
        const auto after = runDelta<float>(changed, {GetParam()});
        const std::size_t unchanged = static_cast<std::size_t>(kCut * p.heads * p.valueDim);
        EXPECT_TRUE(std::equal(before.o.begin(),
                               before.o.begin() + static_cast<std::ptrdiff_t>(unchanged),
                               after.o.begin()));
        EXPECT_NE(before.o, after.o);
        DeltaProblem early = p;  // only outputs before kCut count
        early.gradFinalState.clear();
        const std::size_t each = early.gradO.size() / static_cast<std::size_t>(p.batch);
        for (std::size_t i = 0; i < early.gradO.size(); ++i) {
            early.gradO[i] = i % each < each * kCut / 21 ? early.gradO[i] : 0.0;
        }
        const auto run = runDelta<float>(early, {GetParam()});
        for (const std::vector<float>* grad : {&run.gradQ, &run.gradK, &run.gradV, &run.gradBeta}) {
            const std::size_t size = grad->size() / static_cast<std::size_t>(p.batch);
            for (std::size_t i = 0; i < grad->size(); ++i) {
                ASSERT_TRUE(i % size < size * kCut / 21 || (*grad)[i] == 0.0F) << i;
            }
        }
    }
}

/// KR-14: split anywhere and chained through the states, outputs and gradients are the same. (The
/// gate's gradient is a sum in another order: close, not equal.)
TEST_P(DeltaRuleBits, SurviveSplittingASequence) {
    for (const DeltaSetting& setting : settings()) {
        const DeltaProblem p = randomProblem(setting);
        const auto whole = runDelta<float>(p, {GetParam()});
        for (const int cut : {1, 8, 16, 20}) {
            SCOPED_TRACE(describe(setting) + " cut " + std::to_string(cut));
            DeltaProblem first = slice(p, 0, cut);
            DeltaProblem second = slice(p, cut, p.steps);
            second.initialState = widen(runDelta<float>(first, {GetParam()}).finalState);
            const auto late = runDelta<float>(second, {GetParam()});
            first.gradFinalState = widen(late.gradInitialState);
            const auto early = runDelta<float>(first, {GetParam()});
            EXPECT_TRUE(sameBits(late.finalState, whole.finalState));
            EXPECT_TRUE(sameBits(early.gradInitialState, whole.gradInitialState));
            const auto expectJoined = [&](auto member, int width) {
                const Numbers joined = widen(whole.*member);
                EXPECT_TRUE(sameBits(early.*member, cast<float>(tokens(p, joined, width, 0, cut))));
                EXPECT_TRUE(
                    sameBits(late.*member, cast<float>(tokens(p, joined, width, cut, p.steps))));
            };
            expectJoined(&DeltaRun<float>::o, p.valueDim);
            expectJoined(&DeltaRun<float>::gradQ, p.keyDim);
            expectJoined(&DeltaRun<float>::gradK, p.keyDim * p.householders);
            expectJoined(&DeltaRun<float>::gradV, p.valueDim * p.householders);
            expectJoined(&DeltaRun<float>::gradBeta, p.householders);
        }
    }
}

/// Token by token with the carried state: the bits of forward.
TEST_P(DeltaRuleBits, AreTheSameTokenByToken) {
    for (const DeltaSetting& setting : settings()) {
        SCOPED_TRACE(describe(setting));
        const DeltaProblem p = randomProblem(setting);
        const auto whole = runDelta<float>(p, {GetParam(), {}, {}, {}, false});
        auto state = cast<float>(p.initialState);
        DeltaShape shape = shapeOf(p);
        shape.steps = 1;
        const DeltaPlan plan = deltaRulePlan(shape, {p.scale, p.normaliseEpsilon}, GetParam());
        const Placed<float> o({p.batch, p.steps, p.heads, p.valueDim}, Layout::kSlice);
        for (int t = 0; t < p.steps; ++t) {
            const DeltaArguments<float> token(slice(p, t, t + 1), Layout::kHeadMajor);
            View<float> at = o.out();
            at.data = at.at(0, t, 0);
            ASSERT_EQ(deltaRuleStep<float>(plan, token.inputs, state.data(), at), Status::kOk);
        }
        EXPECT_TRUE(sameBits(o.values(), whole.o));
        EXPECT_TRUE(sameBits(state, whole.finalState));
    }
}

/// KR-16: backward rebuilds the states that forward had.
TEST_P(DeltaRuleBits, OfTheRebuiltStateAreTheForwardOnes) {
    for (const DeltaSetting& setting : settings()) {
        SCOPED_TRACE(describe(setting));
        const DeltaProblem p = randomProblem(setting);
        const auto single = runDelta<float>(p, {GetParam()});
        EXPECT_TRUE(sameBits(single.rebuiltFinalState, single.finalState));
        const auto twice = runDelta<double>(p, {GetParam()});
        EXPECT_TRUE(sameBits(twice.rebuiltFinalState, twice.finalState));
    }
}

/// KR-15 and KR-33: each gradient asked for alone is the one asked for with all others.
TEST_P(DeltaRuleBits, OfAGradientDoNotDependOnWhichOthersAreWanted) {
    DeltaSetting setting{2, 21, 2, 16, 16, 2};
    setting.gated = setting.normalised = true;
    const DeltaProblem p = randomProblem(setting);
    const auto all = runDelta<float>(p, {GetParam()});
    const DeltaArguments<float> arguments(p, Layout::kContiguous);
    const DeltaPlan plan = deltaRulePlan(shapeOf(p), {p.scale, p.normaliseEpsilon}, GetParam());
    const auto alone = [&](View<float> DeltaGradients<float>::*wanted, Extents extents) {
        const Placed<float> result(extents, Layout::kContiguous);
        DeltaGradients<float> grad = arguments.gradients;
        grad.*wanted = result.out();
        auto workspace = unset<float>(plan.backwardWorkspaceBytes / sizeof(float));
        EXPECT_EQ(deltaRuleBackward<float>(plan, arguments.inputs, all.residual.data(), grad,
                                           workspace.data()),
                  Status::kOk);
        return result.values();
    };
    EXPECT_TRUE(sameBits(alone(&DeltaGradients<float>::gradQ, {2, 21, 2, 16}), all.gradQ));
    EXPECT_TRUE(sameBits(alone(&DeltaGradients<float>::gradK, {2, 42, 2, 16}), all.gradK));
    EXPECT_TRUE(sameBits(alone(&DeltaGradients<float>::gradV, {2, 42, 2, 16}), all.gradV));
    EXPECT_TRUE(sameBits(alone(&DeltaGradients<float>::gradBeta, {2, 42, 2, 1}), all.gradBeta));
    EXPECT_TRUE(sameBits(alone(&DeltaGradients<float>::gradGate, {2, 21, 2, 1}), all.gradGate));
}

}  // namespace
}  // namespace lab::kernels::testing
