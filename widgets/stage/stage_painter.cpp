#include "widgets/stage/stage_painter.h"

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

QFont sized(const QFont& family, double pixels) {
    QFont font = family;
    font.setPixelSize(std::max(6, static_cast<int>(std::lround(pixels))));
    return font;
}

void paintShadow(QPainter& painter, QPointF centre, double width, double height, double strength) {
    painter.save();
    painter.translate(centre);
    painter.scale(1, height / width);
    QRadialGradient shade(QPointF(0, 0), width);
    shade.setColorAt(0, QColor(0, 0, 0, static_cast<int>(150 * strength)));
    shade.setColorAt(0.55, QColor(0, 0, 0, static_cast<int>(80 * strength)));
    shade.setColorAt(1, QColor(0, 0, 0, 0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(shade);
    painter.drawEllipse(QPointF(0, 0), width, width);
    painter.restore();
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

void paintRings(QPainter& painter, const CupSprite& cup, const Metal& metal, double alpha) {
    const double height = cup.height;
    for (const double at : {0.12, 0.2, 0.84}) {
        const double half = cup.width * (0.5 - 0.16 * at) - 0.5;
        const double sag = cup.width * 0.1 * (1 - 0.55 * at);
        QPainterPath ring(QPointF(-half, -at * height));
        ring.quadTo(QPointF(0, -at * height + 2 * sag), QPointF(half, -at * height));
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(withAlpha(metal.ring, 0.55 * alpha), std::max(1.0, cup.width * 0.012)));
        painter.drawPath(ring);
        painter.setPen(
            QPen(withAlpha(metal.shine, 0.45 * alpha), std::max(0.8, cup.width * 0.008)));
        painter.drawPath(ring.translated(0, std::max(1.0, cup.width * 0.013)));
    }
}

void paintCup(QPainter& painter, const CupSprite& cup, const Theme& theme) {
    const Metal metal = metalOf(theme);
    const double raised = cup.lift * cup.height * kLiftHeight;
    painter.save();
    painter.setOpacity(cup.opacity);
    painter.translate(cup.foot - QPointF(0, raised));
    painter.rotate(-5 * cup.lift);
    const QPainterPath outline = cupOutline(cup.width, cup.height);
    const double alpha = cup.seeThrough ? 0.2 : 1.0;
    painter.setPen(Qt::NoPen);
    painter.setBrush(metalShade(metal, cup.width, alpha));
    painter.drawPath(outline);

    QLinearGradient fall(QPointF(0, -cup.height), QPointF(0, 0));  // darker towards the table
    fall.setColorAt(0, QColor(255, 255, 255, 26));
    fall.setColorAt(0.4, QColor(0, 0, 0, 0));
    fall.setColorAt(1, QColor(0, 0, 0, cup.seeThrough ? 0 : 62));
    painter.setBrush(fall);
    painter.drawPath(outline);
    paintRings(painter, cup, metal, cup.seeThrough ? 0.6 : 1.0);

    const double top = cup.width * 0.325;
    QLinearGradient lid(QPointF(-top, 0), QPointF(top, 0));
    lid.setColorAt(0, withAlpha(metal.middle, alpha));
    lid.setColorAt(0.4, withAlpha(metal.shine, alpha));
    lid.setColorAt(1, withAlpha(metal.middle, alpha));
    painter.setPen(QPen(withAlpha(metal.ring, 0.4), 1));
    painter.setBrush(lid);
    painter.drawEllipse(QPointF(0, -cup.height + cup.width * 0.055), top, cup.width * 0.065);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(
        cup.selected ? theme.accent : withAlpha(cup.seeThrough ? metal.shine : metal.ring, 0.75),
        cup.selected ? 3 : 1.2));
    painter.drawPath(outline);
    painter.restore();
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

// The command on a dark plate; what it printed follows in yellow.
void paintCommand(QPainter& painter, const LabelSprite& label, QFont font) {
    const QString gap = label.tail.isEmpty() ? QString() : QStringLiteral("  ");
    const QString all = label.text + gap + label.tail;
    const double room = label.frame.width() - 40;
    const double wanted = QFontMetricsF(font).horizontalAdvance(all);
    if (wanted > room) {
        font = sized(font, label.pixelSize * room / wanted);
    }
    const QFontMetricsF metrics(font);
    const double width = metrics.horizontalAdvance(all);
    const QPointF centre = label.frame.center();
    const double tall = metrics.height() * 1.3;
    const QRectF plate(centre.x() - width / 2 - 14, centre.y() - tall / 2, width + 28, tall);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, 105));
    painter.drawRoundedRect(plate, 7, 7);
    painter.setFont(font);
    painter.setPen(QColor(0xff, 0xff, 0xff, 240));
    const QRectF line = plate.adjusted(14, 0, 0, 0);
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter, label.text);
    painter.setPen(QColor(0xff, 0xd8, 0x66));
    painter.drawText(line.adjusted(metrics.horizontalAdvance(label.text + gap), 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, label.tail);
}

