#include "app/pages/run_style.h"

#include <QPainter>
#include <QPixmap>

#include "widgets/theme.h"

namespace lab::app {

int styleOf(const Run& run) {
    return run.id - 1;
}

QIcon styleIcon(int style, const QPalette& palette) {
    const widgets::SeriesStyle series = widgets::Theme::of(palette).series(style);
    constexpr int kSize = 16;
    constexpr int kScale = 2;
    QPixmap picture(kSize * kScale, kSize * kScale);
    picture.setDevicePixelRatio(kScale);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(series.colour, 2.5, series.dash));
    painter.drawLine(QPointF(1, 8), QPointF(15, 8));
    painter.setPen(Qt::NoPen);
    painter.setBrush(series.colour);
    painter.drawEllipse(QPointF(8, 8), 3.5, 3.5);
    painter.end();
    return QIcon(picture);
}

}  // namespace lab::app
