#include "app/window/message_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "widgets/theme.h"

namespace lab::app {
namespace {

constexpr int kNoticeMs = 8000;

}  // namespace

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent),
      m_sign(new QLabel(this)),
      m_text(new QLabel(this)),
      m_close(new QToolButton(this)) {
    setObjectName(QStringLiteral("messageBar"));
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_close->setText(QStringLiteral("\u2715"));
    m_close->setAutoRaise(true);
    m_close->setAccessibleName(tr("Close this message"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 6, 6);
    row->addWidget(m_sign);
    row->addWidget(m_text, 1);
    row->addWidget(m_close);
    m_hide.setSingleShot(true);
    connect(&m_hide, &QTimer::timeout, this, &QWidget::hide);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    hide();
}

void MessageBar::showNotice(const QString& text) {
    show(text, false);
}
void MessageBar::showTrouble(const QString& text) {
    show(text, true);
}
QString MessageBar::text() const {
    return isHidden() ? QString() : m_text->text();
}

void MessageBar::show(const QString& text, bool trouble) {
    if (!trouble && m_trouble && !isHidden()) {
        return;  // a failure is not hidden by news
    }
    m_trouble = trouble;
    m_sign->setText(trouble ? QStringLiteral("\u26A0") : QStringLiteral("\u2139"));
    m_text->setText(text);
    setAccessibleName(text);
    paintTheme();
    setVisible(true);
    if (trouble) {
        m_hide.stop();
    } else {
        m_hide.start(kNoticeMs);
    }
}

void MessageBar::paintTheme() {
    const widgets::Theme& theme = widgets::Theme::of(palette());
    const QColor edge = m_trouble ? theme.bad : theme.accent;
    setStyleSheet(QStringLiteral("#messageBar { background: %1; border: 0; border-left: 4px solid "
                                 "%2; border-bottom: 1px solid %3; }")
                      .arg(theme.raised.name(), edge.name(), theme.hairline.name()));
    QPalette colours = m_sign->palette();
    colours.setColor(QPalette::WindowText, edge);
    m_sign->setPalette(colours);
}

void MessageBar::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange) {
        paintTheme();
    }
}

}  // namespace lab::app
