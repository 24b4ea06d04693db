// Belief over time as a heat map: a row for every (cup, value), grouped by cup; a column an event.
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>

#include "core/values/trace_reading.h"
#include "widgets/stage/stage_scene.h"
#include "widgets/theme.h"

namespace lab::widgets {

class BeliefStrip final : public QWidget {
    Q_OBJECT

public:
    explicit BeliefStrip(QWidget* parent = nullptr);

    /// Shared, never copied. Null clears.
    void setReading(std::shared_ptr<const values::TraceReading> reading);
    void setCursor(int event);
    void setSource(BeliefSource source);
    [[nodiscard]] BeliefSource source() const { return m_source; }
    [[nodiscard]] const QImage& image() const { return m_image; }

    [[nodiscard]] QSize sizeHint() const override { return {600, 160}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {240, 90}; }

signals:
    void cursorRequested(int event);
    void cellHovered(int event, int cup, int value, double probability);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    struct Cell {
        int event = -1, row = -1;
    };
    [[nodiscard]] QRectF mapFrame() const;
    [[nodiscard]] Cell cellAt(QPointF position) const;
    void rebuild();
    void paintRows(QPainter& painter, const QRectF& frame, const Theme& theme) const;
    void paintTime(QPainter& painter, const QRectF& frame, const Theme& theme) const;
    void paintLegend(QPainter& painter, const QRectF& frame, const Theme& theme) const;

    std::shared_ptr<const values::TraceReading> m_reading;
    BeliefSource m_source = BeliefSource::kKnowing;
    QImage m_image;  // one pixel a cell
    int m_cursor = -1;
    Cell m_hovered;
};

/// The belief of `source` after an event; empty when there is none.
[[nodiscard]] const values::Belief& beliefOf(const values::EventReading& event,
                                             BeliefSource source);

}  // namespace lab::widgets
