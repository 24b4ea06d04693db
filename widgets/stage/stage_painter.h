// Paints a StageScene fast enough for 60 frames a second on a shared core: what does not move is
// one picture, and cups, balls and shadows are pictures that are only moved and scaled.
#pragma once

#include <QPixmap>
#include <array>
#include <map>
#include <vector>

#include "widgets/stage/stage_meters.h"
#include "widgets/stage/stage_scene.h"
#include "widgets/theme.h"

namespace lab::widgets {

class StagePainter {
public:
    /// Paints the whole stage of `size`. The pictures are made again when size, scale of the
    /// screen, font, theme or the fixed texts have changed.
    void paint(QPainter& painter, const StageScene& scene, QSizeF size, const QFont& font,
               const Theme& theme);

private:
    struct Look {
        QSizeF size;
        double ratio = 0;
        QFont font;
        bool dark = false;
        std::vector<LabelSprite> labels;  // fixed ones
        bool operator==(const Look&) const = default;
    };
    /// A picture and where its origin is in it, in the coordinates of the stage.
    struct Picture {
        QPixmap pixmap;
        QPointF origin;
    };
    void prepare(Look look, const StageScene& scene, const Theme& theme);
    template <class Paint>
    [[nodiscard]] Picture pictureOf(QRectF frame, Paint paint) const;
    void place(QPainter& painter, const Picture& picture, QPointF at, double scale) const;
    void paintOne(QPainter& painter, const CupSprite& cup, const StageScene& scene,
                  const Theme& theme);
    const Picture& ballOf(const BallSprite& ball, double restRadius, const Theme& theme);

    Look m_look;
    QPixmap m_backdrop;
    std::array<Picture, 2> m_cups;  // opaque, see-through
    Picture m_shadow;
    std::map<int, Picture> m_balls;  // by value
    NumberTexts m_numbers;
    int m_values = 1;
};

}  // namespace lab::widgets