void paintLabel(QPainter& painter, const LabelSprite& label, const QFont& family,
                const Theme& theme) {
    using Kind = LabelSprite::Kind;
    QFont font = sized(label.kind == Kind::kCommand ? monospaced(family) : family, label.pixelSize);
    QRectF frame = label.frame;
    QColor ink = theme.text;
    switch (label.kind) {
        case Kind::kPlace:
            font.setWeight(QFont::DemiBold);
            painter.setPen(Qt::NoPen);
            painter.setBrush(QColor(0, 0, 0, 70));
            painter.drawRoundedRect(frame, frame.height() / 2, frame.height() / 2);
            ink = QColor(0xff, 0xff, 0xff, 240);
            break;
        case Kind::kRow: ink = theme.mutedText; break;
        case Kind::kValue: ink = theme.mutedText; break;
        case Kind::kCommand: paintCommand(painter, label, font); return;
    }
    painter.setFont(font);
    painter.setPen(ink);
    drawElided(painter, frame, label.alignment, label.text);
}

QColor colourOf(const MeterSprite& meter, const Theme& theme) {
    return meter.kind == MeterSprite::Kind::kModel ? theme.model : theme.exact;
}

void paintBars(QPainter& painter, const MeterSprite& meter, const QFont& family,
               const Theme& theme) {
    const auto count = static_cast<double>(meter.probability.size());
    const double each = meter.frame.width() / count;
    const QColor colour = colourOf(meter, theme);
    const double numberSize = std::clamp(std::min(meter.frame.height() * 0.2, each), 8.5, 22.0);
    const double room = meter.frame.height() - numberSize * 1.25;
    const auto best = std::ranges::max_element(meter.probability) - meter.probability.begin();
    painter.setFont(sized(family, numberSize));
    const QFontMetricsF metrics(painter.font());
    const bool all = each >= metrics.horizontalAdvance(QStringLiteral(".88")) + 3;
    for (std::size_t i = 0; i < meter.probability.size(); ++i) {
        const double p = meter.probability[i];
        const double height = std::max(p > 0.002 ? 1.5 : 0.0, p * room);
        const QRectF slot(meter.frame.left() + static_cast<double>(i) * each, meter.frame.top(),
                          each, meter.frame.height());
        const QRectF bar(slot.left() + each * 0.14, slot.bottom() - height, each * 0.72, height);
        painter.setPen(Qt::NoPen);
        painter.setBrush(meter.kind == MeterSprite::Kind::kModel ? withAlpha(colour, 0.45)
                                                                 : colour);
        painter.drawRect(bar);
        if (meter.kind == MeterSprite::Kind::kModel && height > 0) {
            painter.setBrush(QBrush(colour, Qt::BDiagPattern));
            painter.setPen(QPen(colour, 1));
            painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, 0));
        }
        if (p >= 0.005 && (all || static_cast<std::ptrdiff_t>(i) == best)) {
            painter.setPen(theme.text);
            const double half = metrics.horizontalAdvance(QStringLiteral(".88")) / 2 + 1;
            const double x = std::clamp(slot.center().x(), meter.frame.left() + half - 4,
                                        meter.frame.right() - half + 4);
            const QRectF number(x - half, bar.top() - numberSize * 1.2, 2 * half, numberSize * 1.2);
            painter.drawText(number, Qt::AlignCenter, probabilityText(p));
        }
    }
}

