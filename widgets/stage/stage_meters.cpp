#include "widgets/stage/stage_meters.h"

#include <algorithm>
#include <cmath>

#include "widgets/paint.h"
#include "widgets/stage/stage_sprites.h"

namespace lab::widgets {
namespace {

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

QColor colourOf(const MeterSprite& meter, const Theme& theme) {
    return meter.kind == MeterSprite::Kind::kModel ? theme.model : theme.exact;
}

// What a number needs: laid out once, then only placed.
const QStaticText& numberText(int hundredths, const QFont& font, NumberTexts& numbers) {
    QStaticText& text = numbers[hundredths];
    if (text.text().isEmpty()) {
        text.setText(probabilityText(hundredths / 100.0));
        text.setTextFormat(Qt::PlainText);
        text.prepare({}, font);
    }
    return text;
}

void paintBar(QPainter& painter, const MeterSprite& meter, const QRectF& bar, const Theme& theme) {
    const QColor colour = colourOf(meter, theme);
    if (meter.kind == MeterSprite::Kind::kExact) {
        painter.fillRect(bar, colour);
        return;
    }
    painter.fillRect(bar, withAlpha(colour, 0.45));
    painter.fillRect(bar, QBrush(colour, Qt::BDiagPattern));
    painter.setPen(QPen(colour, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
}

void paintBars(QPainter& painter, const MeterSprite& meter, const QFont& family, const Theme& theme,
               NumberTexts& numbers) {
    const double each = meter.frame.width() / static_cast<double>(meter.probability.size());
    const double numberSize = std::clamp(std::min(meter.frame.height() * 0.2, each), 8.5, 22.0);
    const double room = meter.frame.height() - numberSize * 1.25;
    const auto best = std::ranges::max_element(meter.probability) - meter.probability.begin();
    const QFont font = sized(family, numberSize);
    const double widest = 1.65 * numberSize;
    const bool all = each >= widest + 2;
    painter.setFont(font);
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = 0; i < meter.probability.size(); ++i) {
        const double p = meter.probability[i];
        const double height = std::max(p > 0.002 ? 1.5 : 0.0, p * room);
        const double left = meter.frame.left() + static_cast<double>(i) * each;
        const QRectF bar(left + each * 0.14, meter.frame.bottom() - height, each * 0.72, height);
        if (height > 0) {
            paintBar(painter, meter, bar, theme);
        }
        if (p >= 0.005 && (all || static_cast<std::ptrdiff_t>(i) == best)) {
            const auto& number = numberText(static_cast<int>(std::lround(100 * p)), font, numbers);
            const double x = std::clamp(left + each / 2, meter.frame.left() + widest / 2 - 4,
                                        meter.frame.right() - widest / 2 + 4);
            painter.setPen(theme.text);
            painter.drawStaticText(
                QPointF(x - number.size().width() / 2, bar.top() - number.size().height() - 0.5),
                number);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, true);
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

}  // namespace

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

void paintMeter(QPainter& painter, const MeterSprite& meter, int values, const QFont& family,
                const Theme& theme, NumberTexts& numbers) {
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
        paintBars(painter, meter, family, theme, numbers);
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

}  // namespace lab::widgets
