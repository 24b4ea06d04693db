#include "widgets/plots/series.h"

#include <algorithm>
#include <cmath>

namespace lab::widgets {

void Series::append(const MetricPoint& point) {
    if (!std::isfinite(point.value)) {
        return;
    }
    m_raw[0].append(point.step, point.value);
    m_raw[1].append(point.cpuSeconds, point.value);
    smoothen(point.step, point.cpuSeconds, point.value);
}

void Series::smoothen(double step, double seconds, double value) {
    if (m_strength <= 0) {
        return;
    }
    m_sum = m_strength * m_sum + (1 - m_strength) * value;
    m_weight = m_strength * m_weight + (1 - m_strength);
    m_smooth[0].append(step, m_sum / m_weight);
    m_smooth[1].append(seconds, m_sum / m_weight);
}

void Series::setSmoothing(double strength) {
    m_strength = std::clamp(strength, 0.0, 0.999);
    m_sum = 0;
    m_weight = 0;
    for (MinMaxPyramid& curve : m_smooth) {
        curve.clear();
    }
    const auto& steps = m_raw[0].points();
    const auto& seconds = m_raw[1].points();
    for (std::size_t i = 0; i < steps.size(); ++i) {
        smoothen(steps[i].x, seconds[i].x, steps[i].y);
    }
}

}  // namespace lab::widgets
