#include "widgets/plots/metric_plot_impl.h"

#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/icons.h"
#include "widgets/paint.h"
#include "widgets/run_cards.h"
#include "widgets/theme.h"

namespace lab::widgets {
namespace {

// Steps and seconds as short texts: "12.4 k".
class CountTicker final : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale& /*locale*/, QChar /*format*/,
                         int /*precision*/) override {
        return countText(tick);
    }
};

constexpr std::size_t kFewPoints = 48;  // each then gets its marker

}  // namespace

void MetricPlot::Impl::build() {
    logarithmic = setup.logarithmic;
    putLegendOnTop(*plot);
    plot->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot->axisRect()->setRangeDrag(Qt::Horizontal);
    plot->axisRect()->setRangeZoom(Qt::Horizontal);
    plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new CountTicker));
    plot->xAxis->setNumberFormat(QStringLiteral("gb"));
    plot->yAxis->setNumberFormat(QStringLiteral("gb"));
    plot->yAxis->setNumberPrecision(4);
    plot->yAxis->setLabel(setup.yTitle);
    hoverLine = new QCPItemLine(plot);
    hoverLine->setLayer(QStringLiteral("overlay"));
    hoverLine->setVisible(false);
    for (auto* end : {hoverLine->start, hoverLine->end}) {
        end->setTypeX(QCPItemPosition::ptPlotCoords);
        end->setTypeY(QCPItemPosition::ptAxisRectRatio);
        end->setAxisRect(plot->axisRect());
    }
    now = new QToolButton(&owner);
    now->setIcon(lineIcon(QStringLiteral("jump-to-now")));
    now->setText(MetricPlot::tr("Jump to now"));
    now->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    now->hide();
    QObject::connect(now, &QToolButton::clicked, &owner, &MetricPlot::showAll);
    QObject::connect(plot, &QCustomPlot::mouseWheel, &owner, [this](QWheelEvent* event) {
        const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
        plot->axisRect()->setRangeZoom(shift ? Qt::Vertical : Qt::Horizontal);
        ownY = ownY || shift;
        userMoved();
    });
    QObject::connect(plot, &QCustomPlot::mouseDoubleClick, &owner, &MetricPlot::showAll);
    QObject::connect(plot, &QCustomPlot::mousePress, &owner, [this](QMouseEvent* event) {
        const bool drags = event->button() == Qt::LeftButton;
        plot->axisRect()->setRangeDrag(!drags ? Qt::Orientations()
                                       : ownY ? Qt::Horizontal | Qt::Vertical
                                              : Qt::Orientations(Qt::Horizontal));
        owner.setFocus(Qt::MouseFocusReason);
    });
    QObject::connect(plot, &QCustomPlot::mouseMove, &owner, [this](QMouseEvent* event) {
        if ((event->buttons() & Qt::LeftButton) != 0) {
            userMoved();
        }
        hover(event->position());
    });
}

void MetricPlot::Impl::userMoved() {
    dirty = true;
    if (following) {
        owner.setFollowing(false);
    }
}

void MetricPlot::Impl::style() {
    const Theme& theme = Theme::of(owner.palette());
    restyle(*plot, theme, owner.font());
    plot->xAxis->setLabel(axis == XAxis::kStep ? MetricPlot::tr("Optimiser step")
                                               : MetricPlot::tr("Training time (CPU seconds)"));
    plot->yAxis->setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    plot->yAxis->setTicker(logarithmic ? QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog)
                                       : QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
    hoverLine->setPen(QPen(theme.mutedText, 1));
    for (PlotLine& line : lines) {
        styleLine(line, theme);
    }
    for (PlotMark& mark : marks) {
        styleMark(mark, theme);
    }
    references.restyle(theme);
    dirty = true;
}

void MetricPlot::Impl::styleLine(PlotLine& line, const Theme& theme) const {
    SeriesStyle look = theme.series(line.series.style());
    if (line.series.variant() > 0) {  // the variants of a run take the dashes in turn
        look.dash = theme.series(7 * line.series.variant()).dash;
    }
    const bool smooth = smoothing > 0;
    line.raw->setPen(QPen(smooth ? withAlpha(look.colour, 0.28) : look.colour, smooth ? 1.0 : 1.5,
                          smooth ? Qt::SolidLine : look.dash));
    line.smooth->setPen(QPen(look.colour, 2, look.dash));
    line.raw->setVisible(line.series.visible);
    line.smooth->setVisible(line.series.visible && smooth);
    QCPGraph* named = smooth ? line.smooth : line.raw;
    for (QCPGraph* graph : {line.raw, line.smooth}) {
        graph->setName(line.series.name());
        if (graph == named && line.series.visible) {
            graph->addToLegend();
        } else {
            graph->removeFromLegend();
        }
    }
}

void MetricPlot::Impl::styleMark(PlotMark& mark, const Theme& theme) const {
    const QColor colour = theme.series(mark.mark.style).colour;
    mark.line->setPen(QPen(withAlpha(colour, 0.6), 1, Qt::DotLine));
    mark.label->setColor(theme.mutedText);
    mark.label->setFont(scaled(owner.font(), 0.76));
}

QCPRange MetricPlot::Impl::extentX() const {
    double low = 0;
    double high = 0;
    for (const PlotLine& line : lines) {
        const auto& points = line.series.raw(axis).points();
        if (line.series.visible && !points.empty()) {
            low = std::min(low, points.front().x);
            high = std::max(high, points.back().x);
        }
    }
    return {low, high > low ? high : low + 1};
}

