// Random gated linear attention, SSD and selective scans, and the kernels run on them. Inputs and
// outputs are numbered as in kernels/reference/scans.h.
#pragma once

#include "kernels/gated_linear_attention.h"
#include "kernels/reference/scans.h"
#include "kernels/selective_scan.h"
#include "kernels/ssd.h"
#include "tests/kernels/support.h"

namespace lab::kernels::testing {

using reference::Answer;
using reference::ScanExtent;

struct ScanProblem {
    ScanExtent extent;
    double scale = 1.0;    ///< gated linear attention
    bool softplus = true;  ///< selective scan
    std::vector<Numbers> inputs, upstream;
};

struct ScanOptions {
    Isa isa = Isa::kGeneric;
    Exec exec{};
    Layout inputs = Layout::kContiguous, outputs = Layout::kContiguous;
};

template <class T>
struct ScanRun {
    std::vector<std::vector<T>> outputs, gradients;
};

template <class T>
const T* orNull(const std::vector<T>& values) {
    return values.empty() ? nullptr : values.data();
}
template <class T>
std::vector<T> unwritten(std::size_t count) {
    return std::vector<T>(count, std::numeric_limits<T>::quiet_NaN());
}
template <class T>
View<const T> orAbsent(const Placed<T>& array, const Numbers& values) {
    return values.empty() ? View<const T>{} : array.in();
}

/// `telescoped`: inputs whose gradient is a difference of sums, so that its error is relative to
/// those (at least 1 here), not to the gradient itself, which may be zero. `nearZero`: the same of
/// outputs, such as the logarithm of a sum near one.
template <class T>
void expectAnswer(const ScanRun<T>& run, const Answer& expected, double forward, double backward,
                  const std::vector<std::size_t>& telescoped = {},
                  const std::vector<std::size_t>& nearZero = {}) {
    ASSERT_EQ(run.outputs.size(), expected.outputs.size());
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
        const bool floor = std::ranges::count(nearZero, i) > 0;
        EXPECT_LE(relativeError(run.outputs[i], expected.outputs[i], floor ? 1.0 : 1e-30), forward)
            << "output " << i;
    }
    ASSERT_EQ(run.gradients.size(), expected.gradients.size());
    for (std::size_t i = 0; i < run.gradients.size(); ++i) {
        const bool floor = std::ranges::count(telescoped, i) > 0;
        EXPECT_LE(relativeError(run.gradients[i], expected.gradients[i], floor ? 1.0 : 1e-30),
                  backward)
            << "gradient of input " << i;
    }
}
template <class T>
void expectSameBits(const ScanRun<T>& a, const ScanRun<T>& b) {
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        EXPECT_TRUE(sameBits(a.outputs[i], b.outputs[i])) << "output " << i;
    }
    for (std::size_t i = 0; i < a.gradients.size(); ++i) {
        EXPECT_TRUE(sameBits(a.gradients[i], b.gradients[i])) << "gradient of input " << i;
    }
}

// ---- gated linear attention: q, k, v, gate, initial state -> o, final state

enum class Gate { kNone, kScalar, kVector };

inline ScanProblem randomGla(const ScanExtent& e, Gate gate, bool states, double scale = 0.5) {
    Random random(static_cast<std::uint64_t>(e.steps * 977 + e.keyDim * 31 + e.valueDim));
    const Extents keys{e.batch, e.steps, e.heads, e.keyDim};
    const Extents values{e.batch, e.steps, e.heads, e.valueDim};
    const std::size_t state = Extents{e.batch, e.heads, e.keyDim, e.valueDim}.count();
    ScanProblem p{e, scale, true, {}, {}};
    p.inputs = {random.array(keys.count()), random.array(keys.count()),
                random.array(values.count())};
    p.inputs.push_back(gate == Gate::kNone ? Numbers{}
                       : gate == Gate::kVector
                           ? random.array(keys.count(), -2, 0)
                           : random.array(Extents{e.batch, e.steps, e.heads, 1}.count(), -1, 0));
    p.inputs.push_back(states ? random.array(state) : Numbers{});
    p.upstream = {random.array(values.count()), states ? random.array(state) : Numbers{}};
    return p;
}
inline Answer expectedGla(const ScanProblem& p) {
    return reference::gatedLinearAttention(p.extent, p.scale, p.inputs, p.upstream);
}

