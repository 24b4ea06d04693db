#include "widgets/paint.h"

#include <QFontDatabase>
#include <QLocale>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <string>

namespace lab::widgets {

QFont scaled(const QFont& font, double factor) {
    QFont result = font;
    if (font.pointSizeF() > 0) {
        result.setPointSizeF(font.pointSizeF() * factor);
    } else {
        result.setPixelSize(std::max(1, static_cast<int>(std::lround(font.pixelSize() * factor))));
    }
    return result;
}

QFont strong(const QFont& font) {
    QFont result = font;
    result.setWeight(QFont::DemiBold);
    return result;
}

QFont monospaced(const QFont& like, double factor) {
    QFont result = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    result.setStyleHint(QFont::Monospace);
    if (like.pointSizeF() > 0) {
        result.setPointSizeF(like.pointSizeF() * factor);
    } else {
        result.setPixelSize(std::max(1, static_cast<int>(std::lround(like.pixelSize() * factor))));
    }
    return result;
}

QColor withAlpha(QColor colour, double alpha) {
    colour.setAlphaF(static_cast<float>(std::clamp(alpha, 0.0, 1.0)));
    return colour;
}

QColor mixed(const QColor& first, const QColor& second, double part) {
    const auto mix = [part](float a, float b) {
        return static_cast<float>((1 - part) * a + part * b);
    };
    return QColor::fromRgbF(mix(first.redF(), second.redF()), mix(first.greenF(), second.greenF()),
                            mix(first.blueF(), second.blueF()),
                            mix(first.alphaF(), second.alphaF()));
}

void drawElided(QPainter& painter, const QRectF& frame, Qt::Alignment alignment,
                const QString& text) {
    const QFontMetricsF metrics(painter.font());
    painter.drawText(frame, static_cast<int>(alignment) | Qt::TextSingleLine,
                     metrics.elidedText(text, Qt::ElideRight, frame.width() + 0.5));
}

void drawBar(QPainter& painter, const QRectF& frame, double part, const QColor& fill,
             const QColor& trough) {
    const double radius = std::min(frame.height(), frame.width()) / 2;
    painter.setPen(Qt::NoPen);
    painter.setBrush(trough);
    painter.drawRoundedRect(frame, radius, radius);
    const double width = frame.width() * std::clamp(part, 0.0, 1.0);
    if (width <= 0) {
        return;
    }
    painter.save();
    painter.setClipRect(QRectF(frame.topLeft(), QSizeF(width, frame.height())), Qt::IntersectClip);
    painter.setBrush(fill);
    painter.drawRoundedRect(frame, radius, radius);
    painter.restore();
}

void drawMarker(QPainter& painter, const SeriesStyle& style, QPointF centre, double radius) {
    const double r = radius;
    painter.setPen(QPen(style.colour, std::max(1.2, r * 0.4)));
    painter.setBrush(style.colour);
    switch (style.marker) {
        case Marker::kDisc: painter.drawEllipse(centre, r * 0.85, r * 0.85); break;
        case Marker::kSquare:
            painter.drawRect(
                QRectF(centre.x() - r * 0.75, centre.y() - r * 0.75, r * 1.5, r * 1.5));
            break;
        case Marker::kTriangle:
            painter.drawPolygon(
                QPolygonF({centre + QPointF(0, -r * 0.85), centre + QPointF(r * 0.85, r * 0.7),
                           centre + QPointF(-r * 0.85, r * 0.7)}));
            break;
        case Marker::kDiamond:
            painter.drawPolygon(QPolygonF({centre + QPointF(0, -r), centre + QPointF(r, 0),
                                           centre + QPointF(0, r), centre + QPointF(-r, 0)}));
            break;
        case Marker::kCross:
            painter.drawLine(centre + QPointF(-r * 0.8, -r * 0.8),
                             centre + QPointF(r * 0.8, r * 0.8));
            painter.drawLine(centre + QPointF(-r * 0.8, r * 0.8),
                             centre + QPointF(r * 0.8, -r * 0.8));
            break;
        case Marker::kPlus:
            painter.drawLine(centre + QPointF(-r, 0), centre + QPointF(r, 0));
            painter.drawLine(centre + QPointF(0, -r), centre + QPointF(0, r));
            break;
        case Marker::kRing:
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(centre, r * 0.8, r * 0.8);
            break;
    }
}

QString probabilityText(double probability) {
    const QLocale locale;
    if (probability >= 0.995) {
        return QStringLiteral("1");
    }
    if (probability < 0.005) {
        return QStringLiteral("0");
    }
    return locale.toString(probability, 'f', 2).remove(0, 1);
}

QString tokenText(const std::string& token) {
    return token == "\n" ? QStringLiteral("⏎") : QString::fromStdString(token);
}

}  // namespace lab::widgets
