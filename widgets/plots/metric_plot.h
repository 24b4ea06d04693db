// Curves that grow while a run trains: loss, accuracy, norms, throughput.
//
// append() only stores; refresh() draws, once a frame, when something changed.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <span>
#include <vector>

class QCustomPlot;

namespace lab::widgets {

struct MetricPoint {
    double step = 0;
    double cpuSeconds = 0;
    double value = 0;
};

enum class XAxis { kStep, kCpuSeconds };

struct MetricPlotSetup {
    QString title;   ///< for the legend corner, pictures and screen readers
    QString yTitle;  ///< with its unit: tr("Loss (nats per token)")
    bool logarithmic = false;
    std::optional<double> yFrom{}, yTo{};  ///< fixed ends; else fitted to what is in view
};

/// A horizontal line that says what is known without training: chance, a ceiling.
struct ReferenceLine {
    double y = 0;
    QString label;
    bool operator==(const ReferenceLine&) const = default;
};

/// Something that happened in a run: a vertical mark.
struct EventMark {
    double step = 0;
    double cpuSeconds = 0;
    QString text;
    int style = 0;  ///< series colour of the run
};

class MetricPlot final : public QWidget {
    Q_OBJECT

public:
    explicit MetricPlot(MetricPlotSetup setup, QWidget* parent = nullptr);
    ~MetricPlot() override;

    /// Adds a line and returns its number. `style` chooses colour and marker (one a run), `variant`
    /// the dash (0: solid), so that a run's lines belong together.
    int addSeries(const QString& name, int style, int variant = 0);
    void append(int series, std::span<const MetricPoint> points);
    void setSeriesVisible(int series, bool visible);
    void clear();  ///< series, points and marks; not the reference lines

    void setReferenceLines(std::vector<ReferenceLine> lines);
    void addEventMark(EventMark mark);

    void setXAxis(XAxis axis);
    [[nodiscard]] XAxis xAxis() const;
    void setLogarithmic(bool logarithmic);
    /// 0: raw lines only; towards 1: a thicker line, the bias-corrected exponential mean.
    void setSmoothing(double strength);

    [[nodiscard]] bool following() const;
    void setFollowing(bool follows);

    /// Draws when anything changed since the last call. For the frame clock.
    void refresh();

    /// What is in view: a header line, then x and a column a series; `separator` ',' or '\t'.
    [[nodiscard]] QString dataInView(QChar separator) const;
    /// By the ending: .png, .svg, .pdf, .csv. Returns false when the file cannot be written.
    bool exportTo(const QString& path);

    [[nodiscard]] QSize sizeHint() const override { return {480, 280}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {220, 140}; }

public slots:
    void copyPicture();
    void copyData();  ///< picture and data together, as image and as tab-separated text
    void showAll();   ///< the whole curve; follows again

signals:
    void followingChanged(bool follows);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lab::widgets
