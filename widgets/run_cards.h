// One card a run that trains or has trained in this window: state, progress, speed, accuracy.
#pragma once

#include <QWidget>
#include <vector>

#include "core/values/telemetry_records.h"

namespace lab::widgets {

struct RunCard {
    QString title;
    int style = 0;  ///< series style of the run
    QString device;
    values::Snapshot snapshot;
    double secondsLeft = -1;  ///< -1: unknown
};

class RunCards final : public QWidget {
    Q_OBJECT

public:
    explicit RunCards(QWidget* parent = nullptr);
    void setCards(std::vector<RunCard> cards);
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int card);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void chosen(int card);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] QRectF cardFrame(int card) const;
    void paintHeading(QPainter& painter, const QRectF& inner, const RunCard& card) const;
    void paintFigures(QPainter& painter, const QRectF& inner, const RunCard& card) const;
    std::vector<RunCard> m_cards;
    int m_current = 0;
};

/// "running", "paused" ... in the user's language.
[[nodiscard]] QString stateTitle(values::RunState state);
/// "3 min 20 s"; "< 1 s".
[[nodiscard]] QString durationText(double seconds);
/// "1 240", "12.4 M": at most four figures, with a thin space.
[[nodiscard]] QString countText(double count);

}  // namespace lab::widgets
