#include "widgets/event_slider.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::widgets {
namespace {

constexpr double kEdge = 9;

}  // namespace

EventSlider::EventSlider(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Position in the trace"));
    setCursor(Qt::PointingHandCursor);
}

void EventSlider::setMarks(std::vector<Mark> marks) {
    m_marks = std::move(marks);
    update();
}

void EventSlider::setPosition(int event, double progress) {
    if (event != m_event || progress != m_progress) {
        if (event != m_event) {
            setAccessibleDescription(tr("event %1 of %2").arg(event + 1).arg(m_marks.size()));
        }
        m_event = event;
        m_progress = progress;
        update();
    }
}

double EventSlider::xOf(double event) const {
    const double steps = std::max<double>(1.0, static_cast<double>(m_marks.size()));
    return kEdge + (event + 1) / steps * (width() - 2 * kEdge);
}

void EventSlider::paintEvent(QPaintEvent* /*event*/) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double middle = height() / 2.0 + 3;
    const double at = xOf(m_event - 1 + m_progress);
    const double handle = m_event < 0 ? xOf(-1) : at;
    const QRectF groove(kEdge, middle - 2, width() - 2 * kEdge, 4);
    drawBar(painter, groove, (handle - kEdge) / std::max(1.0, groove.width()), theme.accent,
            theme.hairline);
    const double each =
        (width() - 2 * kEdge) / std::max<double>(1.0, static_cast<double>(m_marks.size()));
    for (std::size_t i = 0; i < m_marks.size(); ++i) {
        const double x = xOf(static_cast<double>(i));
        if (m_marks[i] == Mark::kPlain) {
            if (each >= 5) {
                painter.fillRect(QRectF(x - 0.5, middle - 5, 1, 3), theme.mutedText);
            }
            continue;
        }
        const bool mistake = m_marks[i] == Mark::kMistake;
        const double size = std::clamp(each * 0.6, 2.5, 5.0);
        const double y = middle - 7 - size;
        painter.setPen(Qt::NoPen);
        painter.setBrush(mistake ? theme.bad : theme.good);
        if (mistake) {
            painter.setPen(QPen(theme.bad, 2, Qt::SolidLine, Qt::RoundCap));
            painter.drawLine(QPointF(x - size * 0.7, y - size * 0.7),
                             QPointF(x + size * 0.7, y + size * 0.7));
            painter.drawLine(QPointF(x - size * 0.7, y + size * 0.7),
                             QPointF(x + size * 0.7, y - size * 0.7));
        } else {
            painter.drawPolygon(QPolygonF(
                {QPointF(x - size * 0.55, y - size * 0.8), QPointF(x + size * 0.55, y - size * 0.8),
                 QPointF(x + size, y + size * 0.8), QPointF(x - size, y + size * 0.8)}));
        }
    }
    painter.setPen(QPen(theme.ground, 2));
    painter.setBrush(theme.accent);
    painter.drawEllipse(QPointF(handle, middle), 7, 7);
}

void EventSlider::moveTo(double x) {
    const double part = (x - kEdge) / std::max(1.0, width() - 2 * kEdge);
    const auto count = static_cast<double>(m_marks.size());
    const int event = static_cast<int>(std::lround(std::clamp(part, 0.0, 1.0) * count)) - 1;
    emit moved(event);
}

void EventSlider::mousePressEvent(QMouseEvent* event) {
    moveTo(event->position().x());
}

void EventSlider::mouseMoveEvent(QMouseEvent* event) {
    if ((event->buttons() & Qt::LeftButton) != 0) {
        moveTo(event->position().x());
    }
}

}  // namespace lab::widgets
