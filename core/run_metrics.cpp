#include "core/run_metrics.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

namespace lab {
namespace {

struct KindNames {
    std::array<std::string, values::kTokenKindCount> loss, accuracy;
};

/// Built once: a step names its points without formatting.
const KindNames& kindNames() {
    static const KindNames names = [] {
        KindNames made;
        for (std::size_t i = 0; i < values::kTokenKindNames.size(); ++i) {
            made.loss.at(i) = "loss/" + std::string(values::kTokenKindNames.at(i));
            made.accuracy.at(i) = "accuracy/" + std::string(values::kTokenKindNames.at(i));
        }
        return made;
    }();
    return names;
}

class Points {
public:
    Points(std::int64_t step, double cpuSeconds) : m_step(step), m_cpuSeconds(cpuSeconds) {}

    void add(std::string series, double value) {
        if (!std::isnan(value)) {
            points.push_back({m_step, m_cpuSeconds, std::move(series), value});
        }
    }
    std::vector<values::Metric> points;

private:
    std::int64_t m_step;
    double m_cpuSeconds;
};

}  // namespace

std::vector<values::Metric> metricsOf(const training::StepReport& report, double cpuSeconds,
                                      double tokensPerSecond) {
    Points points(report.step, cpuSeconds);
    points.points.reserve(16 + 2 * report.heads.size());
    points.add("loss", report.loss);
    for (std::size_t kind = 0; kind < values::kTokenKindNames.size(); ++kind) {
        points.add(kindNames().loss.at(kind), report.means.loss.at(kind));
        points.add(kindNames().accuracy.at(kind), report.means.accuracy.at(kind));
    }
    points.add("learning_rate", report.learningRate);
    points.add("gradient_norm", report.gradientNorm);
    points.add("tokens_per_second", tokensPerSecond);
    points.add("stage", report.stage);
    for (const auto& head : report.heads) {
        points.add(fmt::format("state_norm/{}.{}", head.layer, head.head), head.stateNorm);
        points.add(fmt::format("beta_max/{}.{}", head.layer, head.head), head.betaMax);
    }
    return std::move(points.points);
}

std::vector<values::Metric> metricsOf(const std::vector<values::LengthAccuracy>& evaluations,
                                      std::int64_t step, double cpuSeconds) {
    Points points(step, cpuSeconds);
    for (const auto& evaluation : evaluations) {
        const auto at =
            fmt::format("@{},{}", evaluation.length.commands, evaluation.length.spacing);
        points.add("accuracy" + at, evaluation.value);
        points.add("whole" + at, evaluation.wholeTrace);
        for (std::size_t i = 0; i < evaluation.byReveal.size(); ++i) {
            points.add(fmt::format("reveal{}/{}", at, i), evaluation.byReveal[i]);
        }
    }
    return std::move(points.points);
}

}  // namespace lab
