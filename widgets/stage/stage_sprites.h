// What the things on the stage look like: wall and table, cup, ball, shadow, arrow.
#pragma once

#include <QPainter>

#include "widgets/stage/stage_scene.h"
#include "widgets/theme.h"

namespace lab::widgets {

[[nodiscard]] QFont sized(const QFont& family, double pixels);

/// Wall, light and table: what does not move.
void paintBackdrop(QPainter& painter, QSizeF size, const QRectF& table, const Theme& theme);

/// A cup on its rim, the middle of the rim at the origin.
void paintCup(QPainter& painter, QSizeF cup, bool seeThrough, const Theme& theme);
/// The ring of the chosen cup.
void paintCupOutline(QPainter& painter, QSizeF cup, const QPen& pen);

/// The token of a value: a disc in its colour and pattern with its name.
void paintBall(QPainter& painter, const BallSprite& ball, const QFont& font, const Theme& theme);

/// A soft disc, darkest in the middle; `reach` is half its width and half its height.
void paintShadow(QPainter& painter, QPointF centre, QSizeF reach);

void paintArrow(QPainter& painter, const ArrowSprite& arrow, double thickness);

}  // namespace lab::widgets
