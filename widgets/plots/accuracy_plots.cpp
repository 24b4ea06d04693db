#include "widgets/plots/accuracy_plots.h"

#include <qcustomplot.h>

#include <QContextMenuEvent>
#include <QLocale>
#include <QMenu>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "widgets/paint.h"
#include "widgets/plots/plot_kit.h"
#include "widgets/theme.h"

namespace lab::widgets {
namespace {

bool before(const values::TraceLength& a, const values::TraceLength& b) {
    return std::pair(a.commands, a.spacing) < std::pair(b.commands, b.spacing);
}

std::vector<values::TraceLength> lengthsOf(const std::vector<RunAccuracy>& runs) {
    std::vector<values::TraceLength> all;
    for (const RunAccuracy& run : runs) {
        for (const values::LengthAccuracy& at : run.lengths) {
            if (std::ranges::find(all, at.length) == all.end()) {
                all.push_back(at.length);
            }
        }
    }
    std::ranges::sort(all, before);
    return all;
}

QString tableOf(const std::vector<RunAccuracy>& runs, QChar separator) {
    const QString row = QStringLiteral("%1") + separator + QStringLiteral("%2") + separator +
                        QStringLiteral("%3") + separator + QStringLiteral("%4") + separator +
                        QStringLiteral("%5\n");
    QString text =
        row.arg(QStringLiteral("run"), QStringLiteral("commands"), QStringLiteral("spacing"),
                QStringLiteral("value_accuracy"), QStringLiteral("whole_trace_accuracy"));
    for (const RunAccuracy& run : runs) {
        for (const values::LengthAccuracy& at : run.lengths) {
            text += row.arg(QLatin1Char('"') + run.name + QLatin1Char('"'))
                        .arg(at.length.commands)
                        .arg(at.length.spacing)
                        .arg(at.value, 0, 'g', 6)
                        .arg(at.wholeTrace, 0, 'g', 6);
        }
    }
    return text;
}

void percentAxis(QCustomPlot& plot) {
    auto* ticker = new QCPAxisTickerText;
    for (int percent = 0; percent <= 100; percent += 25) {
        ticker->addTick(percent / 100.0, QString::number(percent));
    }
    plot.yAxis->setTicker(QSharedPointer<QCPAxisTicker>(ticker));
    plot.yAxis->setRange(0, 1.08);
    plot.yAxis->setLabel(MetricPlot::tr("Value accuracy (%)"));
}

QString describe(const std::vector<RunAccuracy>& runs) {
    QStringList sentences;
    for (const RunAccuracy& run : runs) {
        for (const values::LengthAccuracy& at : run.lengths) {
            sentences << MetricPlot::tr("%1 at %2 commands, spacing %3: %4")
                             .arg(run.name)
                             .arg(at.length.commands)
                             .arg(at.length.spacing)
                             .arg(QLocale().toString(at.value, 'f', 3));
        }
    }
    return sentences.join(QStringLiteral("; "));
}

// What both plots hold; each fills the plot in its own way.
struct AccuracyPlot {
    AccuracyPlot(QWidget& widget, const QString& xTitle) : owner(widget), plot(makePlot(&widget)) {
        auto* layout = new QVBoxLayout(&owner);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->addWidget(plot);
        putLegendOnTop(*plot);
        percentAxis(*plot);
        plot->xAxis->setLabel(xTitle);
        plot->setContextMenuPolicy(Qt::CustomContextMenu);
        QObject::connect(plot, &QWidget::customContextMenuRequested, &owner, [this](QPoint at) {
            QMenu menu(&owner);
            offerExport(owner, *plot, menu,
                        [this](QChar separator) { return tableOf(runs, separator); });
            menu.exec(plot->mapToGlobal(at));
        });
    }

    void setRuns(const std::vector<RunAccuracy>& accuracies) {
        runs = accuracies;
        owner.setAccessibleDescription(describe(runs));
        dirty = true;
    }

    void setReferences(std::vector<ReferenceLine> lines) {
        if (lines != references.lines()) {
            references.set(*plot, std::move(lines), Theme::of(owner.palette()));
            dirty = true;
        }
    }

    // Clears what a fill() of an owner has put in, but not the reference lines.
    void restart(const Theme& theme) {
        plot->clearPlottables();
        for (QCPAbstractItem* item : marks) {
            plot->removeItem(item);
        }
        marks.clear();
        restyle(*plot, theme, owner.font());
        references.restyle(theme);
    }

