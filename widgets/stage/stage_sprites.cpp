#include "widgets/stage/stage_sprites.h"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "widgets/paint.h"

namespace lab::widgets {
namespace {

struct Metal {
    QColor edge, middle, shine, ring;
};

// The cups' brass, dimmer at night.
Metal metalOf(const Theme& theme) {
    if (theme.dark) {
        return {QColor(0x6a, 0x45, 0x22), QColor(0xb9, 0x85, 0x48), QColor(0xf0, 0xcf, 0x98),
                QColor(0x50, 0x32, 0x16)};
    }
    return {QColor(0x8c, 0x5d, 0x2e), QColor(0xd4, 0x9f, 0x5d), QColor(0xfb, 0xe3, 0xb6),
            QColor(0x6f, 0x47, 0x20)};
}

// Outline of a cup turned over, its foot at the origin: the rim below, the flat bottom on top.
QPainterPath cupOutline(double width, double height) {
    const double rim = width / 2;
    const double top = width * 0.34;
    const double sag = width * 0.1;  // how far the round rim comes forward
    QPainterPath path(QPointF(-rim, 0));
    path.cubicTo(QPointF(-rim * 0.62, sag * 1.34), QPointF(rim * 0.62, sag * 1.34),
                 QPointF(rim, 0));
    path.lineTo(QPointF(top, -height + sag * 0.7));
    path.cubicTo(QPointF(top * 0.9, -height - sag * 0.25),
                 QPointF(-top * 0.9, -height - sag * 0.25), QPointF(-top, -height + sag * 0.7));
    path.closeSubpath();
    return path;
}

QLinearGradient metalShade(const Metal& metal, double width, double alpha) {
    QLinearGradient shade(QPointF(-width / 2, 0), QPointF(width / 2, 0));
    shade.setColorAt(0.0, withAlpha(metal.edge, alpha));
    shade.setColorAt(0.18, withAlpha(metal.middle, alpha));
    shade.setColorAt(0.34, withAlpha(metal.shine, alpha));
    shade.setColorAt(0.5, withAlpha(metal.middle, alpha));
    shade.setColorAt(0.85, withAlpha(metal.edge, alpha));
    shade.setColorAt(1.0, withAlpha(mixed(metal.edge, metal.middle, 0.35), alpha));
    return shade;
}

void paintRings(QPainter& painter, QSizeF cup, const Metal& metal, double alpha) {
    const double height = cup.height();
    for (const double at : {0.12, 0.2, 0.84}) {
        const double half = cup.width() * (0.5 - 0.16 * at) - 0.5;
        const double sag = cup.width() * 0.1 * (1 - 0.55 * at);
        QPainterPath ring(QPointF(-half, -at * height));
        ring.quadTo(QPointF(0, -at * height + 2 * sag), QPointF(half, -at * height));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(
            QPen(withAlpha(metal.ring, 0.55 * alpha), std::max(1.0, cup.width() * 0.012)));
        painter.drawPath(ring);
        painter.setPen(
            QPen(withAlpha(metal.shine, 0.45 * alpha), std::max(0.8, cup.width() * 0.008)));
        painter.drawPath(ring.translated(0, std::max(1.0, cup.width() * 0.013)));
    }
}

}  // namespace

QFont sized(const QFont& family, double pixels) {
    QFont font = family;
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(pixels))));
    return font;
}

void paintShadow(QPainter& painter, QPointF centre, QSizeF reach) {
    painter.save();
    painter.translate(centre);
    painter.scale(1, reach.height() / reach.width());
    QRadialGradient shade(QPointF(0, 0), reach.width());
    shade.setColorAt(0, QColor(0, 0, 0, 150));
    shade.setColorAt(0.55, QColor(0, 0, 0, 80));
    shade.setColorAt(1, QColor(0, 0, 0, 0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade);
    painter.drawEllipse(QPointF(0, 0), reach.width(), reach.width());
    painter.restore();
}

void paintCup(QPainter& painter, QSizeF cup, bool seeThrough, const Theme& theme) {
    const Metal metal = metalOf(theme);
    const QPainterPath outline = cupOutline(cup.width(), cup.height());
    const double alpha = seeThrough ? 0.2 : 1.0;
    painter.setPen(Qt::NoPen);
    painter.setBrush(metalShade(metal, cup.width(), alpha));
    painter.drawPath(outline);

    QLinearGradient fall(QPointF(0, -cup.height()), QPointF(0, 0));  // darker towards the table
    fall.setColorAt(0, QColor(255, 255, 255, 26));
    fall.setColorAt(0.4, QColor(0, 0, 0, 0));
    fall.setColorAt(1, QColor(0, 0, 0, seeThrough ? 0 : 62));
    painter.setBrush(fall);
    painter.drawPath(outline);
    paintRings(painter, cup, metal, seeThrough ? 0.6 : 1.0);

    const double top = cup.width() * 0.325;
    QLinearGradient lid(QPointF(-top, 0), QPointF(top, 0));
    lid.setColorAt(0, withAlpha(metal.middle, alpha));
    lid.setColorAt(0.4, withAlpha(metal.shine, alpha));
    lid.setColorAt(1, withAlpha(metal.middle, alpha));
    painter.setPen(QPen(withAlpha(metal.ring, 0.4), 1));
    painter.setBrush(lid);
    painter.drawEllipse(QPointF(0, -cup.height() + cup.width() * 0.055), top, cup.width() * 0.065);
    paintCupOutline(painter, cup,
                    QPen(withAlpha(seeThrough ? metal.shine : metal.ring, 0.75), 1.2));
}

void paintCupOutline(QPainter& painter, QSizeF cup, const QPen& pen) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    painter.drawPath(cupOutline(cup.width(), cup.height()));
}

