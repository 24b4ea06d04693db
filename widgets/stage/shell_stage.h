// The shell game: cups on a table, what is under them, and what is believed to be.
#pragma once

#include <QWidget>
#include <memory>

#include "core/values/trace_reading.h"
#include "widgets/stage/stage_painter.h"
#include "widgets/stage/stage_scene.h"

namespace lab::widgets {

class ShellStage final : public QWidget {
    Q_OBJECT

public:
    explicit ShellStage(QWidget* parent = nullptr);

    /// Shared, never copied. Null clears. The moment stays.
    void setReading(std::shared_ptr<const values::TraceReading> reading);
    void setMoment(StageMoment moment);
    void setOptions(const StageOptions& options);
    [[nodiscard]] const StageOptions& options() const { return m_options; }
    [[nodiscard]] StageMoment moment() const { return m_moment; }
    [[nodiscard]] int selectedCup() const { return m_selected; }

    [[nodiscard]] QSize sizeHint() const override { return {900, 480}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {360, 220}; }

signals:
    void cupSelected(int cup);
    void revealRequested(int cup);           ///< double click or Enter on a cup
    void swapRequested(int cup, int other);  ///< one cup dragged onto another

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] int cupAt(QPointF position) const;
    void select(int cup);
    void describe();

    std::shared_ptr<const values::TraceReading> m_reading;
    StageMoment m_moment;
    StageOptions m_options;
    StagePainter m_painter;
    int m_selected = -1;
    int m_dragged = -1;
    QPointF m_dragAt;
};

}  // namespace lab::widgets
