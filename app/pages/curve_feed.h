// Feeds the curves of every shown run into a plot, a point once.
#pragma once

#include <QString>
#include <map>
#include <utility>
#include <vector>

#include "app/runs/run.h"
#include "widgets/plots/metric_plot.h"

namespace lab::app {

/// A metric series (see telemetry_records.h) and how its line is told apart from the run's others.
struct FeedSeries {
    QString metric;
    QString label;    ///< after the run's name; empty: the name alone
    int variant = 0;  ///< dash
};

class CurveFeed final {
public:
    explicit CurveFeed(widgets::MetricPlot& plot) : m_plot(plot) {}

    /// The lines of each run from now on; what is drawn is drawn anew.
    void setSeries(std::vector<FeedSeries> series);
    /// Lines for every metric whose name begins so, e.g. "state_norm/"; found as they appear.
    void setPrefix(const QString& prefix);

    /// Adds what has come since the last call. Runs that went or are hidden take their lines along.
    void update(const std::vector<std::unique_ptr<Run>>& runs);

private:
    struct Line {
        int number = 0;
        std::size_t points = 0;  ///< already in the plot
    };
    void clear();
    void feed(const Run& run, const FeedSeries& series);
    void mark(const Run& run);

    widgets::MetricPlot& m_plot;
    std::vector<FeedSeries> m_series;
    QString m_prefix;
    std::map<std::pair<int, QString>, Line> m_lines;  // by run and metric
    std::map<int, std::size_t> m_marks;               // events of a run already marked
};

}  // namespace lab::app
