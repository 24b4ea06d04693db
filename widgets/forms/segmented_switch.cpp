#include "widgets/forms/segmented_switch.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::widgets {

SegmentedSwitch::SegmentedSwitch(const QStringList& segments, QWidget* parent)
    : QWidget(parent), m_segments(segments) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleDescription(m_segments.value(0));
}

void SegmentedSwitch::setCurrent(int segment) {
    m_current = segment;
    setAccessibleDescription(m_segments.value(segment));
    update();
}

QSize SegmentedSwitch::sizeHint() const {
    int widest = 56;
    const QFontMetrics metrics(strong(font()));
    for (const QString& segment : m_segments) {
        widest = std::max(widest, metrics.horizontalAdvance(segment) + 28);
    }
    return {widest * static_cast<int>(m_segments.size()), std::max(28, metrics.height() + 12)};
}

QRectF SegmentedSwitch::segmentFrame(int segment) const {
    const double each = width() / static_cast<double>(m_segments.size());
    return {segment * each, 0, each, static_cast<double>(height())};
}

void SegmentedSwitch::paintEvent(QPaintEvent* /*event*/) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? theme.accent : theme.hairline, hasFocus() ? 1.6 : 1));
    painter.setBrush(theme.ground);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.8, 0.8, -0.8, -0.8), 6, 6);
    for (int i = 0; i < static_cast<int>(m_segments.size()); ++i) {
        const bool on = i == m_current;
        if (on) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(isEnabled() ? theme.accent : theme.hairline);
            painter.drawRoundedRect(segmentFrame(i).adjusted(3, 3, -3, -3), 4, 4);
        }
        painter.setFont(on ? strong(font()) : font());
        painter.setPen(on            ? theme.onAccent
                       : isEnabled() ? theme.text
                                     : palette().color(QPalette::Disabled, QPalette::Text));
        painter.drawText(segmentFrame(i), Qt::AlignCenter, m_segments[i]);
    }
}

void SegmentedSwitch::choose(int segment) {
    if (segment >= 0 && segment < m_segments.size() && segment != m_current) {
        setCurrent(segment);
        emit chosen(segment);
    }
}

void SegmentedSwitch::mousePressEvent(QMouseEvent* event) {
    for (int i = 0; i < static_cast<int>(m_segments.size()); ++i) {
        if (segmentFrame(i).contains(event->position())) {
            choose(i);
            return;
        }
    }
}

void SegmentedSwitch::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left: choose(m_current - 1); return;
        case Qt::Key_Right: choose(m_current + 1); return;
        case Qt::Key_Space: choose((m_current + 1) % static_cast<int>(m_segments.size())); return;
        default: QWidget::keyPressEvent(event);
    }
}

}  // namespace lab::widgets