/// Forward and backward; everything written starts as NaN.
template <class T>
ScanRun<T> runGla(const ScanProblem& p, const ScanOptions& options) {
    const ScanExtent& e = p.extent;
    const Extents keys{e.batch, e.steps, e.heads, e.keyDim};
    const Extents values{e.batch, e.steps, e.heads, e.valueDim};
    const bool vectorGate = p.inputs[3].size() == keys.count() && !p.inputs[3].empty();
    const Extents gates{e.batch, e.steps, e.heads, vectorGate ? e.keyDim : 1};
    const Placed<T> q(keys, options.inputs, &p.inputs[0]), k(keys, options.inputs, &p.inputs[1]);
    const Placed<T> v(values, options.inputs, &p.inputs[2]);
    const Placed<T> g(gates, options.inputs, p.inputs[3].empty() ? nullptr : &p.inputs[3]);
    const Placed<T> gradO(values, options.inputs, p.upstream[0].empty() ? nullptr : &p.upstream[0]);
    const auto initial = cast<T>(p.inputs[4]), gradFinal = cast<T>(p.upstream[1]);
    const GlaInputs<T> in{q.in(), k.in(), v.in(), orAbsent(g, p.inputs[3]), orNull(initial)};
    const GlaPlan plan = glaPlan({e.batch, e.steps, e.heads, e.keyDim, e.valueDim},
                                 {p.scale, vectorGate}, options.isa, sizeof(T) == 8);
    const Placed<T> o(values, options.outputs);
    const Placed<T> dq(keys, options.outputs), dk(keys, options.outputs);
    const Placed<T> dv(values, options.outputs), dg(gates, options.outputs);
    const std::size_t state = Extents{e.batch, e.heads, e.keyDim, e.valueDim}.count();
    auto final = unwritten<T>(state), rebuilt = final, gradInitial = final;
    auto workspace = unwritten<T>(
        std::max(plan.forwardWorkspaceBytes, plan.backwardWorkspaceBytes) / sizeof(T) + 1);
    EXPECT_EQ(
        glaForward<T>(plan, in, {o.out(), final.data(), nullptr}, workspace.data(), options.exec),
        Status::kOk);
    const GlaGradients<T> grad{orAbsent(gradO, p.upstream[0]),
                               orNull(gradFinal),
                               dq.out(),
                               dk.out(),
                               dv.out(),
                               p.inputs[3].empty() ? View<T>{} : dg.out(),
                               gradInitial.data(),
                               rebuilt.data()};
    EXPECT_EQ(glaBackward<T>(plan, in, grad, workspace.data(), options.exec), Status::kOk);
    EXPECT_TRUE(sameBits(final, rebuilt)) << "backward rebuilt another state";
    EXPECT_TRUE(o.gapsAreUntouched() && dq.gapsAreUntouched() && dv.gapsAreUntouched());
    ScanRun<T> run{{o.values(), final}, {dq.values(), dk.values(), dv.values()}};
    run.gradients.push_back(p.inputs[3].empty() ? std::vector<T>{} : dg.values());
    run.gradients.push_back(p.inputs[4].empty() ? std::vector<T>{} : gradInitial);
    return run;
}

// ---- SSD: x, Delta, A, B, C, D, initial state -> y, final state

inline ScanProblem randomSsd(const ScanExtent& e, bool skip, bool states) {
    Random random(static_cast<std::uint64_t>(e.steps * 977 + e.keyDim * 31 + e.heads));
    const Extents values{e.batch, e.steps, e.heads, e.valueDim};
    const Extents shared{e.batch, e.steps, e.groups, e.keyDim};
    const std::size_t state = Extents{e.batch, e.heads, e.keyDim, e.valueDim}.count();
    const auto heads = static_cast<std::size_t>(e.heads);
    ScanProblem p{e, 1.0, true, {}, {}};
    p.inputs = {random.array(values.count()),
                random.array(Extents{e.batch, e.steps, e.heads, 1}.count(), 0.01, 0.8),
                random.array(heads, -2, -0.1),
                random.array(shared.count()),
                random.array(shared.count()),
                skip ? random.array(heads) : Numbers{},
                states ? random.array(state) : Numbers{}};
    p.upstream = {random.array(values.count()), states ? random.array(state) : Numbers{}};
    return p;
}
inline Answer expectedSsd(const ScanProblem& p) {
    return reference::ssd(p.extent, p.inputs, p.upstream);
}

