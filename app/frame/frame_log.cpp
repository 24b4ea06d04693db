#include "app/frame/frame_log.h"

#include <algorithm>
#include <cmath>

#include "app/start/application.h"
#include "core/values/lab_error.h"

namespace lab::app {

FrameLog::FrameLog(const QString& path, FrameClock& clock, QObject* parent)
    : QObject(parent), m_file(path) {
    if (!m_file.open(QIODevice::WriteOnly | QIODevice::Text | QIODevice::Truncate)) {
        throw values::LabError(
            values::LabError::Kind::kInvalidInput,
            tr("%1 cannot be written: %2").arg(path, m_file.errorString()).toStdString());
    }
    m_out.setDevice(&m_file);
    m_out.setRealNumberNotation(QTextStream::FixedNotation);
    m_out.setRealNumberPrecision(3);
    m_out << "time_ms,interval_ms,pull_ms,paint_ms";
    for (const QString& name : clock.viewNames()) {
        m_out << ',' << name;
    }
    m_out << '\n';
    connect(&clock, &FrameClock::ticked, this, &FrameLog::write);
}

void FrameLog::write(const FrameRecord& record) {
    m_timeMs += record.intervalMs;
    m_out << m_timeMs << ',' << record.intervalMs << ',' << record.pullMs << ','
          << Application::takePaintMs();
    for (const double cost : record.viewsMs) {
        m_out << ',';
        if (cost >= 0) {
            m_out << cost;
        }
    }
    m_out << '\n';
}

double quantile(std::vector<double> samples, double p) {
    if (samples.empty()) {
        return 0;
    }
    std::ranges::sort(samples);
    const double at = p * static_cast<double>(samples.size() - 1);
    const auto low = static_cast<std::size_t>(std::floor(at));
    const std::size_t high = std::min(low + 1, samples.size() - 1);
    return samples[low] + (at - std::floor(at)) * (samples[high] - samples[low]);
}

}  // namespace lab::app
