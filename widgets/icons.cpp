#include "widgets/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QSvgRenderer>

// Outside any namespace, as Q_INIT_RESOURCE asks: a static library's resources are not linked in by
// themselves.
static void initialiseIcons() {
    Q_INIT_RESOURCE(icons);
}

namespace lab::widgets {
namespace {

// Draws an SVG whose strokes are "currentColor", in the colour that the palette has at that moment.
class LineIconEngine final : public QIconEngine {
public:
    explicit LineIconEngine(QString name) : m_name(std::move(name)) {
        QFile file(QStringLiteral(":/icons/%1.svg").arg(m_name));
        if (file.open(QIODevice::ReadOnly)) {
            m_svg = file.readAll();
        } else {
            qWarning("no icon %s", qPrintable(m_name));
        }
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode,
               QIcon::State state) override {
        QSvgRenderer renderer(inked(mode, state));
        renderer.render(painter, QRectF(rect));
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap picture(size);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return picture;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new LineIconEngine(*this); }

private:
    [[nodiscard]] QByteArray inked(QIcon::Mode mode, QIcon::State state) const {
        const QPalette palette = QGuiApplication::palette();
        QColor colour = palette.color(QPalette::Active, QPalette::WindowText);
        if (mode == QIcon::Disabled) {
            colour = palette.color(QPalette::Disabled, QPalette::WindowText);
        } else if (mode == QIcon::Selected) {
            colour = palette.color(QPalette::HighlightedText);
        } else if (state == QIcon::On) {
            colour = palette.color(QPalette::Highlight);
        }
        QByteArray svg = m_svg;
        return svg.replace("currentColor", colour.name().toLatin1());
    }

    QString m_name;
    QByteArray m_svg;
};

}  // namespace

QIcon lineIcon(const QString& name) {
    initialiseIcons();
    return QIcon(new LineIconEngine(name));
}

}  // namespace lab::widgets
