#include "widgets/stage/stage_painter.h"

#include <algorithm>
#include <cmath>

#include "widgets/paint.h"
#include "widgets/stage/stage_sprites.h"

namespace lab::widgets {

// `frame` is what the picture has to hold, around its origin.
template <class Paint>
StagePainter::Picture StagePainter::pictureOf(QRectF frame, Paint paint) const {
    const QSize pixels(static_cast<int>(std::ceil(frame.width() * m_look.ratio)),
                       static_cast<int>(std::ceil(frame.height() * m_look.ratio)));
    Picture picture{QPixmap(pixels.expandedTo({1, 1})), -frame.topLeft()};
    picture.pixmap.setDevicePixelRatio(m_look.ratio);
    picture.pixmap.fill(Qt::transparent);
    QPainter painter(&picture.pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(picture.origin);
    paint(painter);
    return picture;
}

// Whole pixels at rest: a plain copy. On its way: scaled and in between.
void StagePainter::place(QPainter& painter, const Picture& picture, QPointF at,
                         double scale) const {
    if (scale == 1) {
        const QPointF corner = at - picture.origin;
        painter.drawPixmap(QPointF(std::round(corner.x()), std::round(corner.y())), picture.pixmap);
        return;
    }
    const QSizeF size = picture.pixmap.deviceIndependentSize() * scale;
    painter.drawPixmap(QRectF(at - picture.origin * scale, size), picture.pixmap,
                       QRectF(picture.pixmap.rect()));
}

void StagePainter::prepare(Look look, const StageScene& scene, const Theme& theme) {
    if (look == m_look && !m_backdrop.isNull()) {
        return;
    }
    m_look = std::move(look);
    m_numbers.clear();
    m_balls.clear();
    m_values = 1;
    for (const LabelSprite& label : m_look.labels) {
        m_values = std::max(m_values, label.value + 1);
    }
    m_backdrop = QPixmap((m_look.size * m_look.ratio).toSize().expandedTo({1, 1}));
    m_backdrop.setDevicePixelRatio(m_look.ratio);
    QPainter painter(&m_backdrop);
    painter.setRenderHint(QPainter::Antialiasing);
    paintBackdrop(painter, m_look.size, scene.table, theme);
    paintCards(painter, scene, theme);
    for (const LabelSprite& label : m_look.labels) {
        paintLabel(painter, label, m_look.font, theme);
    }
    const QSizeF cup = scene.cup;
    const QRectF around(-cup.width() * 0.56, -cup.height() * 1.06, cup.width() * 1.12,
                        cup.height() * 1.06 + cup.width() * 0.16);
    for (const bool seeThrough : {false, true}) {
        m_cups.at(seeThrough ? 1 : 0) =
            pictureOf(around, [&](QPainter& on) { paintCup(on, cup, seeThrough, theme); });
    }
    const QSizeF reach(cup.width() * 0.72, cup.width() * 0.22);
    m_shadow = pictureOf({-reach.width(), -reach.height(), 2 * reach.width(), 2 * reach.height()},
                         [&](QPainter& on) {
                             paintShadow(on, {0, 0}, reach);
                         });
}

const StagePainter::Picture& StagePainter::ballOf(const BallSprite& ball, double restRadius,
                                                  const Theme& theme) {
    const auto known = m_balls.find(ball.value);
    if (known != m_balls.end()) {
        return known->second;
    }
    BallSprite centred = ball;
    centred.centre = {0, 0};
    centred.radius = restRadius;
    centred.opacity = 1;
    const double reach = restRadius * 1.06;
    const auto made = pictureOf({-reach, -reach, 2 * reach, 2 * reach},
                                [&](QPainter& on) { paintBall(on, centred, m_look.font, theme); });
    return m_balls.emplace(ball.value, made).first->second;
}

void StagePainter::paintOne(QPainter& painter, const CupSprite& cup, const StageScene& scene,
                            const Theme& theme) {
    const double scale = cup.depth == 0 ? 1.0 : cup.width / scene.cup.width();
    for (const BallSprite& ball : scene.balls) {
        if (ball.place == cup.place) {
            painter.setOpacity(cup.opacity);
            place(painter, ballOf(ball, ball.radius / scale, theme), ball.centre, scale);
        }
    }
    painter.save();
    painter.setOpacity(cup.opacity);
    painter.translate(cup.foot - QPointF(0, cup.lift * cup.height * kLiftHeight));
    if (cup.lift > 0) {
        painter.rotate(-5 * cup.lift);
    }
    place(painter, m_cups.at(cup.seeThrough ? 1 : 0), {0, 0}, scale);
    if (cup.selected) {
        paintCupOutline(painter, {cup.width, cup.height}, QPen(theme.accent, 3));
    }
    painter.restore();
}

void StagePainter::paint(QPainter& painter, const StageScene& scene, QSizeF size, const QFont& font,
                         const Theme& theme) {
    Look look{size, painter.device()->devicePixelRatioF(), font, theme.dark, {}};
    for (const LabelSprite& label : scene.labels) {
        if (label.kind != LabelSprite::Kind::kCommand) {
            look.labels.push_back(label);
        }
    }
    prepare(std::move(look), scene, theme);
    painter.drawPixmap(0, 0, m_backdrop);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    for (const CupSprite& cup : scene.cups) {
        painter.setOpacity(cup.opacity * (1 - 0.5 * cup.lift));
        const QPointF aside(cup.width * (0.06 + 0.1 * cup.lift), cup.width * 0.05);
        place(
            painter, m_shadow, cup.foot + aside,
            cup.depth == 0 && cup.lift == 0 ? 1.0 : cup.width / scene.cup.width() + 0.1 * cup.lift);
    }
    painter.setOpacity(1);
    for (const ArrowSprite& arrow : scene.arrows) {
        paintArrow(painter, arrow, std::clamp(scene.cup.width() * 0.035, 1.6, 4.5));
    }
    for (const CupSprite& cup : scene.cups) {
        paintOne(painter, cup, scene, theme);
    }
    painter.setOpacity(1);
    for (const MeterSprite& meter : scene.meters) {
        paintMeter(painter, meter, m_values, font, theme, m_numbers);
    }
    for (const LabelSprite& label : scene.labels) {
        if (label.kind == LabelSprite::Kind::kCommand) {
            paintLabel(painter, label, font, theme);
        }
    }
}

}  // namespace lab::widgets
