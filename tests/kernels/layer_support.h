// Random attention and recurrent layers, and the kernels run on them. Inputs and outputs are
// numbered as in kernels/reference/scans.h.
#pragma once

#include "kernels/attention.h"
#include "kernels/recurrent.h"
#include "tests/kernels/scan_support.h"

namespace lab::kernels::testing {

struct AttentionProblem {
    ScanExtent extent;
    double scale = 0.3;
    int window = 0;
    double rotaryBase = 0.0;
    std::vector<Numbers> inputs, upstream;
};

/// Rows [B,T,heads,K] with their pairs (j, j + K/2) turned by place base^(-2j/K), or back.
inline Numbers rotated(const Numbers& rows, const ScanExtent& e, int heads, double base,
                       double way) {
    Numbers turned = rows;
    const auto half = static_cast<std::size_t>(e.keyDim / 2);
    for (std::size_t row = 0; row < rows.size() / (2 * half); ++row) {
        const auto place = static_cast<double>(row / static_cast<std::size_t>(heads) %
                                               static_cast<std::size_t>(e.steps));
        for (std::size_t j = 0; j < half; ++j) {
            const double angle =
                way * place * std::pow(base, -2.0 * static_cast<double>(j) / e.keyDim);
            const double x = rows[row * 2 * half + j], y = rows[row * 2 * half + half + j];
            turned[row * 2 * half + j] = x * std::cos(angle) - y * std::sin(angle);
            turned[row * 2 * half + half + j] = x * std::sin(angle) + y * std::cos(angle);
        }
    }
    return turned;
}

inline AttentionProblem randomAttention(const ScanExtent& e, int window) {
    Random random(static_cast<std::uint64_t>(e.steps * 977 + e.keyDim * 31 + window));
    AttentionProblem p{e, 0.3, window, 0.0, {}, {}};
    const Extents queries{e.batch, e.steps, e.heads, e.keyDim};
    const Extents keys{e.batch, e.steps, e.groups, e.keyDim};
    const Extents values{e.batch, e.steps, e.groups, e.valueDim};
    p.inputs = {random.array(queries.count(), -2, 2), random.array(keys.count(), -2, 2),
                random.array(values.count())};
    p.upstream = {random.array(Extents{e.batch, e.steps, e.heads, e.valueDim}.count())};
    return p;
}

template <class T>
ScanRun<T> runAttention(const AttentionProblem& p, const ScanOptions& options) {
    const ScanExtent& e = p.extent;
    const Extents queries{e.batch, e.steps, e.heads, e.keyDim};
    const Extents keys{e.batch, e.steps, e.groups, e.keyDim};
    const Extents values{e.batch, e.steps, e.groups, e.valueDim};
    const Extents outs{e.batch, e.steps, e.heads, e.valueDim};
    const Placed<T> q(queries, options.inputs, &p.inputs[0]);
    const Placed<T> k(keys, options.inputs, &p.inputs[1]);
    const Placed<T> v(values, options.inputs, &p.inputs[2]);
    const Placed<T> gradO(outs, options.inputs, &p.upstream[0]);
    const Placed<T> o(outs, options.outputs), dq(queries, options.outputs);
    const Placed<T> dk(keys, options.outputs), dv(values, options.outputs);
    const AttentionPlan plan =
        attentionPlan({e.batch, e.steps, e.steps, e.heads, e.groups, e.keyDim, e.valueDim},
                      {p.scale, p.window, p.rotaryBase}, options.isa, sizeof(T) == 8);
    auto logSum = unwritten<T>(Extents{e.batch, e.steps, e.heads, 1}.count());
    auto workspace = unwritten<T>(
        std::max(plan.forwardWorkspaceBytes, plan.backwardWorkspaceBytes) / sizeof(T) + 1);
    const AttentionInputs<T> in{q.in(), k.in(), v.in()};
    EXPECT_EQ(
        attentionForward<T>(plan, in, {o.out(), logSum.data()}, workspace.data(), options.exec),
        Status::kOk);
    EXPECT_EQ(attentionBackward<T>(
                  plan, in, {o.in(), logSum.data(), gradO.in(), dq.out(), dk.out(), dv.out()},
                  workspace.data(), options.exec),
              Status::kOk);
    EXPECT_TRUE(o.gapsAreUntouched() && dq.gapsAreUntouched() && dk.gapsAreUntouched());
    return {{o.values()}, {dq.values(), dk.values(), dv.values()}};
}

inline Answer expectedAttention(const AttentionProblem& p) {
    if (p.rotaryBase == 0.0) {
        return reference::attention(p.extent, p.scale, p.window, p.inputs, p.upstream);
    }
    const auto turn = [&](const Numbers& rows, int heads, double way) {
        return rotated(rows, p.extent, heads, p.rotaryBase, way);
    };
    Answer answer = reference::attention(p.extent, p.scale, p.window,
                                         {turn(p.inputs[0], p.extent.heads, 1.0),
                                          turn(p.inputs[1], p.extent.groups, 1.0), p.inputs[2]},
                                         p.upstream);
    answer.gradients[0] = turn(answer.gradients[0], p.extent.heads, -1.0);
    answer.gradients[1] = turn(answer.gradients[1], p.extent.groups, -1.0);
    return answer;
}

/// Inputs and outputs as in reference::recurrent. Bits of `options`: 1 bias, 2 states.
inline ScanProblem randomRecurrent(Cell cell, int batch, int steps, int hidden, int options) {
    Random random(static_cast<std::uint64_t>(steps * 977 + hidden));
    const std::size_t gates = static_cast<std::size_t>(gatesOf(cell) * hidden);
    const std::size_t tokens = static_cast<std::size_t>(batch * steps);
    const std::size_t state = static_cast<std::size_t>(batch * hidden);
    const bool states = (options & 2) != 0;
    ScanProblem p{{batch, steps, 1, hidden}, 1.0, true, {}, {}};
    p.inputs = {random.array(tokens * gates, -2, 2),
                random.array(gates * static_cast<std::size_t>(hidden), -0.4, 0.4),
                (options & 1) != 0 ? random.array(gates) : Numbers{},
                states ? random.array(state) : Numbers{},
                states && cell == Cell::kLstm ? random.array(state) : Numbers{}};
    p.upstream = {random.array(tokens * static_cast<std::size_t>(hidden)),
                  states ? random.array(state) : Numbers{}};
    if (cell == Cell::kLstm) {
        p.upstream.push_back(states ? random.array(state) : Numbers{});
    }
    if (cell == Cell::kSlstm) {  // c, n > 0 and its unit m, which has no gradient
        p.inputs[4] = states ? random.array(state) : Numbers{};
        p.inputs.push_back(states ? random.array(state, 0.5, 2) : Numbers{});
        p.inputs.push_back(states ? random.array(state, -2, 2) : Numbers{});
        p.upstream.push_back(states ? random.array(state) : Numbers{});
        p.upstream.push_back(states ? random.array(state) : Numbers{});
        p.upstream.emplace_back();
    }
    return p;
}

template <class T>
ScanRun<T> runRecurrent(Cell cell, const ScanProblem& p, Isa isa, const Exec& exec = {}) {
    const ScanExtent& e = p.extent;
    const RecurrentPlan plan =
        recurrentPlan(cell, {e.batch, e.steps, e.keyDim}, isa, sizeof(T) == 8);
    std::vector<std::vector<T>> in;
    for (const Numbers& input : p.inputs) {
        in.push_back(cast<T>(input));
    }
    std::vector<std::vector<T>> up;
    for (const Numbers& upstream : p.upstream) {
        up.push_back(cast<T>(upstream));
    }
    in.resize(7);
    up.resize(4);
    const std::size_t state = static_cast<std::size_t>(e.batch * e.keyDim);
    auto h = unwritten<T>(state * static_cast<std::size_t>(e.steps));
    auto finalH = unwritten<T>(state), finalC = finalH, finalN = finalH, finalM = finalH;
    auto gradH0 = finalH, gradC0 = finalH, gradN0 = finalH;
    auto saved = unwritten<T>(plan.savedElements + 1);
    auto gradPre = unwritten<T>(in[0].size()), gradR = unwritten<T>(in[1].size());
    auto gradBias = unwritten<T>(static_cast<std::size_t>(gatesOf(cell) * e.keyDim));
    auto workspace = unwritten<T>(
        std::max(plan.forwardWorkspaceBytes, plan.backwardWorkspaceBytes) / sizeof(T) + 1);
    const RecurrentInputs<T> inputs{in[0].data(),
                                    in[1].data(),
                                    orNull(in[2]),
                                    orNull(in[3]),
                                    {orNull(in[4]), orNull(in[5]), orNull(in[6])}};
    EXPECT_EQ(
        recurrentForward<T>(
            plan, inputs,
            {h.data(), finalH.data(), {finalC.data(), finalN.data(), finalM.data()}, saved.data()},
            workspace.data(), exec),
        Status::kOk);
    const RecurrentGradients<T> grad{orNull(up[0]),
                                     orNull(up[1]),
                                     {orNull(up[2]), orNull(up[3])},
                                     gradPre.data(),
                                     gradR.data(),
                                     gradBias.data(),
                                     gradH0.data(),
                                     {gradC0.data(), gradN0.data()}};
    EXPECT_EQ(
        recurrentBackward<T>(plan, inputs, h.data(), saved.data(), grad, workspace.data(), exec),
        Status::kOk);
    const auto asked = [&](std::size_t input, const std::vector<T>& values) {
        return input >= p.inputs.size() || p.inputs[input].empty() ? std::vector<T>{} : values;
    };
    ScanRun<T> run{{h, finalH},
                   {gradPre, gradR, asked(2, gradBias), asked(3, gradH0), asked(4, gradC0)}};
    if (cell == Cell::kLstm) {
        run.outputs.push_back(finalC);
    }
    if (cell == Cell::kSlstm) {
        run.outputs.insert(run.outputs.end(), {finalC, finalN, finalM});
        run.gradients.push_back(asked(5, gradN0));
        run.gradients.push_back(std::vector<T>(p.inputs.size() > 6 ? p.inputs[6].size() : 0, T(0)));
    }
    return run;
}

inline Answer expectedRecurrent(Cell cell, const ScanProblem& p) {
    return reference::recurrent(static_cast<reference::CellKind>(cell), p.extent, p.inputs,
                                p.upstream);
}

}  // namespace lab::kernels::testing
