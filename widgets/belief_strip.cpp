#include "widgets/belief_strip.h"

#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::widgets {

const values::Belief& beliefOf(const values::EventReading& event, BeliefSource source) {
    switch (source) {
        case BeliefSource::kWatching: return event.watching;
        case BeliefSource::kModel: return event.model;
        case BeliefSource::kKnowing: break;
    }
    return event.knowing;
}

BeliefStrip::BeliefStrip(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setAccessibleName(tr("Belief over time"));
}

void BeliefStrip::setReading(std::shared_ptr<const values::TraceReading> reading) {
    m_reading = std::move(reading);
    rebuild();
}

void BeliefStrip::setCursor(int event) {
    if (event != m_cursor) {
        m_cursor = event;
        update();
    }
}

void BeliefStrip::setSource(BeliefSource source) {
    m_source = source;
    rebuild();
}

void BeliefStrip::rebuild() {
    m_image = QImage();
    m_hovered = {};
    update();
    if (!m_reading || m_reading->events.empty()) {
        return;
    }
    const auto cups = static_cast<int>(m_reading->cupNames.size());
    const auto values = static_cast<int>(m_reading->valueNames.size());
    const auto events = static_cast<int>(m_reading->events.size());
    m_image = QImage(events, cups * values, QImage::Format_ARGB32);
    m_image.fill(Qt::transparent);
    for (int event = 0; event < events; ++event) {
        const values::Belief& belief =
            beliefOf(m_reading->events[static_cast<std::size_t>(event)], m_source);
        for (int row = 0; !belief.empty() && row < cups * values; ++row) {
            const int cup = row / values;
            const int value = row % values;
            if (cup < belief.cups && value < belief.values) {
                m_image.setPixel(event, row, viridis(belief.at(cup, value)));
            }
        }
    }
}

QRectF BeliefStrip::mapFrame() const {
    const QFontMetricsF metrics(font());
    const double gutter = metrics.horizontalAdvance(QStringLiteral("mm  0")) + 14;
    const double legend = metrics.horizontalAdvance(QStringLiteral("0.5")) + 30;
    return QRectF(rect()).adjusted(gutter, 6, -legend, -metrics.height() - 7);
}

BeliefStrip::Cell BeliefStrip::cellAt(QPointF position) const {
    const QRectF frame = mapFrame();
    if (m_image.isNull() || !frame.contains(position)) {
        return {};
    }
    const double x = (position.x() - frame.left()) / frame.width();
    const double y = (position.y() - frame.top()) / frame.height();
    return {std::min(m_image.width() - 1, static_cast<int>(x * m_image.width())),
            std::min(m_image.height() - 1, static_cast<int>(y * m_image.height()))};
}

void BeliefStrip::paintEvent(QPaintEvent* /*event*/) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.fillRect(rect(), theme.ground);
    const QRectF frame = mapFrame();
    if (m_image.isNull()) {
        painter.setPen(theme.mutedText);
        painter.drawText(rect(), Qt::AlignCenter, tr("No trace yet."));
        return;
    }
    painter.fillRect(frame, withAlpha(theme.text, 0.06));
    painter.drawImage(frame, m_image);
    paintRows(painter, frame, theme);
    paintTime(painter, frame, theme);
    paintLegend(painter, frame, theme);
}

void BeliefStrip::paintRows(QPainter& painter, const QRectF& frame, const Theme& theme) const {
    const auto cups = static_cast<int>(m_reading->cupNames.size());
    const auto values = std::max(1, static_cast<int>(m_reading->valueNames.size()));
    const double each = frame.height() / cups;
    const double row = each / values;
    const QFontMetricsF metrics(font());
    const double size = std::min(metrics.height(), row);
    for (int cup = 0; cup < cups; ++cup) {
        const double top = frame.top() + cup * each;
        if (cup > 0) {
            painter.fillRect(QRectF(frame.left(), top - 1, frame.width(), 2), theme.ground);
        }
        painter.setFont(strong(font()));
        painter.setPen(theme.text);
        painter.drawText(
            QRectF(4, top, 24, each), Qt::AlignCenter,
            QString::fromStdString(m_reading->cupNames[static_cast<std::size_t>(cup)]));
        if (row < 7.5) {
            continue;
        }
        painter.setFont(scaled(font(), std::clamp(size / metrics.height(), 0.5, 0.9)));
        painter.setPen(theme.mutedText);
        for (int value = 0; value < values; ++value) {
            painter.drawText(
                QRectF(28, top + value * row, frame.left() - 34, row),
                Qt::AlignRight | Qt::AlignVCenter,
                QString::fromStdString(m_reading->valueNames[static_cast<std::size_t>(value)]));
        }
    }
}

