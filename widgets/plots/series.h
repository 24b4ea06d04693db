// One curve of a metric plot: its points by step and by CPU time, raw and smoothed.
#pragma once

#include <QString>
#include <array>

#include "widgets/plots/metric_plot.h"
#include "widgets/plots/min_max_pyramid.h"

namespace lab::widgets {

class Series {
public:
    Series(QString name, int style, int variant)
        : m_name(std::move(name)), m_style(style), m_variant(variant) {}

    void append(const MetricPoint& point);
    /// In [0, 1): the weight of the past in the exponential mean. 0: no smoothed curve.
    void setSmoothing(double strength);

    [[nodiscard]] const MinMaxPyramid& raw(XAxis axis) const { return m_raw[indexOf(axis)]; }
    [[nodiscard]] const MinMaxPyramid& smooth(XAxis axis) const { return m_smooth[indexOf(axis)]; }
    [[nodiscard]] const QString& name() const { return m_name; }
    [[nodiscard]] int style() const { return m_style; }
    [[nodiscard]] int variant() const { return m_variant; }

    bool visible = true;

private:
    static std::size_t indexOf(XAxis axis) { return axis == XAxis::kStep ? 0 : 1; }
    void smoothen(double step, double seconds, double value);

    QString m_name;
    int m_style;
    int m_variant;
    std::array<MinMaxPyramid, 2> m_raw, m_smooth;  // by step, by CPU seconds
    double m_strength = 0;
    double m_sum = 0, m_weight = 0;  // of the exponential mean; their quotient has no bias
};

}  // namespace lab::widgets
