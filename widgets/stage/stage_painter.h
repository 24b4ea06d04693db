// Paints a StageScene: the only place that knows what a cup looks like.
#pragma once

#include <QPainter>

#include "widgets/stage/stage_scene.h"
#include "widgets/theme.h"

namespace lab::widgets {

/// Wall, light and table: what does not move. Painted once into a pixmap.
void paintBackdrop(QPainter& painter, QSizeF size, const QRectF& table, const Theme& theme);

/// Everything else. `font` gives the family.
void paintScene(QPainter& painter, const StageScene& scene, const QFont& font, const Theme& theme);

/// The token of a value: a disc in its colour and pattern with its name.
void paintBall(QPainter& painter, const BallSprite& ball, const QFont& font, const Theme& theme);

}  // namespace lab::widgets