void MetricPlot::Impl::fitX() {
    const QCPRange all = extentX();
    plot->xAxis->setRange(all.lower, all.upper + 0.015 * all.size());
}

void MetricPlot::Impl::fitY() {
    if (ownY) {
        return;
    }
    double low = 1e300;
    double high = -1e300;
    const QCPRange x = plot->xAxis->range();
    for (const PlotLine& line : lines) {
        const auto extent = line.series.raw(axis).extent(x.lower, x.upper);
        if (line.series.visible && extent.low <= extent.high) {
            low = std::min(low, extent.low);
            high = std::max(high, extent.high);
        }
    }
    if (low > high) {
        low = logarithmic ? 0.1 : 0;
        high = 1;
    }
    if (logarithmic) {
        low = std::max(low, std::max(high, 1e-12) * 1e-6);
        low /= 1.3;
        high = std::max(high, low * 2) * 1.3;
    } else {
        const double space = high > low ? 0.06 * (high - low) : std::max(0.5, std::abs(high) * 0.1);
        low = low >= 0 && low < 0.5 * high ? 0 : low - space;
        high += space;
    }
    plot->yAxis->setRange(setup.yFrom && !logarithmic ? *setup.yFrom : low,
                          setup.yTo ? *setup.yTo : high);
}

void MetricPlot::Impl::fill(PlotLine& line) const {
    const QCPRange x = plot->xAxis->range();
    const int columns = std::max(1, plot->axisRect()->width());
    const auto put = [&](const MinMaxPyramid& curve, QCPGraph& graph, bool marked) {
        const auto shown = curve.view(x.lower, x.upper, columns);
        QVector<QCPGraphData> data;
        data.reserve(static_cast<qsizetype>(shown.size()));
        for (const CurvePoint& point : shown) {
            data.append({point.x, point.y});
        }
        graph.data()->set(data, true);
        const Theme& theme = Theme::of(owner.palette());
        graph.setScatterStyle(marked && shown.size() <= kFewPoints
                                  ? scatterOf(theme.series(line.series.style()), 6)
                                  : QCPScatterStyle::ssNone);
    };
    put(line.series.raw(axis), *line.raw, smoothing <= 0);
    if (smoothing > 0) {
        put(line.series.smooth(axis), *line.smooth, true);
    } else {
        line.smooth->data()->clear();
    }
}

void MetricPlot::Impl::placeMarks() {
    const QCPRange x = plot->xAxis->range();
    double free = -1e9;  // pixels from where a label may begin
    for (PlotMark& mark : marks) {
        const double at = axis == XAxis::kStep ? mark.mark.step : mark.mark.cpuSeconds;
        const bool inside = x.contains(at);
        mark.line->start->setCoords(at, 0);
        mark.line->end->setCoords(at, 1);
        mark.label->position->setCoords(at, 0);
        const double pixel = plot->xAxis->coordToPixel(at);
        const double width =
            QFontMetricsF(mark.label->font()).horizontalAdvance(mark.mark.text) + 8;
        const bool fits = pixel >= free && pixel + width < plot->axisRect()->right();
        mark.line->setVisible(inside);
        mark.label->setVisible(inside && fits);
        if (inside && fits) {
            free = pixel + width;
        }
    }
}

void MetricPlot::Impl::draw() {
    if (following) {
        fitX();
    }
    fitY();
    for (PlotLine& line : lines) {
        fill(line);
    }
    references.place(*plot);
    placeMarks();
    plot->replot(QCustomPlot::rpQueuedRefresh);
    describe();
}

void MetricPlot::Impl::describe() {
    if (described.isValid() && described.elapsed() < 1000) {
        return;
    }
    described.start();
    QStringList sentences;
    for (const PlotLine& line : lines) {
        const auto& points = line.series.raw(XAxis::kStep).points();
        if (line.series.visible && !points.empty()) {
            sentences << MetricPlot::tr("%1: from %2 to %3, step %4 to %5")
                             .arg(line.series.name(), QString::number(points.front().y, 'g', 3),
                                  QString::number(points.back().y, 'g', 3),
                                  countText(points.front().x), countText(points.back().x));
        }
    }
    owner.setAccessibleDescription(sentences.join(QStringLiteral("; ")));
}

void MetricPlot::Impl::hover(QPointF position) {
    const QRect inside = plot->axisRect()->rect();
    if (!inside.contains(position.toPoint())) {
        leave();
        return;
    }
    const double x = plot->xAxis->pixelToCoord(position.x());
    hoverLine->setVisible(true);
    hoverLine->start->setCoords(x, 0);
    hoverLine->end->setCoords(x, 1);
    plot->layer(QStringLiteral("overlay"))->replot();
    QString text = axis == XAxis::kStep ? MetricPlot::tr("step %1").arg(countText(std::round(x)))
                                        : MetricPlot::tr("%1 s").arg(x, 0, 'f', 1);
    for (const PlotLine& line : lines) {
        const auto& points = line.series.raw(axis).points();
        const auto found = std::ranges::lower_bound(points, x, {}, &CurvePoint::x);
        if (line.series.visible && !points.empty()) {
            const CurvePoint& near = found == points.end() ? points.back() : *found;
            text +=
                QStringLiteral("\n%1: %2").arg(line.series.name(), QString::number(near.y, 'g', 4));
        }
    }
    QToolTip::showText(plot->mapToGlobal(position.toPoint()), text, plot);
}

void MetricPlot::Impl::leave() {
    if (hoverLine->visible()) {
        hoverLine->setVisible(false);
        plot->layer(QStringLiteral("overlay"))->replot();
        QToolTip::hideText();
    }
}

}  // namespace lab::widgets
