// Accuracy at the evaluation lengths: by (L, S) as grouped points, and over the spacing alone.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/values/telemetry_records.h"
#include "widgets/plots/metric_plot.h"

namespace lab::widgets {

struct RunAccuracy {
    QString name;
    int style = 0;  ///< series style of the run
    std::vector<values::LengthAccuracy> lengths;
};

/// A group of bars for every (L, S), one bar a run. The trained length is shaded.
class LengthAccuracyPlot final : public QWidget {
    Q_OBJECT

public:
    explicit LengthAccuracyPlot(QWidget* parent = nullptr);
    ~LengthAccuracyPlot() override;

    void setRuns(const std::vector<RunAccuracy>& runs);
    void setReferenceLines(std::vector<ReferenceLine> lines);
    void setTrainedLength(values::TraceLength length);
    void refresh();  ///< draws when anything changed

    [[nodiscard]] QSize sizeHint() const override { return {420, 260}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 140}; }

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Value accuracy over the number of commands between two prints, x in powers of two, a line a run.
class SpacingPlot final : public QWidget {
    Q_OBJECT

public:
    explicit SpacingPlot(QWidget* parent = nullptr);
    ~SpacingPlot() override;

    void setRuns(const std::vector<RunAccuracy>& runs);
    void setReferenceLines(std::vector<ReferenceLine> lines);
    void setTrainedLength(values::TraceLength length);
    void refresh();

    [[nodiscard]] QSize sizeHint() const override { return {420, 260}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, 140}; }

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lab::widgets
