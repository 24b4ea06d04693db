// The inside of MetricPlot. Only for its two .cpp files.
#pragma once

#include <qcustomplot.h>

#include <QElapsedTimer>
#include <QToolButton>
#include <vector>

#include "widgets/plots/metric_plot.h"
#include "widgets/plots/plot_kit.h"
#include "widgets/plots/series.h"

namespace lab::widgets {

struct PlotLine {
    Series series;
    QCPGraph* raw = nullptr;     // owned by the plot
    QCPGraph* smooth = nullptr;  // owned by the plot
};

struct PlotMark {
    EventMark mark;
    QCPItemLine* line = nullptr;   // owned by the plot
    QCPItemText* label = nullptr;  // owned by the plot
};

struct MetricPlot::Impl {
    Impl(MetricPlot& plotWidget, MetricPlotSetup metricSetup)
        : owner(plotWidget), setup(std::move(metricSetup)), plot(makePlot(&plotWidget)) {}

    void build();
    void style();
    void styleLine(PlotLine& line, const Theme& theme) const;
    void styleMark(PlotMark& mark, const Theme& theme) const;
    void draw();
    void fitX();
    void fitY();
    void fill(PlotLine& line) const;
    void placeMarks();
    void hover(QPointF position);
    void leave();
    void userMoved();
    void describe();
    [[nodiscard]] QCPRange extentX() const;

    MetricPlot& owner;
    MetricPlotSetup setup;
    QCustomPlot* plot;           // child of owner
    QToolButton* now = nullptr;  // child of owner
    QCPItemLine* hoverLine = nullptr;
    std::vector<PlotLine> lines;
    std::vector<PlotMark> marks;
    ReferenceLines references;
    QElapsedTimer described;
    XAxis axis = XAxis::kStep;
    double smoothing = 0;
    bool logarithmic = false;
    bool following = true;
    bool ownY = false;  // a person chose the y range
    bool dirty = true;
};

}  // namespace lab::widgets
