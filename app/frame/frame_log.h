// Every frame as a line of CSV: when, how long since the one before, what it cost, by view.
#pragma once

#include <QFile>
#include <QObject>
#include <QTextStream>

#include "app/frame/frame_clock.h"

namespace lab::app {

class FrameLog final : public QObject {
    Q_OBJECT

public:
    /// Throws LabError when `path` cannot be written.
    FrameLog(const QString& path, FrameClock& clock, QObject* parent = nullptr);

private:
    void write(const FrameRecord& record);

    QFile m_file;
    QTextStream m_out;
    double m_timeMs = 0;
};

/// The p-quantile (0..1) of what was measured, by linear interpolation; 0 when there is nothing.
[[nodiscard]] double quantile(std::vector<double> samples, double p);

}  // namespace lab::app