void paintTruth(QPainter& painter, const MeterSprite& meter, double each, const QFont& family,
                const Theme& theme) {
    if (meter.truth < 0) {
        painter.setFont(sized(family, meter.frame.height() * 0.55));
        painter.setPen(theme.mutedText);
        painter.drawText(meter.frame, Qt::AlignCenter, QStringLiteral("?"));
        return;
    }
    BallSprite ball;
    ball.value = meter.truth;
    ball.label = meter.truthName;
    ball.radius = meter.frame.height() * 0.46;
    ball.centre = QPointF(
        std::clamp(meter.frame.left() + (meter.truth + 0.5) * each,
                   meter.frame.left() + ball.radius - 4, meter.frame.right() - ball.radius + 4),
        meter.frame.center().y());
    paintBall(painter, ball, family, theme);
}

void paintMeter(QPainter& painter, const MeterSprite& meter, int values, const QFont& family,
                const Theme& theme) {
    const double each = meter.frame.width() / std::max(1, values);
    painter.setPen(Qt::NoPen);
    if (meter.kind == MeterSprite::Kind::kTruth) {
        paintTruth(painter, meter, each, family, theme);
        return;
    }
    if (meter.truth >= 0) {  // a column over both meters marks the true value
        painter.setBrush(withAlpha(theme.text, 0.09));
        painter.drawRect(QRectF(meter.frame.left() + meter.truth * each, meter.frame.top(), each,
                                meter.frame.height()));
    }
    painter.setPen(QPen(theme.hairline, 1));
    painter.drawLine(meter.frame.bottomLeft(), meter.frame.bottomRight());
    if (!meter.probability.empty()) {
        paintBars(painter, meter, family, theme);
    }
}

// One card a place, behind its meters and the names of the values.
void paintCards(QPainter& painter, const StageScene& scene, const Theme& theme) {
    const auto cups = static_cast<int>(scene.cups.size());
    for (int place = 0; place < cups; ++place) {
        QRectF card;
        for (const MeterSprite& meter : scene.meters) {
            card = meter.place == place ? card.united(meter.frame) : card;
        }
        for (const LabelSprite& label : scene.labels) {
            if (label.kind == LabelSprite::Kind::kValue && label.frame.left() >= card.left() - 1 &&
                label.frame.right() <= card.right() + 1) {
                card = card.united(label.frame);
            }
        }
        painter.setPen(QPen(withAlpha(theme.hairline, 0.8), 1));
        painter.setBrush(
            withAlpha(theme.dark ? theme.ground : theme.raised, theme.dark ? 0.7 : 0.85));
        painter.drawRoundedRect(card.adjusted(-7, -4, 7, 3), 7, 7);
    }
}

}  // namespace

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

void paintScene(QPainter& painter, const StageScene& scene, const QFont& font, const Theme& theme) {
    painter.setRenderHint(QPainter::Antialiasing);
    for (const CupSprite& cup : scene.cups) {
        painter.setOpacity(cup.opacity);
        paintShadow(painter,
                    cup.foot + QPointF(cup.width * (0.06 + 0.1 * cup.lift), cup.width * 0.06),
                    cup.width * (0.66 + 0.1 * cup.lift), cup.width * 0.2, 1 - 0.55 * cup.lift);
    }
    painter.setOpacity(1);
    const double thickness =
        scene.cups.empty() ? 2 : std::clamp(scene.cups.front().width * 0.035, 1.6, 4.5);
    for (const ArrowSprite& arrow : scene.arrows) {
        paintArrow(painter, arrow, thickness);
    }
    for (const CupSprite& cup : scene.cups) {
        for (const BallSprite& ball : scene.balls) {
            if (ball.place == cup.place) {
                if (cup.lift > 0) {
                    paintShadow(painter, cup.foot, ball.radius * 1.2, ball.radius * 0.4, cup.lift);
                }
                paintBall(painter, ball, font, theme);
            }
        }
        paintCup(painter, cup, theme);
    }
    int values = 1;
    for (const MeterSprite& meter : scene.meters) {
        values = std::max(values, static_cast<int>(meter.probability.size()));
    }
    for (const LabelSprite& label : scene.labels) {
        values = std::max(values, label.value + 1);
    }
    paintCards(painter, scene, theme);
    for (const MeterSprite& meter : scene.meters) {
        paintMeter(painter, meter, values, font, theme);
    }
    for (const LabelSprite& label : scene.labels) {
        paintLabel(painter, label, font, theme);
    }
}

}  // namespace lab::widgets