template <class T>
ScanRun<T> runSsd(const ScanProblem& p, const ScanOptions& options) {
    const ScanExtent& e = p.extent;
    const Extents values{e.batch, e.steps, e.heads, e.valueDim};
    const Extents shared{e.batch, e.steps, e.groups, e.keyDim};
    const Extents deltas{e.batch, e.steps, e.heads, 1};
    const Placed<T> x(values, options.inputs, &p.inputs[0]);
    const Placed<T> delta(deltas, options.inputs, &p.inputs[1]);
    const Placed<T> b(shared, options.inputs, &p.inputs[3]),
        c(shared, options.inputs, &p.inputs[4]);
    const Placed<T> gradY(values, options.inputs, &p.upstream[0]);
    const auto a = cast<T>(p.inputs[2]), d = cast<T>(p.inputs[5]), initial = cast<T>(p.inputs[6]);
    const auto gradFinal = cast<T>(p.upstream[1]);
    const SsdInputs<T> in{x.in(), delta.in(), orNull(a),      b.in(),
                          c.in(), orNull(d),  orNull(initial)};
    const SsdPlan plan = ssdPlan({e.batch, e.steps, e.heads, e.groups, e.keyDim, e.valueDim},
                                 options.isa, sizeof(T) == 8);
    const Placed<T> y(values, options.outputs), dx(values, options.outputs);
    const Placed<T> dDelta(deltas, options.outputs);
    const Placed<T> db(shared, options.outputs), dc(shared, options.outputs);
    const std::size_t state = Extents{e.batch, e.heads, e.keyDim, e.valueDim}.count();
    auto final = unwritten<T>(state), gradInitial = final;
    auto da = unwritten<T>(a.size()), dd = unwritten<T>(d.size());
    auto workspace = unwritten<T>(
        std::max(plan.forwardWorkspaceBytes, plan.backwardWorkspaceBytes) / sizeof(T) + 1);
    EXPECT_EQ(
        ssdForward<T>(plan, in, {y.out(), final.data(), nullptr}, workspace.data(), options.exec),
        Status::kOk);
    const SsdGradients<T> grad{
        gradY.in(),        orNull(gradFinal), dx.out(), dDelta.out(),
        da.data(),         db.out(),          dc.out(), d.empty() ? nullptr : dd.data(),
        gradInitial.data()};
    EXPECT_EQ(ssdBackward<T>(plan, in, grad, workspace.data(), options.exec), Status::kOk);
    EXPECT_TRUE(y.gapsAreUntouched() && dx.gapsAreUntouched() && db.gapsAreUntouched());
    ScanRun<T> run{{y.values(), final},
                   {dx.values(), dDelta.values(), da, db.values(), dc.values(), dd}};
    run.gradients.push_back(initial.empty() ? std::vector<T>{} : gradInitial);
    return run;
}

// ---- selective scan: u, raw, z, A, B, C, D, bias, initial state -> out, final state

/// Bits of `options`: 1 gate z, 2 skip D, 4 bias, 8 states.
inline ScanProblem randomSelectiveScan(const ScanExtent& e, int options, bool softplus = true) {
    Random random(static_cast<std::uint64_t>(e.steps * 977 + e.keyDim * 31 + e.heads));
    const Extents channels{e.batch, e.steps, 1, e.heads};
    const Extents shared{e.batch, e.steps, 1, e.keyDim};
    const std::size_t state = Extents{e.batch, 1, e.heads, e.keyDim}.count();
    const auto width = static_cast<std::size_t>(e.heads);
    ScanProblem p{e, 1.0, softplus, {}, {}};
    p.inputs = {
        random.array(channels.count()),
        softplus ? random.array(channels.count(), -3, 2) : random.array(channels.count(), 0.1, 1.5),
        (options & 1) != 0 ? random.array(channels.count(), -2, 2) : Numbers{},
        random.array(width * static_cast<std::size_t>(e.keyDim), -2, -0.05),
        random.array(shared.count()),
        random.array(shared.count()),
        (options & 2) != 0 ? random.array(width) : Numbers{},
        (options & 4) != 0 ? random.array(width, 0, 0.5) : Numbers{},
        (options & 8) != 0 ? random.array(state) : Numbers{}};
    p.upstream = {random.array(channels.count()),
                  (options & 8) != 0 ? random.array(state) : Numbers{}};
    return p;
}
inline Answer expectedSelectiveScan(const ScanProblem& p) {
    return reference::selectiveScan(p.extent, p.softplus, p.inputs, p.upstream);
}