    QCPItemText* note(const QString& text, double x, double y, Qt::Alignment alignment,
                      const QColor& colour) {
        auto* label = new QCPItemText(plot);
        label->setText(text);
        label->setFont(scaled(owner.font(), 0.76));
        label->setColor(colour);
        label->position->setCoords(x, y);
        label->setPositionAlignment(alignment);
        marks.push_back(label);
        return label;
    }

    void finish() {
        wrapLegend(*plot);
        plot->replot(QCustomPlot::rpImmediateRefresh);  // twice: labels need the final margins
        references.place(*plot);
        plot->replot(QCustomPlot::rpQueuedRefresh);
    }

    QWidget& owner;
    QCustomPlot* plot;  // child of owner
    std::vector<RunAccuracy> runs;
    ReferenceLines references;
    std::vector<QCPAbstractItem*> marks;  // owned by the plot
    values::TraceLength trained{0, 0};
    bool dirty = true;
};

}  // namespace

struct LengthAccuracyPlot::Impl : AccuracyPlot {
    using AccuracyPlot::AccuracyPlot;

    void fill() {
        const Theme& theme = Theme::of(owner.palette());
        restart(theme);
        const auto lengths = lengthsOf(runs);
        auto* ticker = new QCPAxisTickerText;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            ticker->addTick(static_cast<double>(i), LengthAccuracyPlot::tr("(%1, %2)")
                                                        .arg(lengths[i].commands)
                                                        .arg(lengths[i].spacing));
        }
        plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(ticker));
        plot->xAxis->setTickLength(0, 0);
        const double room = references.lines().empty() ? 0 : 0.5;  // for the labels of the lines
        plot->xAxis->setRange(-0.6,
                              std::max(1.0, static_cast<double>(lengths.size())) - 0.4 + room);
        shadeTrained(lengths, theme);
        const double width = 0.78 / std::max<double>(1.0, static_cast<double>(runs.size()));
        for (std::size_t run = 0; run < runs.size(); ++run) {
            addBars(run, lengths, width, theme);
        }
    }

    void addBars(std::size_t run, const std::vector<values::TraceLength>& lengths, double width,
                 const Theme& theme) {
        const RunAccuracy& accuracy = runs[run];
        auto* bars = new QCPBars(plot->xAxis, plot->yAxis);
        bars->setName(accuracy.name);
        bars->setWidth(width * 0.9);
        const QColor colour = theme.series(accuracy.style).colour;
        bars->setPen(QPen(colour, 1.2));
        const auto pattern = patternOf(accuracy.style);
        bars->setBrush(pattern == Qt::SolidPattern ? QBrush(withAlpha(colour, 0.85))
                                                   : QBrush(colour, pattern));
        const double shift =
            (static_cast<double>(run) - (static_cast<double>(runs.size()) - 1) / 2) * width;
        const bool numbers = runs.size() * lengths.size() <= 24;
        for (const values::LengthAccuracy& at : accuracy.lengths) {
            const auto where = std::ranges::find(lengths, at.length) - lengths.begin();
            const double x = static_cast<double>(where) + shift;
            bars->addData(x, at.value);
            if (numbers) {
                note(QString::number(static_cast<int>(std::lround(100 * at.value))), x,
                     at.value + 0.01, Qt::AlignHCenter | Qt::AlignBottom, theme.text);
            }
        }
    }

    void shadeTrained(const std::vector<values::TraceLength>& lengths, const Theme& theme) {
        const auto at = std::ranges::find(lengths, trained);
        if (at == lengths.end()) {
            return;
        }
        const auto x = static_cast<double>(at - lengths.begin());
        auto* shade = new QCPItemRect(plot);
        shade->setPen(Qt::NoPen);
        shade->setBrush(withAlpha(theme.text, 0.06));
        shade->setLayer(QStringLiteral("background"));
        shade->topLeft->setCoords(x - 0.48, 1.08);
        shade->bottomRight->setCoords(x + 0.48, 0);
        marks.push_back(shade);
    }
};

