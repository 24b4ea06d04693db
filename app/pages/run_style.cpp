#include "app/pages/run_style.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>

#include "widgets/paint.h"
#include "widgets/theme.h"

namespace lab::app {
namespace {

/// Painted anew whenever it is shown, so that it follows a change of theme.
class StyleIcon final : public QIconEngine {
public:
    explicit StyleIcon(int style) : m_style(style) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode /*mode*/,
               QIcon::State /*state*/) override {
        const auto series = widgets::Theme::of(QGuiApplication::palette()).series(m_style);
        const QRectF area(rect);
        const QPointF centre = area.center();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(series.colour, 2.5, series.dash));
        painter->drawLine(QPointF(area.left() + 1, centre.y()),
                          QPointF(area.right() - 1, centre.y()));
        widgets::drawMarker(*painter, series, centre, 0.28 * area.height());
        painter->restore();
    }
    [[nodiscard]] QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return picture;
    }
    [[nodiscard]] QIconEngine* clone() const override { return new StyleIcon(m_style); }

private:
    int m_style;
};

}  // namespace

int styleOf(const Run& run) {
    return run.id - 1;
}

QIcon styleIcon(int style) {
    return QIcon(new StyleIcon(style));  // the icon owns its engine
}

}  // namespace lab::app