template <class T>
ScanRun<T> runSelectiveScan(const ScanProblem& p, const ScanOptions& options) {
    const ScanExtent& e = p.extent;
    const Extents channels{e.batch, e.steps, 1, e.heads};
    const Extents shared{e.batch, e.steps, 1, e.keyDim};
    const auto place = [&](const Extents& extents, std::size_t i) {
        return Placed<T>(extents, options.inputs, p.inputs[i].empty() ? nullptr : &p.inputs[i]);
    };
    const Placed<T> u = place(channels, 0), raw = place(channels, 1), z = place(channels, 2);
    const Placed<T> b = place(shared, 4), c = place(shared, 5);
    const Placed<T> gradOut(channels, options.inputs, &p.upstream[0]);
    const auto a = cast<T>(p.inputs[3]), d = cast<T>(p.inputs[6]), bias = cast<T>(p.inputs[7]);
    const auto initial = cast<T>(p.inputs[8]), gradFinal = cast<T>(p.upstream[1]);
    const SelectiveScanInputs<T> in{u.in(),    raw.in(),     orAbsent(z, p.inputs[2]),
                                    a.data(),  b.in(),       c.in(),
                                    orNull(d), orNull(bias), orNull(initial)};
    const SelectiveScanPlan plan = selectiveScanPlan({e.batch, e.steps, e.heads, e.keyDim},
                                                     p.softplus, options.isa, sizeof(T) == 8);
    const Placed<T> out(channels, options.outputs), du(channels, options.outputs);
    const Placed<T> dRaw(channels, options.outputs), dz(channels, options.outputs);
    const Placed<T> db(shared, options.outputs), dc(shared, options.outputs);
    auto final = unwritten<T>(Extents{e.batch, 1, e.heads, e.keyDim}.count()), gradInitial = final;
    auto da = unwritten<T>(a.size());
    auto dd = unwritten<T>(static_cast<std::size_t>(e.heads)), dBias = dd;
    auto saved = unwritten<T>(plan.savedElements + 1);
    auto workspace = unwritten<T>(
        std::max(plan.forwardWorkspaceBytes, plan.backwardWorkspaceBytes) / sizeof(T) + 1);
    EXPECT_EQ(selectiveScanForward<T>(plan, in, {out.out(), final.data(), saved.data()},
                                      workspace.data(), options.exec),
              Status::kOk);
    const SelectiveScanGradients<T> grad{gradOut.in(),
                                         orNull(gradFinal),
                                         du.out(),
                                         dRaw.out(),
                                         p.inputs[2].empty() ? View<T>{} : dz.out(),
                                         da.data(),
                                         db.out(),
                                         dc.out(),
                                         dd.data(),
                                         dBias.data(),
                                         gradInitial.data()};
    EXPECT_EQ(
        selectiveScanBackward<T>(plan, in, saved.data(), grad, workspace.data(), options.exec),
        Status::kOk);
    EXPECT_TRUE(out.gapsAreUntouched() && du.gapsAreUntouched() && db.gapsAreUntouched());
    const auto asked = [&](std::size_t input, const std::vector<T>& values) {
        return p.inputs[input].empty() ? std::vector<T>{} : values;
    };
    return {{out.values(), final},
            {du.values(), dRaw.values(), asked(2, dz.values()), da, db.values(), dc.values(),
             asked(6, dd), asked(7, dBias), asked(8, gradInitial)}};
}

}  // namespace lab::kernels::testing
