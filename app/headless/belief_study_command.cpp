// bench belief-study: two tables, each number beside the known one.
#include <fmt/format.h>

#include "app/headless/command.h"
#include "app/headless/text_io.h"
#include "core/belief_study.h"

namespace lab::headless {
namespace {

Json goal(const std::string& text, const std::string& what, const StudiedNumber& number) {
    return {{"goal", fmt::format("{}: {} is {:.6g}", text, what, number.expected)},
            {"measured", fmt::format("{:.6g}", number.measured)},
            {"met", number.met}};
}

void addDecay(const DecayRow& row, Json& goals, Json& rows) {
    const std::string name = fmt::format("{} cups mixed with {}", row.cups, row.probability);
    Json json{{"table", "decay"}, {"cups", row.cups}, {"probability", row.probability}};
    const auto add = [&](const char* field, const char* what, const StudiedNumber& number) {
        json[field] = number.measured;
        json[fmt::format("{}_expected", field)] = number.expected;
        goals.push_back(goal(name, what, number));
    };
    add("log2_norm_per_step", "the joint log2 norm per step, within 0.03", row.log2NormPerStep);
    add("reveal_entropy_bits", "the entropy of a reveal, within 0.03 bits", row.revealEntropyBits);
    add("fp32_steps", "the joint tracker's life in fp32, within 6 %", row.fp32Steps);
    add("mean_tv", "the marginal read-out's mean total variation, within a factor of 2",
        row.meanTotalVariation);
    add("worst_tv", "the same at the worst step of eight runs", row.worstTotalVariation);
    rows.push_back(std::move(json));
}

void addHorizon(const HorizonRow& row, Json& goals, Json& rows) {
    rows.push_back({{"table", "horizon"},
                    {"format", row.format},
                    {"basis", row.basis},
                    {"bases", row.bases},
                    {"cycles", row.median.measured},
                    {"cycles_expected", row.median.expected},
                    {"cycles_least", row.least},
                    {"cycles_most", row.most}});
    goals.push_back(goal(fmt::format("{}, {}", row.format, row.basis),
                         "cycles until the state is lost, within 1,", row.median));
}

Json jsonOf(const BeliefStudy& study) {
    Json goals = Json::array();
    Json rows = Json::array();
    for (const DecayRow& row : study.decay) {
        addDecay(row, goals, rows);
    }
    for (const HorizonRow& row : study.horizons) {
        addHorizon(row, goals, rows);
    }
    return {{"bench", kBeliefStudy},
            {"seed", study.options.seed},
            {"runs", study.options.runs},
            {"bases", study.options.bases},
            {"goals", goals},
            {"rows", rows},
            {"pass", study.pass()}};
}

/// "-0.854 (-0.85)", with a mark where it is missed.
std::string beside(const StudiedNumber& number, const char* format) {
    const auto text = [format](double value) { return fmt::format(fmt::runtime(format), value); };
    return text(number.measured) + " (" + text(number.expected) + ")" + (number.met ? "" : " !");
}

void printTables(const BeliefStudy& study) {
    printLine(fmt::format(
        "Each number beside (the known one); ! marks a miss. Seed {}, {} runs of 200 steps.",
        study.options.seed, study.options.runs));
    std::vector<std::vector<std::string>> rows;
    for (const DecayRow& row : study.decay) {
        rows.push_back({std::to_string(row.cups), fmt::format("{:.2g}", row.probability),
                        beside(row.log2NormPerStep, "{:.2f}"),
                        beside(row.revealEntropyBits, "{:.2f}"), beside(row.fp32Steps, "{:.0f}"),
                        beside(row.meanTotalVariation, "{:.4f}"),
                        beside(row.worstTotalVariation, "{:.3f}")});
    }
    printTable(
        {"cups", "p", "log2 norm a step", "reveal, bits", "steps in fp32", "mean TV", "worst TV"},
        rows, 0);
    printLine("");
    printLine(fmt::format("Cycles until the starved pair is lost: medians of {} random bases.",
                          study.options.bases));
    rows.clear();
    for (const HorizonRow& row : study.horizons) {
        rows.push_back({row.format, row.basis, beside(row.median, "{:.0f}"),
                        std::to_string(row.least), std::to_string(row.most)});
    }
    printTable({"format", "basis", "cycles", "least", "most"}, rows, 2);
}

}  // namespace

ExitCode measureBeliefStudy(bool json, bool quiet, std::function<bool()> stop) {
    BeliefStudyOptions options;
    options.stop = std::move(stop);
    if (!quiet) {
        options.progress = [](const std::string& line) { say(line); };
    }
    const BeliefStudy study = runBeliefStudy(options);
    if (json) {
        printJson(jsonOf(study));
    } else {
        printTables(study);
    }
    return study.pass() ? ExitCode::kDone : ExitCode::kRefused;
}

}  // namespace lab::headless
