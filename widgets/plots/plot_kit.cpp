#include "widgets/plots/plot_kit.h"

#include <qcustomplot.h>

#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QMenu>
#include <QMimeData>
#include <QPainterPath>
#include <QSaveFile>
#include <QSvgGenerator>
#include <algorithm>
#include <array>
#include <cmath>

#include "widgets/icons.h"
#include "widgets/paint.h"

namespace lab::widgets {

QCustomPlot* makePlot(QWidget* parent) {
    auto* plot = new QCustomPlot(parent);
    plot->setPlottingHint(QCP::phFastPolylines, true);
    plot->setNoAntialiasingOnDrag(true);
    plot->layer(QStringLiteral("overlay"))->setMode(QCPLayer::lmBuffered);
    plot->axisRect()->setMinimumMargins(QMargins(8, 6, 18, 4));
    plot->setFocusPolicy(Qt::NoFocus);
    plot->setContextMenuPolicy(Qt::NoContextMenu);
    return plot;
}

void restyle(QCustomPlot& plot, const Theme& theme, const QFont& font) {
    plot.setBackground(QBrush(theme.ground));
    const QFont small = scaled(font, 0.86);
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
        axis->setBasePen(QPen(theme.hairline, 1));
        axis->setTickPen(QPen(theme.hairline, 1));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLengthIn(0);
        axis->setTickLengthOut(4);
        axis->setTickLabelFont(small);
        axis->setLabelFont(small);
        axis->setTickLabelColor(theme.mutedText);
        axis->setLabelColor(theme.text);
        axis->setLabelPadding(4);
        axis->setTickLabelPadding(4);
        axis->grid()->setPen(QPen(withAlpha(theme.hairline, 0.65), 1));
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->grid()->setSubGridVisible(false);
    }
    plot.xAxis->grid()->setVisible(false);
    plot.legend->setBrush(Qt::NoBrush);
    plot.legend->setBorderPen(Qt::NoPen);
    plot.legend->setFont(small);
    plot.legend->setTextColor(theme.text);
    plot.legend->setIconSize(24, 12);
}

QCPScatterStyle scatterOf(const SeriesStyle& style, double size) {
    static constexpr std::array kShapes{QCPScatterStyle::ssDisc,     QCPScatterStyle::ssSquare,
                                        QCPScatterStyle::ssTriangle, QCPScatterStyle::ssDiamond,
                                        QCPScatterStyle::ssCross,    QCPScatterStyle::ssPlus,
                                        QCPScatterStyle::ssCircle};
    const auto shape = kShapes.at(static_cast<std::size_t>(style.marker));
    const bool open = style.marker == Marker::kRing;
    return {shape, QPen(style.colour, 1.6), open ? QBrush(Qt::NoBrush) : QBrush(style.colour),
            size};
}

Qt::BrushStyle patternOf(int style) {
    static constexpr std::array kPatterns{Qt::SolidPattern, Qt::BDiagPattern, Qt::Dense5Pattern,
                                          Qt::FDiagPattern, Qt::HorPattern,   Qt::DiagCrossPattern,
                                          Qt::VerPattern};
    return kPatterns.at(static_cast<std::size_t>(std::max(0, style)) % kPatterns.size());
}

void putLegendOnTop(QCustomPlot& plot) {
    plot.plotLayout()->insertRow(0);
    auto* row = new QCPLayoutGrid;  // owned by the plot; an empty text keeps the legend to the left
    plot.plotLayout()->addElement(0, 0, row);
    row->addElement(0, 0, plot.legend);
    row->addElement(0, 1, new QCPTextElement(&plot, QString()));
    row->setColumnStretchFactor(0, 0.001);
    plot.legend->setFillOrder(QCPLegend::foColumnsFirst);
    plot.plotLayout()->setRowStretchFactor(0, 0.001);
    plot.plotLayout()->setRowSpacing(0);
    plot.legend->setMargins(QMargins(6, 4, 6, 0));
    plot.legend->setRowSpacing(0);
    plot.legend->setColumnSpacing(12);
    plot.legend->setVisible(true);
}

void wrapLegend(QCustomPlot& plot) {
    int widest = 1;
    const QFontMetrics metrics(plot.legend->font());
    for (int i = 0; i < plot.legend->itemCount(); ++i) {
        if (auto* item = qobject_cast<QCPPlottableLegendItem*>(plot.legend->item(i))) {
            widest = std::max(widest, metrics.horizontalAdvance(item->plottable()->name()) + 44);
        }
    }
    const int columns = std::max(1, (plot.width() - 20) / widest);
    plot.legend->setWrap(columns);
    plot.legend->setFillOrder(QCPLegend::foColumnsFirst, true);
}