LengthAccuracyPlot::LengthAccuracyPlot(QWidget* parent)
    : QWidget(parent),
      m_impl(
          std::make_unique<Impl>(*this, tr("Trace length (commands, commands between prints)"))) {
    setAccessibleName(tr("Accuracy by length"));
}

LengthAccuracyPlot::~LengthAccuracyPlot() = default;

void LengthAccuracyPlot::setRuns(const std::vector<RunAccuracy>& runs) {
    m_impl->setRuns(runs);
}

void LengthAccuracyPlot::setReferenceLines(std::vector<ReferenceLine> lines) {
    m_impl->setReferences(std::move(lines));
}

void LengthAccuracyPlot::setTrainedLength(values::TraceLength length) {
    m_impl->dirty = m_impl->dirty || length != m_impl->trained;
    m_impl->trained = length;
}

void LengthAccuracyPlot::refresh() {
    if (m_impl->dirty && isVisible()) {
        m_impl->dirty = false;
        m_impl->fill();
        m_impl->finish();
    }
}

void LengthAccuracyPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_impl->fill();
        m_impl->finish();
    }
}

struct SpacingPlot::Impl : AccuracyPlot {
    using AccuracyPlot::AccuracyPlot;

    void fill() {
        const Theme& theme = Theme::of(owner.palette());
        restart(theme);
        std::set<int> spacings;
        for (const RunAccuracy& run : runs) {
            auto* graph = plot->addGraph();
            const SeriesStyle style = theme.series(run.style);
            graph->setName(run.name);
            graph->setPen(QPen(style.colour, 2, style.dash));
            graph->setScatterStyle(scatterOf(style, 8));
            std::map<int, std::pair<double, int>> bySpacing;  // sum and count over lengths
            for (const values::LengthAccuracy& at : run.lengths) {
                auto& [sum, count] = bySpacing[at.length.spacing];
                sum += at.value;
                ++count;
                spacings.insert(at.length.spacing);
            }
            for (const auto& [spacing, mean] : bySpacing) {
                graph->addData(std::log2(spacing), mean.first / mean.second);
            }
        }
        auto* ticker = new QCPAxisTickerText;
        for (const int spacing : spacings) {
            ticker->addTick(std::log2(spacing), QString::number(spacing));
        }
        plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(ticker));
        const double low = spacings.empty() ? 0 : std::log2(*spacings.begin());
        const double high = spacings.empty() ? 5 : std::log2(*spacings.rbegin());
        plot->xAxis->setRange(low - 0.35, std::max(high, low + 1) + 0.35);
        markTrained(low - 0.35, theme);
    }

    void markTrained(double left, const Theme& theme) {
        if (trained.spacing < 1) {
            return;
        }
        const double x = std::log2(trained.spacing);
        auto* shade = new QCPItemRect(plot);
        shade->setPen(Qt::NoPen);
        shade->setBrush(withAlpha(theme.text, 0.06));
        shade->setLayer(QStringLiteral("background"));
        shade->topLeft->setCoords(left, 1.08);
        shade->bottomRight->setCoords(x, 0);
        marks.push_back(shade);
        note(SpacingPlot::tr("trained up to %1").arg(trained.spacing), x, 0.02,
             Qt::AlignRight | Qt::AlignBottom, theme.mutedText)
            ->setPadding(QMargins(0, 0, 5, 2));
    }
};

SpacingPlot::SpacingPlot(QWidget* parent)
    : QWidget(parent), m_impl(std::make_unique<Impl>(*this, tr("Commands between two prints"))) {
    setAccessibleName(tr("Accuracy over spacing"));
}

SpacingPlot::~SpacingPlot() = default;

void SpacingPlot::setRuns(const std::vector<RunAccuracy>& runs) {
    m_impl->setRuns(runs);
}

void SpacingPlot::setReferenceLines(std::vector<ReferenceLine> lines) {
    m_impl->setReferences(std::move(lines));
}

void SpacingPlot::setTrainedLength(values::TraceLength length) {
    m_impl->dirty = m_impl->dirty || length != m_impl->trained;
    m_impl->trained = length;
}

void SpacingPlot::refresh() {
    if (m_impl->dirty && isVisible()) {
        m_impl->dirty = false;
        m_impl->fill();
        m_impl->finish();
    }
}

void SpacingPlot::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        m_impl->fill();
        m_impl->finish();
    }
}

}  // namespace lab::widgets
