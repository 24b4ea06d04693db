// The production scans, cells and attention in float64 against published libraries (tests/golden).
#include "tests/kernels/golden.h"
#include "tests/kernels/layer_support.h"

namespace lab::kernels::testing {
namespace {

LAB_FOR_EVERY_ISA(GoldenScans);

constexpr double kTolerance = 1e-10;

/// [a, b, c, rest] -> [a, c, b, rest].
Numbers swapAxes(const Numbers& from, int a, int b, int c) {
    Numbers to(from.size());
    const std::size_t rest = from.empty() ? 0 : from.size() / static_cast<std::size_t>(a * b * c);
    for (int i = 0; i < a; ++i) {
        for (int j = 0; j < b; ++j) {
            for (int k = 0; k < c; ++k) {
                for (std::size_t r = 0; r < rest; ++r) {
                    to[static_cast<std::size_t>((i * c + k) * b + j) * rest + r] =
                        from[static_cast<std::size_t>((i * b + j) * c + k) * rest + r];
                }
            }
        }
    }
    return to;
}

struct GlaGolden {
    std::string name, gate;
    bool headMajor = false;
};

TEST_P(GoldenScans, LinearAttentionsAreThoseOfThePublishedLibraries) {
    for (const GlaGolden& file : {GlaGolden{"gla", "gk"},
                                  {"gla_strong_gates", "gk"},
                                  {"simple_gla", "g"},
                                  {"linear_attention", ""},
                                  {"retention", "", true}}) {
        SCOPED_TRACE(file.name);
        const Golden golden("recurrences/" + file.name);
        const std::size_t time = file.headMajor ? 2 : 1, head = file.headMajor ? 1 : 2;
        const ScanExtent e{golden.extent("q", 0), golden.extent("q", time),
                           golden.extent("q", head), golden.extent("q", 3), golden.extent("v", 3)};
        const auto get = [&](const std::string& name) {
            const Numbers all = golden.values(name);
            return file.headMajor ? swapAxes(all, e.batch, e.heads, e.steps) : all;
        };
        ScanProblem p{e, 1 / std::sqrt(e.keyDim), true, {}, {}};
        p.inputs = {get("q"), get("k"), get("v"),
                    file.gate.empty() ? Numbers{} : golden.values(file.gate),
                    golden.values("initial_state")};
        if (file.headMajor) {  // retention: a fixed decay a head
            for (int row = 0; row < e.batch * e.steps; ++row) {
                for (int h = 0; h < e.heads; ++h) {
                    p.inputs[3].push_back(std::log(1 - std::exp2(-5.0 - h)));
                }
            }
        }
        p.upstream = {get("d.o"), golden.values("d.final_state")};
        const auto run = runGla<double>(p, {GetParam()});
        LAB_EXPECT_CLOSE(run.outputs[0], get("o"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[0], get("grad.q"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[1], get("grad.k"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[2], get("grad.v"), kTolerance);
        if (!file.gate.empty()) {
            LAB_EXPECT_CLOSE(run.gradients[3], golden.values("grad." + file.gate), kTolerance);
        }
        if (!p.inputs[4].empty()) {
            LAB_EXPECT_CLOSE(run.gradients[4], golden.values("grad.initial_state"), kTolerance);
        }
        if (!golden.values("final_state").empty()) {
            LAB_EXPECT_CLOSE(run.outputs[1], golden.values("final_state"), kTolerance);
        }
    }
}

/// The library adds a bias to dt and takes the softplus; its state is [B,H,P,N].
TEST_P(GoldenScans, SsdIsThatOfMamba2) {
    for (const std::string name :
         {"ssd_scan_one_group", "ssd_scan_groups_state", "ssd_scan_limit"}) {
        SCOPED_TRACE(name);
        const Golden golden("recurrences/" + name);
        const ScanExtent e{golden.extent("x", 0), golden.extent("x", 1), golden.extent("x", 2),
                           golden.extent("B", 3), golden.extent("x", 3), golden.extent("B", 2)};
        const auto state = [&](const std::string& tensor) {
            return swapAxes(golden.values(tensor), e.batch * e.heads, e.valueDim, e.keyDim);
        };
        const Numbers raw = golden.values("dt"), bias = golden.values("dt_bias");
        Numbers delta, slope;
        for (std::size_t i = 0; i < raw.size(); ++i) {
            const double shifted = raw[i] + bias[i % bias.size()];
            delta.push_back(std::log1p(std::exp(shifted)));
            slope.push_back(1 / (1 + std::exp(-shifted)));
            if (name == "ssd_scan_limit" && (delta.back() < 0.1 || delta.back() > 1.2)) {
                delta.back() = std::clamp(delta.back(), 0.1, 1.2);
                slope.back() = 0;
            }
        }
        ScanProblem p{e, 1.0, true, {}, {}};
        p.inputs = {golden.values("x"),     delta,
                    golden.values("A"),     golden.values("B"),
                    golden.values("C"),     golden.values("D"),
                    state("initial_states")};
        p.upstream = {golden.values("d.output"), state("d.final_state")};
        const auto run = runSsd<double>(p, {GetParam()});
        LAB_EXPECT_CLOSE(run.outputs[0], golden.values("output"), kTolerance);
        LAB_EXPECT_CLOSE(run.outputs[1], state("final_state"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[0], golden.values("grad.x"), kTolerance);
        Numbers gradRaw = widen(run.gradients[1]);
        for (std::size_t i = 0; i < gradRaw.size(); ++i) {
            gradRaw[i] *= slope[i];
        }
        LAB_EXPECT_CLOSE(gradRaw, golden.values("grad.dt"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[2], golden.values("grad.A"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[3], golden.values("grad.B"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[4], golden.values("grad.C"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[5], golden.values("grad.D"), kTolerance);
    }
}

/// Files are [B,channels,T].
TEST_P(GoldenScans, TheSelectiveScanIsThatOfMamba) {
    const Golden golden("recurrences/s6_selective_scan");
    const ScanExtent e{golden.extent("u", 0), golden.extent("u", 2), golden.extent("u", 1),
                       golden.extent("A", 1)};
    const auto channels = [&](const std::string& name) {
        return swapAxes(golden.values(name), e.batch, e.heads, e.steps);
    };
    const auto shared = [&](const std::string& name) {
        return swapAxes(golden.values(name), e.batch, e.keyDim, e.steps);
    };
    ScanProblem p{e, 1.0, true, {}, {}};
    p.inputs = {channels("u"),
                channels("dt"),
                channels("z"),
                golden.values("A"),
                shared("B"),
                shared("C"),
                golden.values("D"),
                golden.values("delta_bias"),
                {}};
    p.upstream = {channels("d.output"), golden.values("d.final_state")};
    const auto run = runSelectiveScan<double>(p, {GetParam()});
    LAB_EXPECT_CLOSE(run.outputs[0], channels("output"), kTolerance);
    LAB_EXPECT_CLOSE(run.outputs[1], golden.values("final_state"), kTolerance);
    LAB_EXPECT_CLOSE(run.gradients[0], channels("grad.u"), kTolerance);
    LAB_EXPECT_CLOSE(run.gradients[1], channels("grad.dt"), kTolerance);
    LAB_EXPECT_CLOSE(run.gradients[2], channels("grad.z"), kTolerance);
    LAB_EXPECT_CLOSE(run.gradients[3], golden.values("grad.A"), kTolerance);
    LAB_EXPECT_CLOSE(run.gradients[4], shared("grad.B"), kTolerance);
    LAB_EXPECT_CLOSE(run.gradients[5], shared("grad.C"), kTolerance);
    LAB_EXPECT_CLOSE(run.gradients[6], golden.values("grad.D"), kTolerance);
    LAB_EXPECT_CLOSE(run.gradients[7], golden.values("grad.delta_bias"), kTolerance);
}

TEST_P(GoldenScans, AttentionIsThatOfThePublishedLibraries) {
    for (const auto& [name, window] :
         {std::pair<std::string, int>{"attention_causal_grouped", 0}, {"attention_window_4", 4}}) {
        SCOPED_TRACE(name);
        const Golden golden("recurrences/" + name);
        AttentionProblem p;
        p.extent = {golden.extent("q", 0), golden.extent("q", 1), golden.extent("q", 2),
                    golden.extent("q", 3), golden.extent("v", 3), golden.extent("k", 2)};
        p.scale = 1 / std::sqrt(p.extent.keyDim);
        p.window = window;
        p.inputs = {golden.values("q"), golden.values("k"), golden.values("v")};
        p.upstream = {golden.values("d.o")};
        const auto run = runAttention<double>(p, {GetParam()});
        LAB_EXPECT_CLOSE(run.outputs[0], golden.values("o"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[0], golden.values("grad.q"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[1], golden.values("grad.k"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[2], golden.values("grad.v"), kTolerance);
    }
}

/// Files are [B,H,T,D].
TEST_P(GoldenScans, AttentionIsThatOfTorch) {
    struct File {
        std::string name;
        double scale;
        int window;
    };
    for (const auto& [name, scale, window] : {File{"sdpa_causal", 1 / std::sqrt(6), 0},
                                              {"sdpa_causal_scale", 0.3, 0},
                                              {"sdpa_window_1", 1 / std::sqrt(6), 1},
                                              {"sdpa_window_3", 1 / std::sqrt(6), 3},
                                              {"sdpa_grouped_query", 1 / std::sqrt(6), 0},
                                              {"sdpa_sharp", 1 / std::sqrt(6), 0}}) {
        SCOPED_TRACE(name);
        const Golden golden("modules/" + name);
        const ScanExtent e{golden.extent("q", 0), golden.extent("q", 2), golden.extent("q", 1),
                           golden.extent("q", 3), golden.extent("v", 3), golden.extent("k", 1)};
        const auto get = [&](const std::string& tensor, int heads) {
            return swapAxes(golden.values(tensor), e.batch, heads, e.steps);
        };
        AttentionProblem p{e, scale, window, 0.0, {}, {}};
        p.inputs = {get("q", e.heads), get("k", e.groups), get("v", e.groups)};
        p.upstream = {get("d.output", e.heads)};
        const auto run = runAttention<double>(p, {GetParam()});
        LAB_EXPECT_CLOSE(run.outputs[0], get("output", e.heads), kTolerance);
        // Zero behind a window of one: relative to one.
        EXPECT_LE(relativeError(run.gradients[0], get("grad.q", e.heads), 1.0), kTolerance);
        EXPECT_LE(relativeError(run.gradients[1], get("grad.k", e.groups), 1.0), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[2], get("grad.v", e.groups), kTolerance);
    }
}

/// The library's heads are blocks on the diagonal of R; time comes first in its files.
TEST_P(GoldenScans, TheStabilisedLstmIsThatOfXlstm) {
    for (const std::string name : {"slstm_one_head", "slstm_two_heads_large_gates"}) {
        SCOPED_TRACE(name);
        const Golden golden("recurrences/" + name);
        const int steps = golden.extent("x", 0), batch = golden.extent("x", 1);
        const int heads = golden.extent("R", 0), own = golden.extent("R", 2), d = heads * own;
        const auto place = [&](int head, int row, int column) {  // row: gate, unit of the head
            const int gate = row / own, unit = head * own + row % own;
            return static_cast<std::size_t>((gate * d + unit) * d + head * own + column);
        };
        Numbers r(static_cast<std::size_t>(4 * d * d));
        const Numbers blocks = golden.values("R");
        const auto forEachBlockNumber = [&](const auto& visit) {
            std::size_t i = 0;
            for (int head = 0; head < heads; ++head) {
                for (int row = 0; row < 4 * own; ++row) {
                    for (int column = 0; column < own; ++column) {
                        visit(i++, place(head, row, column));
                    }
                }
            }
        };
        forEachBlockNumber([&](std::size_t block, std::size_t full) { r[full] = blocks[block]; });
        ScanProblem p{{batch, steps, 1, d}, 1.0, true, {}, {}};
        p.inputs = {swapAxes(golden.values("x"), 1, steps, batch), r, golden.values("b"), {}, {}};
        p.upstream = {swapAxes(golden.values("d.y"), 1, steps, batch), {}, {}};
        const auto run = runRecurrent<double>(Cell::kSlstm, p, GetParam());
        LAB_EXPECT_CLOSE(run.outputs[0], swapAxes(golden.values("y"), 1, steps, batch), kTolerance);
        LAB_EXPECT_CLOSE(run.outputs[2], golden.values("final_c"), kTolerance);
        LAB_EXPECT_CLOSE(run.outputs[3], golden.values("final_n"), kTolerance);
        LAB_EXPECT_CLOSE(run.outputs[4], golden.values("final_m"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[0], swapAxes(golden.values("grad.x"), 1, steps, batch),
                         kTolerance);
        Numbers gradR(blocks.size());
        forEachBlockNumber(
            [&](std::size_t block, std::size_t full) { gradR[block] = run.gradients[1][full]; });
        LAB_EXPECT_CLOSE(gradR, golden.values("grad.R"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[2], golden.values("grad.b"), kTolerance);
    }
}

/// KR-43: torch's order of the gates; the projection is made here.
TEST_P(GoldenScans, CellsAreThoseOfTorch) {
    for (const auto& [name, cell] : {std::pair<std::string, Cell>{"lstm_no_bias", Cell::kLstm},
                                     {"lstm_one_step", Cell::kLstm},
                                     {"gru_no_bias", Cell::kGru}}) {
        SCOPED_TRACE(name);
        const Golden golden("modules/" + name);
        const int batch = golden.extent("x", 0), steps = golden.extent("x", 1);
        const int width = golden.extent("x", 2), hidden = golden.extent("h0", 2);
        const auto inner = static_cast<std::size_t>(gatesOf(cell) * hidden);
        const Numbers x = golden.values("x"), weight = golden.values("param.weight_ih_l0");
        const Numbers bias = golden.values("param.bias_ih_l0");
        Numbers pre;
        for (std::size_t row = 0; row < static_cast<std::size_t>(batch * steps); ++row) {
            for (std::size_t i = 0; i < inner; ++i) {
                double total = bias.empty() ? 0.0 : bias[i];
                for (std::size_t j = 0; j < static_cast<std::size_t>(width); ++j) {
                    total += x[row * static_cast<std::size_t>(width) + j] *
                             weight[i * static_cast<std::size_t>(width) + j];
                }
                pre.push_back(total);
            }
        }
        ScanProblem p{{batch, steps, 1, hidden}, 1.0, true, {}, {}};
        p.inputs = {pre, golden.values("param.weight_hh_l0"), golden.values("param.bias_hh_l0"),
                    golden.values("h0"), golden.values("c0")};
        p.upstream = {golden.values("d.output"), golden.values("d.h_n"), golden.values("d.c_n")};
        const auto run = runRecurrent<double>(cell, p, GetParam());
        LAB_EXPECT_CLOSE(run.outputs[0], golden.values("output"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[1], golden.values("grad.weight_hh_l0"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[2], golden.values("grad.bias_hh_l0"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[3], golden.values("grad.h0"), kTolerance);
        LAB_EXPECT_CLOSE(run.gradients[4], golden.values("grad.c0"), kTolerance);
    }
}

}  // namespace
}  // namespace lab::kernels::testing
