#include "widgets/plots/metric_plot.h"

#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QMenu>
#include <QVBoxLayout>
#include <map>

#include "widgets/plots/metric_plot_impl.h"
#include "widgets/theme.h"

namespace lab::widgets {

MetricPlot::MetricPlot(MetricPlotSetup setup, QWidget* parent)
    : QWidget(parent), m_impl(std::make_unique<Impl>(*this, std::move(setup))) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_impl->plot);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(m_impl->setup.title);
    m_impl->build();
    m_impl->style();
}

MetricPlot::~MetricPlot() = default;

int MetricPlot::addSeries(const QString& name, int style, int variant) {
    PlotLine line{Series(name, style, variant), m_impl->plot->addGraph(), m_impl->plot->addGraph()};
    line.series.setSmoothing(m_impl->smoothing);
    m_impl->lines.push_back(std::move(line));
    m_impl->styleLine(m_impl->lines.back(), Theme::of(palette()));
    wrapLegend(*m_impl->plot);
    m_impl->dirty = true;
    return static_cast<int>(m_impl->lines.size()) - 1;
}

void MetricPlot::append(int series, std::span<const MetricPoint> points) {
    Series& line = m_impl->lines.at(static_cast<std::size_t>(series)).series;
    for (const MetricPoint& point : points) {
        line.append(point);
    }
    m_impl->dirty = m_impl->dirty || !points.empty();
}

void MetricPlot::setSeriesVisible(int series, bool visible) {
    PlotLine& line = m_impl->lines.at(static_cast<std::size_t>(series));
    if (line.series.visible != visible) {
        line.series.visible = visible;
        m_impl->styleLine(line, Theme::of(palette()));
        wrapLegend(*m_impl->plot);
        m_impl->dirty = true;
    }
}

void MetricPlot::clear() {
    for (const PlotLine& line : m_impl->lines) {
        m_impl->plot->removeGraph(line.raw);
        m_impl->plot->removeGraph(line.smooth);
    }
    for (const PlotMark& mark : m_impl->marks) {
        m_impl->plot->removeItem(mark.line);
        m_impl->plot->removeItem(mark.label);
    }
    m_impl->lines.clear();
    m_impl->marks.clear();
    m_impl->dirty = true;
}

void MetricPlot::setReferenceLines(std::vector<ReferenceLine> lines) {
    if (lines != m_impl->references.lines()) {
        m_impl->references.set(*m_impl->plot, std::move(lines), Theme::of(palette()));
        m_impl->dirty = true;
    }
}

void MetricPlot::addEventMark(EventMark mark) {
    PlotMark made{std::move(mark), new QCPItemLine(m_impl->plot), new QCPItemText(m_impl->plot)};
    for (auto* place : {made.line->start, made.line->end, made.label->position}) {
        place->setTypeX(QCPItemPosition::ptPlotCoords);
        place->setTypeY(QCPItemPosition::ptAxisRectRatio);
        place->setAxisRect(m_impl->plot->axisRect());
    }
    made.label->setText(made.mark.text);
    made.label->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
    made.label->setPadding(QMargins(3, 1, 0, 0));
    m_impl->styleMark(made, Theme::of(palette()));
    m_impl->marks.push_back(std::move(made));
    m_impl->dirty = true;
}

void MetricPlot::setXAxis(XAxis axis) {
    if (axis != m_impl->axis) {
        m_impl->axis = axis;
        m_impl->style();
        setFollowing(true);
    }
}

XAxis MetricPlot::xAxis() const {
    return m_impl->axis;
}

void MetricPlot::setLogarithmic(bool logarithmic) {
    m_impl->logarithmic = logarithmic;
    m_impl->ownY = false;
    m_impl->style();
}

void MetricPlot::setSmoothing(double strength) {
    m_impl->smoothing = strength;
    for (PlotLine& line : m_impl->lines) {
        line.series.setSmoothing(strength);
    }
    m_impl->style();
}

bool MetricPlot::following() const {
    return m_impl->following;
}

void MetricPlot::setFollowing(bool follows) {
    m_impl->dirty = true;
    if (follows == m_impl->following) {
        return;
    }
    m_impl->following = follows;
    m_impl->now->setVisible(!follows);
    m_impl->now->raise();
    emit followingChanged(follows);
}

void MetricPlot::refresh() {
    if (m_impl->dirty && isVisible()) {
        m_impl->dirty = false;
        m_impl->draw();
    }
}

QString MetricPlot::dataInView(QChar separator) const {
    QStringList header{m_impl->axis == XAxis::kStep ? QStringLiteral("step")
                                                    : QStringLiteral("cpu_seconds")};
    std::map<double, QStringList> rows;
    const QCPRange x = m_impl->plot->xAxis->range();
    qsizetype column = 0;
    for (const PlotLine& line : m_impl->lines) {
        if (!line.series.visible) {
            continue;
        }
        ++column;
        QString name = line.series.name();
        header << (name.contains(separator) ? QStringLiteral("\"%1\"").arg(name.replace(
                                                  QLatin1Char('"'), QStringLiteral("\"\"")))
                                            : name);
        for (const CurvePoint& point : line.series.raw(m_impl->axis).points()) {
            if (x.contains(point.x)) {
                QStringList& row = rows[point.x];
                row.resize(column);
                row.last() = QString::number(point.y, 'g', 9);
            }
        }
    }
    QString text = header.join(separator) + QLatin1Char('\n');
    for (auto& [at, row] : rows) {
        row.resize(column);
        text += QString::number(at, 'g', 12) + separator + row.join(separator) + QLatin1Char('\n');
    }
    return text;
}

bool MetricPlot::exportTo(const QString& path) {
    return exportPlot(*m_impl->plot, path, dataInView(QLatin1Char(',')));
}

void MetricPlot::copyPicture() {
    QGuiApplication::clipboard()->setPixmap(m_impl->plot->toPixmap(0, 0, 2.0));
}

void MetricPlot::copyData() {
    copyPlot(*m_impl->plot, dataInView(QLatin1Char('\t')));
}

void MetricPlot::showAll() {
    m_impl->ownY = false;
    setFollowing(true);
}

void MetricPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_impl->style();
        m_impl->draw();
    }
}

void MetricPlot::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const QSize chip = m_impl->now->sizeHint();
    m_impl->now->setGeometry(QRect(QPoint(width() - chip.width() - 20, 8), chip));
    wrapLegend(*m_impl->plot);
    m_impl->dirty = true;
}

void MetricPlot::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy)) {
        copyData();
    } else if (event->key() == Qt::Key_0) {
        showAll();
    } else {
        QWidget::keyPressEvent(event);
    }
}

void MetricPlot::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    offerExport(*this, *m_impl->plot, menu,
                [this](QChar separator) { return dataInView(separator); });
    menu.addSeparator();
    auto* log = menu.addAction(tr("Logarithmic scale"), this, &MetricPlot::setLogarithmic);
    log->setCheckable(true);
    log->setChecked(m_impl->logarithmic);
    auto* time = menu.addAction(tr("Over CPU time"), this, [this](bool overTime) {
        setXAxis(overTime ? XAxis::kCpuSeconds : XAxis::kStep);
    });
    time->setCheckable(true);
    time->setChecked(m_impl->axis == XAxis::kCpuSeconds);
    menu.addAction(tr("Show all"), this, &MetricPlot::showAll);
    menu.exec(event->globalPos());
}

}  // namespace lab::widgets
