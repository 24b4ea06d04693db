// What the plots share on top of QCustomPlot: theme, markers, reference lines, export.
//
// Only for .cpp files of widgets/plots.
#pragma once

#include <QString>
#include <functional>
#include <vector>

#include "widgets/plots/metric_plot.h"
#include "widgets/theme.h"

class QCPItemLine;
class QCPItemText;
class QCPScatterStyle;
class QCustomPlot;
class QWidget;

namespace lab::widgets {

/// A plot with the habits of this house: fast polylines, a buffered "overlay" layer, no frame.
[[nodiscard]] QCustomPlot* makePlot(QWidget* parent);

/// Axes, grid, legend and fonts in the colours of `theme`.
void restyle(QCustomPlot& plot, const Theme& theme, const QFont& font);

[[nodiscard]] QCPScatterStyle scatterOf(const SeriesStyle& style, double size);
/// Solid for the first seven series, then hatchings.
[[nodiscard]] Qt::BrushStyle patternOf(int style);

/// A legend in a row of its own above the axes; call wrapLegend when the width changes.
void putLegendOnTop(QCustomPlot& plot);
void wrapLegend(QCustomPlot& plot);

/// Labelled horizontal lines from edge to edge.
class ReferenceLines {
public:
    void set(QCustomPlot& plot, std::vector<ReferenceLine> lines, const Theme& theme);
    void restyle(const Theme& theme);
    /// Moves labels that would lie on each other; after the axes have their ranges.
    void place(QCustomPlot& plot);
    [[nodiscard]] const std::vector<ReferenceLine>& lines() const { return m_lines; }

private:
    struct Item {
        QCPItemLine* line;  // owned by the plot
        QCPItemText* label;
    };
    std::vector<ReferenceLine> m_lines;
    std::vector<Item> m_items;
};

/// By the ending of `path`: .png, .svg, .pdf from the plot, .csv from `csv`.
bool exportPlot(QCustomPlot& plot, const QString& path, const QString& csv);
/// The picture, and `tsv` as text.
void copyPlot(QCustomPlot& plot, const QString& tsv);
/// The entries of the context menu that every plot has. `csv` is asked with the separator.
void offerExport(QWidget& parent, QCustomPlot& plot, class QMenu& menu,
                 const std::function<QString(QChar)>& data);

}  // namespace lab::widgets