void paintArrow(QPainter& painter, const ArrowSprite& arrow, double thickness) {
    painter.save();
    painter.setOpacity(arrow.opacity);
    const QColor ink(0xff, 0xff, 0xff, 225);
    QPainterPath curve(arrow.start);
    curve.quadTo(arrow.control, arrow.end);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(ink, thickness, Qt::SolidLine, Qt::FlatCap));
    painter.drawPath(curve);
    const auto head = [&](QPointF tip, QPointF from) {
        const QPointF along = tip - from;
        const double length = std::hypot(along.x(), along.y());
        const QPointF unit = along / std::max(1e-6, length);
        const QPointF side(-unit.y(), unit.x());
        const double size = thickness * 3.4;
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        painter.drawPolygon(
            QPolygonF({tip + unit * size * 0.4, tip - unit * size + side * size * 0.62,
                       tip - unit * size - side * size * 0.62}));
    };
    head(arrow.end, arrow.control);
    if (arrow.bothWays) {
        head(arrow.start, arrow.control);
    }
    painter.restore();
}

void paintBackdrop(QPainter& painter, QSizeF size, const QRectF& table, const Theme& theme) {
    const QRectF all(QPointF(0, 0), size);
    QLinearGradient wall(all.topLeft(), QPointF(0, table.top()));
    wall.setColorAt(0, theme.dark ? QColor(0x20, 0x24, 0x2a) : QColor(0xfb, 0xfb, 0xfc));
    wall.setColorAt(1, theme.dark ? QColor(0x2b, 0x31, 0x38) : QColor(0xe6, 0xea, 0xee));
    painter.fillRect(all, wall);

    painter.setRenderHint(QPainter::Antialiasing);
    const double back = size.width() * 0.06;  // the far edge is shorter than the near one
    QPainterPath top(QPointF(-2, table.bottom()));
    top.lineTo(-2, table.top() + table.height() * 0.22);
    top.quadTo(QPointF(back * 0.35, table.top()), QPointF(back * 1.6, table.top()));
    top.lineTo(size.width() - back * 1.6, table.top());
    top.quadTo(QPointF(size.width() - back * 0.35, table.top()),
               QPointF(size.width() + 2, table.top() + table.height() * 0.22));
    top.lineTo(size.width() + 2, table.bottom());
    top.closeSubpath();
    QLinearGradient felt(table.topLeft(), table.bottomLeft());
    felt.setColorAt(0, theme.dark ? QColor(0x1d, 0x45, 0x43) : QColor(0x3d, 0x84, 0x7b));
    felt.setColorAt(1, theme.dark ? QColor(0x12, 0x2e, 0x2f) : QColor(0x25, 0x5f, 0x59));
    painter.setPen(Qt::NoPen);
    painter.setBrush(felt);
    painter.drawPath(top);

    QRadialGradient light(QPointF(size.width() / 2, table.top() + table.height() * 0.35),
                          size.width() * 0.55);
    light.setColorAt(0, QColor(255, 255, 255, theme.dark ? 26 : 48));
    light.setColorAt(1, QColor(255, 255, 255, 0));
    painter.setBrush(light);
    painter.drawPath(top);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.dark ? QColor(0x6a, 0x4c, 0x2f) : QColor(0x8f, 0x68, 0x40),
                        std::max(3.0, table.height() * 0.022)));
    painter.drawPath(top);
}

void paintBall(QPainter& painter, const BallSprite& ball, const QFont& font, const Theme& theme) {
    const ValueStyle style = theme.value(ball.value);
    const double r = ball.radius;
    painter.save();
    painter.setOpacity(ball.opacity);
    QRadialGradient round(ball.centre - QPointF(r * 0.35, r * 0.4), r * 1.5);
    round.setColorAt(0, style.fill.lighter(150));
    round.setColorAt(0.45, style.fill);
    round.setColorAt(1, style.fill.darker(150));
    painter.setPen(Qt::NoPen);
    painter.setBrush(round);
    painter.drawEllipse(ball.centre, r, r);
    if (style.pattern != Qt::SolidPattern) {
        painter.setBrush(QBrush(QColor(255, 255, 255, 70), style.pattern));
        painter.drawEllipse(ball.centre, r, r);
    }
    painter.setBrush(withAlpha(style.fill.darker(135), 0.9));  // a calm ground for the number
    painter.drawEllipse(ball.centre, r * 0.62, r * 0.62);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(QColor(255, 255, 255, 210), std::max(1.0, r * 0.07)));
    painter.drawEllipse(ball.centre, r * 0.97, r * 0.97);
    QFont number = sized(font, r * (ball.label.size() > 2 ? 0.62 : 0.92));
    number.setBold(true);
    painter.setFont(number);
    painter.setPen(style.ink);
    painter.drawText(QRectF(ball.centre.x() - r, ball.centre.y() - r, 2 * r, 2 * r),
                     Qt::AlignCenter, ball.label);
    painter.restore();
}

}  // namespace lab::widgets
