// Small controls that several pages use.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QToolButton>

class QAction;
class QBoxLayout;

namespace lab::app {

/// The one thing to do next on a page, in the accent colour.
class PrimaryButton final : public QPushButton {
    Q_OBJECT

public:
    explicit PrimaryButton(const QString& text, QWidget* parent = nullptr);

protected:
    void changeEvent(QEvent* event) override;

private:
    void paintTheme();
};

/// A button for an action of the table: icon of resources/icons beside its text.
[[nodiscard]] QToolButton* actionButton(QAction* action, const QString& icon, QWidget* parent);

/// One muted line; long texts end in an ellipsis instead of widening the page.
class MutedLabel final : public QLabel {
    Q_OBJECT

public:
    explicit MutedLabel(const QString& text = {}, QWidget* parent = nullptr);
    void setFullText(const QString& text);
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void paintTheme();
    void elide();

    QString m_full;
};

/// A bold line above a part of a page.
[[nodiscard]] QLabel* sectionTitle(const QString& text, QWidget* parent);

}  // namespace lab::app