void ReferenceLines::set(QCustomPlot& plot, std::vector<ReferenceLine> lines, const Theme& theme) {
    for (const Item& item : m_items) {
        plot.removeItem(item.line);
        plot.removeItem(item.label);
    }
    m_items.clear();
    m_lines = std::move(lines);
    for (const ReferenceLine& reference : m_lines) {
        Item item{new QCPItemLine(&plot), new QCPItemText(&plot)};
        for (auto* end : {item.line->start, item.line->end}) {
            end->setTypeX(QCPItemPosition::ptAxisRectRatio);
            end->setTypeY(QCPItemPosition::ptPlotCoords);
            end->setAxisRect(plot.axisRect());
            end->setCoords(end == item.line->start ? 0 : 1, reference.y);
        }
        item.label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
        item.label->position->setTypeY(QCPItemPosition::ptPlotCoords);
        item.label->position->setAxisRect(plot.axisRect());
        item.label->setLayer(QStringLiteral("axes"));  // above every line
        item.label->setText(reference.label);
        item.label->setPadding(QMargins(3, 0, 3, 0));
        m_items.push_back(item);
    }
    restyle(theme);
}

void ReferenceLines::restyle(const Theme& theme) {
    for (const Item& item : m_items) {
        item.line->setPen(QPen(theme.mutedText, 1, Qt::DashLine));
        item.label->setColor(theme.mutedText);
        item.label->setBrush(withAlpha(theme.ground, 0.75));
        item.label->setFont(scaled(item.label->parentPlot()->font(), 0.8));
    }
}

void ReferenceLines::place(QCustomPlot& plot) {
    std::vector<std::size_t> order(m_items.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::sort(order, {}, [this](std::size_t i) { return m_lines[i].y; });
    double lastAtRight = 1e9;
    for (const std::size_t i : order) {
        const double y = plot.yAxis->coordToPixel(m_lines[i].y);
        const bool inside = plot.yAxis->range().contains(m_lines[i].y);
        m_items[i].line->setVisible(inside);
        m_items[i].label->setVisible(inside);
        const double line = QFontMetricsF(m_items[i].label->font()).height();
        const bool right = lastAtRight - y > line || lastAtRight > 1e8;
        m_items[i].label->position->setCoords(right ? 1.0 : 0.0, m_lines[i].y);
        m_items[i].label->setPositionAlignment((right ? Qt::AlignRight : Qt::AlignLeft) |
                                               Qt::AlignBottom);
        if (right && inside) {
            lastAtRight = y;
        }
    }
}

bool exportPlot(QCustomPlot& plot, const QString& path, const QString& csv) {
    const QString ending = path.section(QLatin1Char('.'), -1).toLower();
    if (ending == QLatin1String("png")) {
        return plot.savePng(path, 0, 0, 2.0);
    }
    if (ending == QLatin1String("pdf")) {
        return plot.savePdf(path);
    }
    if (ending == QLatin1String("svg")) {
        QSvgGenerator svg;
        svg.setFileName(path);
        svg.setSize(plot.size());
        svg.setViewBox(QRect(QPoint(0, 0), plot.size()));
        QCPPainter painter;
        if (!painter.begin(&svg)) {
            return false;
        }
        painter.setMode(QCPPainter::pmVectorized);
        plot.toPainter(&painter, plot.width(), plot.height());
        return painter.end();
    }
    QSaveFile file(path);
    return ending == QLatin1String("csv") && file.open(QIODevice::WriteOnly) &&
           file.write(csv.toUtf8()) >= 0 && file.commit();
}

void copyPlot(QCustomPlot& plot, const QString& tsv) {
    auto* both = new QMimeData;  // owned by the clipboard
    both->setImageData(plot.toPixmap(0, 0, 2.0).toImage());
    both->setText(tsv);
    QGuiApplication::clipboard()->setMimeData(both);
}

void offerExport(QWidget& parent, QCustomPlot& plot, QMenu& menu,
                 const std::function<QString(QChar)>& data) {
    menu.addAction(lineIcon(QStringLiteral("copy")), QCustomPlot::tr("Copy picture and data"),
                   QKeySequence::Copy, &plot,
                   [&plot, data] { copyPlot(plot, data(QLatin1Char('\t'))); });
    menu.addAction(QCustomPlot::tr("Copy picture"), &plot,
                   [&plot] { QGuiApplication::clipboard()->setPixmap(plot.toPixmap(0, 0, 2.0)); });
    menu.addAction(QCustomPlot::tr("Copy data as CSV"), &plot,
                   [data] { QGuiApplication::clipboard()->setText(data(QLatin1Char(','))); });
    menu.addSeparator();
    menu.addAction(lineIcon(QStringLiteral("save")), QCustomPlot::tr("Save as…"), &plot,
                   [&parent, &plot, data] {
                       const QString path = QFileDialog::getSaveFileName(
                           &parent, QCustomPlot::tr("Save plot"), QString(),
                           QCustomPlot::tr("Picture (*.png *.svg *.pdf);;Data (*.csv)"));
                       if (!path.isEmpty()) {
                           exportPlot(plot, path, data(QLatin1Char(',')));
                       }
                   });
}

}  // namespace lab::widgets
