#include "app/pages/curve_feed.h"

#include <algorithm>

#include "app/pages/run_style.h"

namespace lab::app {
namespace {

/// CPU seconds at a step, read off the loss curve that has a point for each.
double secondsAt(const Run& run, std::int64_t step) {
    const Curve& curve = run.curves.curve(QStringLiteral("loss"));
    const auto at = std::ranges::lower_bound(curve.step, static_cast<double>(step));
    if (at == curve.step.end()) {
        return curve.cpuSeconds.empty() ? 0 : curve.cpuSeconds.back();
    }
    return curve.cpuSeconds[static_cast<std::size_t>(at - curve.step.begin())];
}

}  // namespace

void CurveFeed::setSeries(std::vector<FeedSeries> series) {
    m_series = std::move(series);
    clear();
}

void CurveFeed::setPrefix(const QString& prefix) {
    m_prefix = prefix;
    clear();
}

void CurveFeed::clear() {
    m_plot.clear();
    m_lines.clear();
    m_marks.clear();
}

void CurveFeed::update(const std::vector<std::unique_ptr<Run>>& runs) {
    const auto shown = [&runs](int id) {
        return std::ranges::any_of(runs,
                                   [id](const auto& run) { return run->id == id && run->shown; });
    };
    if (std::ranges::any_of(m_lines, [&](const auto& line) { return !shown(line.first.first); })) {
        clear();
    }
    for (const auto& run : runs) {
        if (!run->shown) {
            continue;
        }
        for (const FeedSeries& series : m_series) {
            feed(*run, series);
        }
        if (!m_prefix.isEmpty()) {
            int variant = 0;
            for (const QString& metric : run->curves.seriesWith(m_prefix)) {
                feed(*run, {metric, metric.mid(m_prefix.size()), variant++});
            }
        }
        mark(*run);
    }
}

void CurveFeed::feed(const Run& run, const FeedSeries& series) {
    const Curve& curve = run.curves.curve(series.metric);
    if (curve.empty()) {
        return;
    }
    auto [at, isNew] = m_lines.try_emplace({run.id, series.metric});
    Line& line = at->second;
    if (isNew) {
        const QString name = series.label.isEmpty()
                                 ? run.name
                                 : QStringLiteral("%1, %2").arg(run.name, series.label);
        line.number = m_plot.addSeries(name, styleOf(run), series.variant);
    }
    std::vector<widgets::MetricPoint> points;
    points.reserve(curve.value.size() - line.points);
    for (; line.points < curve.value.size(); ++line.points) {
        points.push_back({.step = curve.step[line.points],
                          .cpuSeconds = curve.cpuSeconds[line.points],
                          .value = curve.value[line.points]});
    }
    m_plot.append(line.number, points);
}

void CurveFeed::mark(const Run& run) {
    std::size_t& done = m_marks[run.id];
    for (; done < run.events.size(); ++done) {
        const values::RunEvent& event = run.events[done];
        using Kind = values::RunEvent::Kind;
        if (event.kind == Kind::kStage || event.kind == Kind::kRateChanged ||
            event.kind == Kind::kDiverged) {
            m_plot.addEventMark({.step = static_cast<double>(event.step),
                                 .cpuSeconds = secondsAt(run, event.step),
                                 .text = QString::fromStdString(event.text),
                                 .style = styleOf(run)});
        }
    }
}

}  // namespace lab::app
