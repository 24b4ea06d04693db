// Covers a view that has nothing to show, or lies along its upper edge when what it shows is old or
// failed: a sentence, a button, progress.
#pragma once

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace lab::widgets {

class StatePanel final : public QWidget {
    Q_OBJECT

public:
    /// Follows the size of `view` and stays above its children.
    explicit StatePanel(QWidget* view);

    /// What is missing and the button that supplies it (empty: no button).
    void showEmpty(const QString& sentence, const QString& button = {});
    /// `fraction` in [0, 1], or -1 when it cannot be counted. Has a cancel button.
    void showWorking(const QString& sentence, double fraction);
    void showStale(const QString& sentence, const QString& button);
    /// `details` can be copied.
    void showError(const QString& sentence, const QString& details, const QString& button = {});
    void clear();

signals:
    void buttonClicked();
    void cancelClicked();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    enum class State { kEmpty, kWorking, kStale, kError };
    void show(State state, const QString& sentence, const QString& button);
    void place();

    State m_state = State::kEmpty;
    // children of this
    QLabel* m_icon;
    QLabel* m_sentence;
    QLabel* m_details;
    QProgressBar* m_progress;
    QPushButton* m_button;
    QPushButton* m_cancel;
};

}  // namespace lab::widgets
