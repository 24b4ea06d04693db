#include "app/runs/run_curves.h"

namespace lab::app {

void RunCurves::append(const std::vector<values::Metric>& metrics) {
    for (const values::Metric& metric : metrics) {
        Curve& curve = m_curves[QString::fromStdString(metric.series)];
        curve.step.push_back(static_cast<double>(metric.step));
        curve.cpuSeconds.push_back(metric.cpuSeconds);
        curve.value.push_back(metric.value);
    }
    m_points += static_cast<qint64>(metrics.size());
}

const Curve& RunCurves::curve(const QString& series) const {
    static const Curve kNone;
    const auto found = m_curves.constFind(series);
    return found == m_curves.constEnd() ? kNone : *found;
}

QStringList RunCurves::seriesWith(const QString& prefix) const {
    QStringList names;
    for (auto at = m_curves.keyBegin(); at != m_curves.keyEnd(); ++at) {
        if (at->startsWith(prefix)) {
            names << *at;
        }
    }
    names.sort();
    return names;
}

}  // namespace lab::app
