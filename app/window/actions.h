// Every action of the program in one table: menus, buttons, the shortcut list and the tests read
// the same rows.
//
// A handler may throw; this is one of the two places that catch (the other is the training thread):
// the message goes to `failed`, and the program goes on.
#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <functional>
#include <vector>

namespace lab::app {

struct ActionRow {
    QString id;                     ///< stable, e.g. "train.start"; also the object name
    QString text;                   ///< as a menu shows it, with its mnemonic
    QString tip;                    ///< one sentence for the status bar and the tooltip
    QList<QKeySequence> shortcuts;  ///< the first is shown
};

class Actions final : public QObject {
    Q_OBJECT

public:
    explicit Actions(QObject* parent = nullptr);

    /// The action is owned by this table. An id may be added once.
    QAction* add(const ActionRow& row, std::function<void()> handler);
    /// As add, for a switch; `handler` gets its new state.
    QAction* addSwitch(const ActionRow& row, bool on, std::function<void(bool)> handler);

    [[nodiscard]] QAction* operator[](const QString& id) const;
    /// In the order in which they were added.
    [[nodiscard]] const std::vector<QAction*>& all() const noexcept { return m_all; }

    /// Runs `work` as a handler: what it throws is shown, not lost.
    void guarded(const std::function<void()>& work);

signals:
    void failed(const QString& message);

private:
    QAction* make(const ActionRow& row);

    std::vector<QAction*> m_all;  // children of this
};

/// A shortcut without a modifier (Space, arrows, Home) must not take the key from a control that
/// has the focus and uses it itself. Install on the application.
class PlainKeyGuard final : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace lab::app