void BeliefStrip::paintTime(QPainter& painter, const QRectF& frame, const Theme& theme) const {
    const double each = frame.width() / m_image.width();
    painter.setFont(scaled(font(), 0.86));
    painter.setPen(theme.mutedText);
    const QFontMetricsF metrics(painter.font());
    for (int event = 0; event < m_image.width(); ++event) {
        const values::EventReading& reading = m_reading->events[static_cast<std::size_t>(event)];
        if (reading.kind == values::EventReading::Kind::kReveal && each > 3) {
            const double x = frame.left() + (event + 0.5) * each;
            const double half = std::min(4.0, each / 2);
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.mutedText);
            painter.drawPolygon(QPolygonF({QPointF(x, frame.bottom() + 2),
                                           QPointF(x + half, frame.bottom() + 2 + half * 1.4),
                                           QPointF(x - half, frame.bottom() + 2 + half * 1.4)}));
        }
    }
    painter.setPen(theme.mutedText);
    painter.drawText(QRectF(frame.left(), frame.bottom() + 7, frame.width(), metrics.height()),
                     Qt::AlignRight | Qt::AlignVCenter, tr("events, ▴ print"));
    const int shown = m_hovered.event >= 0 ? m_hovered.event : m_cursor;
    if (shown >= 0 && shown < m_image.width()) {
        const auto& text = m_reading->events[static_cast<std::size_t>(shown)].text;
        const QString caption = tr("%1: %2").arg(shown + 1).arg(QString::fromStdString(text));
        drawElided(painter,
                   {frame.left(), frame.bottom() + 7, frame.width() - 110, metrics.height()},
                   Qt::AlignLeft | Qt::AlignVCenter, caption);
    }
    if (m_cursor >= 0 && m_cursor < m_image.width()) {
        const QRectF column(frame.left() + m_cursor * each, frame.top() - 2, std::max(2.0, each),
                            frame.height() + 4);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.dark ? QColor(Qt::black) : QColor(Qt::white), 3.5));
        painter.drawRect(column);
        painter.setPen(QPen(theme.bad, 1.6));
        painter.drawRect(column);
    }
}

void BeliefStrip::paintLegend(QPainter& painter, const QRectF& frame, const Theme& theme) const {
    const QRectF bar(frame.right() + 12, frame.top() + 4, 9, frame.height() - 8);
    QLinearGradient scale(bar.bottomLeft(), bar.topLeft());
    for (int i = 0; i <= 16; ++i) {
        scale.setColorAt(i / 16.0, QColor::fromRgb(viridis(i / 16.0)));
    }
    painter.fillRect(bar, scale);
    painter.setFont(scaled(font(), 0.86));
    painter.setPen(theme.mutedText);
    const double line = QFontMetricsF(painter.font()).height();
    const QLocale locale;
    for (const double p : {0.0, 0.5, 1.0}) {
        const double y = bar.bottom() - p * bar.height();
        painter.drawText(QRectF(bar.right() + 4, y - line / 2, 40, line),
                         Qt::AlignLeft | Qt::AlignVCenter, locale.toString(p, 'g', 2));
    }
}

void BeliefStrip::mousePressEvent(QMouseEvent* event) {
    if (const Cell cell = cellAt(event->position()); cell.event >= 0) {
        emit cursorRequested(cell.event);
    }
}

void BeliefStrip::mouseMoveEvent(QMouseEvent* event) {
    const Cell cell = cellAt(event->position());
    if (cell.event == m_hovered.event && cell.row == m_hovered.row) {
        return;
    }
    m_hovered = cell;
    update();
    if (cell.event < 0) {
        QToolTip::hideText();
        return;
    }
    if ((event->buttons() & Qt::LeftButton) != 0) {
        emit cursorRequested(cell.event);
    }
    const auto values = static_cast<int>(m_reading->valueNames.size());
    const int cup = cell.row / values;
    const int value = cell.row % values;
    const values::Belief& belief =
        beliefOf(m_reading->events[static_cast<std::size_t>(cell.event)], m_source);
    if (belief.empty() || cup >= belief.cups || value >= belief.values) {
        return;
    }
    const double probability = belief.at(cup, value);
    QToolTip::showText(
        event->globalPosition().toPoint(),
        tr("after event %1: P(%2 = %3) = %4")
            .arg(cell.event + 1)
            .arg(QString::fromStdString(m_reading->cupNames[static_cast<std::size_t>(cup)]),
                 QString::fromStdString(m_reading->valueNames[static_cast<std::size_t>(value)]),
                 QLocale().toString(probability, 'f', 3)),
        this);
    emit cellHovered(cell.event, cup, value, probability);
}

void BeliefStrip::leaveEvent(QEvent* event) {
    m_hovered = {};
    update();
    QWidget::leaveEvent(event);
}

}  // namespace lab::widgets
