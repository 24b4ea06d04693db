// Every point of every curve of one run, kept; views thin them for the screen.
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <vector>

#include "core/values/telemetry_records.h"

namespace lab::app {

/// Parallel arrays, oldest first.
struct Curve {
    std::vector<double> step;
    std::vector<double> cpuSeconds;
    std::vector<double> value;
    [[nodiscard]] bool empty() const { return value.empty(); }
};

class RunCurves {
public:
    void append(const std::vector<values::Metric>& metrics);

    /// By the series names of telemetry_records.h; an empty curve when there is none.
    [[nodiscard]] const Curve& curve(const QString& series) const;
    /// Names that begin with `prefix`, sorted.
    [[nodiscard]] QStringList seriesWith(const QString& prefix) const;
    /// Grows whenever points arrive, so that a view can tell whether it is up to date.
    [[nodiscard]] qint64 pointCount() const noexcept { return m_points; }

private:
    QHash<QString, Curve> m_curves;
    qint64 m_points = 0;
};

}  // namespace lab::app
