#include "app/pages/controls.h"

#include <QAction>
#include <QEvent>
#include <QGuiApplication>
#include <QResizeEvent>

#include "widgets/icons.h"
#include "widgets/theme.h"

namespace lab::app {

using widgets::Theme;

PrimaryButton::PrimaryButton(const QString& text, QWidget* parent) : QPushButton(text, parent) {
    QFont strong = font();
    strong.setBold(true);
    setFont(strong);
    paintTheme();
}

void PrimaryButton::paintTheme() {
    const Theme& theme = Theme::of(palette());
    const QString sheet =
        QStringLiteral(
            "QPushButton { background: %1; color: %2; border: 1px solid %1; border-radius: 4px; "
            "padding: 5px 14px; }"
            "QPushButton:hover { background: %3; }"
            "QPushButton:focus { border: 1px solid %4; }"
            "QPushButton:disabled { background: %5; color: %6; border-color: %5; }")
            .arg(theme.accent.name(), theme.onAccent.name(), theme.accent.lighter(112).name(),
                 theme.text.name(), theme.hairline.name(), theme.mutedText.name());
    if (sheet != styleSheet()) {
        setStyleSheet(sheet);
    }
}

void PrimaryButton::changeEvent(QEvent* event) {
    QPushButton::changeEvent(event);
    if (event->type() == QEvent::ApplicationPaletteChange) {
        paintTheme();
    }
}

QToolButton* actionButton(QAction* action, const QString& icon, QWidget* parent) {
    auto* button = new QToolButton(parent);
    if (action->icon().isNull() && !icon.isEmpty()) {
        action->setIcon(widgets::lineIcon(icon));
    }
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize({18, 18});
    button->setMinimumHeight(28);
    button->setAutoRaise(true);
    return button;
}

MutedLabel::MutedLabel(const QString& text, QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    paintTheme();
    setFullText(text);
}

void MutedLabel::setFullText(const QString& text) {
    if (text != m_full) {
        m_full = text;
        elide();
    }
}

QSize MutedLabel::minimumSizeHint() const {
    return {40, QLabel::minimumSizeHint().height()};
}

void MutedLabel::elide() {
    const QString shown = fontMetrics().elidedText(m_full, Qt::ElideRight, std::max(width(), 40));
    setText(shown);
    setToolTip(shown == m_full ? QString() : m_full);
}

void MutedLabel::paintTheme() {
    const QColor muted = Theme::of(QGuiApplication::palette()).mutedText;
    QPalette own;  // of a widget with a palette of its own the rest still follows the application
    own.setColor(QPalette::WindowText, muted);
    if (palette().color(QPalette::WindowText) != muted) {
        setPalette(own);
    }
}

void MutedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    // Not ApplicationPaletteChange: a widget that set its palette is left out of that.
    if (event->type() == QEvent::PaletteChange) {
        paintTheme();
    }
}

void MutedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

QLabel* sectionTitle(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    QFont strong = label->font();
    strong.setBold(true);
    label->setFont(strong);
    return label;
}

}  // namespace lab::app
