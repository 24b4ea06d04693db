// The slider of the timeline: a tick an event, a lifted cup for a print, a wave for a mistake.
#pragma once

#include <QWidget>
#include <vector>

namespace lab::widgets {

class EventSlider final : public QWidget {
    Q_OBJECT

public:
    enum class Mark { kPlain, kReveal, kMistake };

    explicit EventSlider(QWidget* parent = nullptr);
    void setMarks(std::vector<Mark> marks);
    /// `event` from -1; `progress` moves the handle on its way there.
    void setPosition(int event, double progress);

    [[nodiscard]] QSize sizeHint() const override { return {320, 30}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, 28}; }

signals:
    void moved(int event);  ///< by a person

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] double xOf(double event) const;
    void moveTo(double x);

    std::vector<Mark> m_marks;
    int m_event = -1;
    double m_progress = 1;
};

}  // namespace lab::widgets
