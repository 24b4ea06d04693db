#include "widgets/mode_bar.h"

#include <QButtonGroup>
#include <QPainter>
#include <QStyleOption>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/icons.h"
#include "widgets/theme.h"

namespace lab::widgets {
namespace {

// A tile with an icon over its title; the chosen one has a bar at its left edge.
class ModeTile final : public QToolButton {
public:
    ModeTile(const QString& icon, const QString& title, const QString& help, QWidget* parent)
        : QToolButton(parent) {
        setIcon(lineIcon(icon));
        setText(title);
        setToolTip(help);
        setAccessibleName(title);
        setAccessibleDescription(help);
        setFocusPolicy(Qt::TabFocus);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

    [[nodiscard]] QSize sizeHint() const override {
        const QFontMetrics metrics(tileFont());
        return {qMax(64, metrics.horizontalAdvance(text()) + 18), 38 + metrics.height()};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override {
        const Theme& theme = Theme::of(palette());
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF tile = QRectF(rect()).adjusted(4, 2, -4, -2);
        if (isChecked() || underMouse() || isDown()) {
            QColor fill = isChecked() ? theme.accent : theme.text;
            fill.setAlphaF(isChecked() ? 0.14F : 0.07F);
            painter.setPen(Qt::NoPen);
            painter.setBrush(fill);
            painter.drawRoundedRect(tile, 7, 7);
        }
        if (hasFocus()) {
            painter.setPen(QPen(theme.accent, 1.5));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(tile.adjusted(1, 1, -1, -1), 6, 6);
        }
        if (isChecked()) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.accent);
            painter.drawRoundedRect(QRectF(0, tile.top() + 8, 3, tile.height() - 16), 1.5, 1.5);
        }
        const auto mode = isEnabled() ? QIcon::Normal : QIcon::Disabled;
        icon().paint(&painter, QRect(width() / 2 - 12, 8, 24, 24), Qt::AlignCenter, mode,
                     isChecked() ? QIcon::On : QIcon::Off);
        painter.setFont(tileFont());
        painter.setPen(!isEnabled()  ? palette().color(QPalette::Disabled, QPalette::Text)
                       : isChecked() ? theme.accent
                                     : theme.text);
        painter.drawText(QRect(0, 34, width(), height() - 38), Qt::AlignHCenter | Qt::AlignTop,
                         text());
    }

private:
    [[nodiscard]] QFont tileFont() const {
        QFont small = font();
        small.setPointSizeF(font().pointSizeF() * 0.85);
        return small;
    }
};

}  // namespace

ModeBar::ModeBar(QWidget* parent)
    : QWidget(parent),
      m_modes(new QVBoxLayout),
      m_tools(new QVBoxLayout),
      m_group(new QButtonGroup(this)) {
    setAccessibleName(tr("Modes"));
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 6, 1, 6);
    column->setSpacing(0);
    for (auto* part : {m_modes, m_tools}) {
        part->setSpacing(2);
    }
    column->addLayout(m_modes);
    column->addStretch();
    column->addLayout(m_tools);
    connect(m_group, &QButtonGroup::idClicked, this, [this](int mode) {
        if (mode != m_current) {
            m_current = mode;
            emit chosen(mode);
        }
    });
}

int ModeBar::addMode(const QString& icon, const QString& title, const QString& help) {
    auto* tile = new ModeTile(icon, title, help, this);
    tile->setCheckable(true);
    m_modes->addWidget(tile);
    const int mode = static_cast<int>(m_group->buttons().size());
    m_group->addButton(tile, mode);
    if (m_current < 0) {
        setCurrent(mode);
    }
    return mode;
}

int ModeBar::addTool(const QString& icon, const QString& title, const QString& help) {
    auto* tile = new ModeTile(icon, title, help, this);
    m_tools->addWidget(tile);
    const int tool = m_toolCount++;
    connect(tile, &QToolButton::clicked, this, [this, tool] { emit triggered(tool); });
    return tool;
}

void ModeBar::setCurrent(int mode) {
    if (auto* tile = m_group->button(mode)) {
        tile->setChecked(true);
        m_current = mode;
    }
}

void ModeBar::paintEvent(QPaintEvent* /*event*/) {
    const Theme& theme = Theme::of(palette());
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    painter.fillRect(width() - 1, 0, 1, height(), theme.hairline);
}

}  // namespace lab::widgets
