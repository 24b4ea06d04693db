#include "app/window/actions.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTabBar>
#include <algorithm>
#include <exception>

namespace lab::app {
namespace {

/// Whether the control `focus` answers to this plain key.
bool usesKey(const QObject* focus, int key) {
    if (qobject_cast<const QAbstractButton*>(focus) != nullptr) {
        return key == Qt::Key_Space;
    }
    const bool moves = qobject_cast<const QAbstractItemView*>(focus) != nullptr ||
                       qobject_cast<const QAbstractSlider*>(focus) != nullptr ||
                       qobject_cast<const QComboBox*>(focus) != nullptr ||
                       qobject_cast<const QTabBar*>(focus) != nullptr;
    const bool types = qobject_cast<const QAbstractSpinBox*>(focus) != nullptr ||
                       qobject_cast<const QLineEdit*>(focus) != nullptr ||
                       focus->inherits("QPlainTextEdit") || focus->inherits("QTextEdit");
    return moves || types;
}

bool isPlainKey(int key) {
    constexpr std::array kKeys{Qt::Key_Space, Qt::Key_Left, Qt::Key_Right, Qt::Key_Home,
                               Qt::Key_End,   Qt::Key_Plus, Qt::Key_Minus};
    return std::ranges::find(kKeys, key) != kKeys.end();
}

}  // namespace

Actions::Actions(QObject* parent) : QObject(parent) {}

QAction* Actions::make(const ActionRow& row) {
    Q_ASSERT((*this)[row.id] == nullptr);
    auto* action = new QAction(row.text, this);
    action->setObjectName(row.id);
    action->setShortcuts(row.shortcuts);
    action->setStatusTip(row.tip);
    const QString keys = action->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(keys.isEmpty() ? row.tip : tr("%1 (%2)").arg(row.tip, keys));
    m_all.push_back(action);
    return action;
}

QAction* Actions::add(const ActionRow& row, std::function<void()> handler) {
    QAction* action = make(row);
    connect(action, &QAction::triggered, this,
            [this, handler = std::move(handler)] { guarded(handler); });
    return action;
}

QAction* Actions::addSwitch(const ActionRow& row, bool on, std::function<void(bool)> handler) {
    QAction* action = make(row);
    action->setCheckable(true);
    action->setChecked(on);
    connect(action, &QAction::toggled, this, [this, handler = std::move(handler)](bool now) {
        guarded([&handler, now] { handler(now); });
    });
    return action;
}

QAction* Actions::operator[](const QString& id) const {
    const auto found = std::ranges::find(m_all, id, &QAction::objectName);
    return found == m_all.end() ? nullptr : *found;
}

void Actions::guarded(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& error) {
        emit failed(QString::fromUtf8(error.what()));
    }
}

bool PlainKeyGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* press = static_cast<QKeyEvent*>(event);
        const bool plain = (press->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
        if (plain && isPlainKey(press->key()) && usesKey(watched, press->key())) {
            event->accept();
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace lab::app
