// Two or three choices side by side, one of them on: the eigenvalue range [0,1] or [-1,1].
#pragma once

#include <QStringList>
#include <QWidget>

namespace lab::widgets {

class SegmentedSwitch final : public QWidget {
    Q_OBJECT

public:
    explicit SegmentedSwitch(const QStringList& segments, QWidget* parent = nullptr);
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int segment);  ///< does not emit

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

signals:
    void chosen(int segment);  ///< by a person

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void choose(int segment);
    [[nodiscard]] QRectF segmentFrame(int segment) const;

    QStringList m_segments;
    int m_current = 0;
};

}  // namespace lab::widgets
