// One line above the page: something to know (goes away by itself) or something that failed (stays
// until it is closed).
#pragma once

#include <QFrame>
#include <QTimer>

class QLabel;
class QToolButton;

namespace lab::app {

class MessageBar final : public QFrame {
    Q_OBJECT

public:
    explicit MessageBar(QWidget* parent = nullptr);

    void showNotice(const QString& text);
    void showTrouble(const QString& text);
    [[nodiscard]] QString text() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void show(const QString& text, bool trouble);
    void paintTheme();

    bool m_trouble = false;
    QTimer m_hide;
    // children of this
    QLabel* m_sign;
    QLabel* m_text;
    QToolButton* m_close;
};

}  // namespace lab::app
