// The bar at the left edge: one tile a mode, an icon above its name.
#pragma once

#include <QWidget>
#include <vector>

class QButtonGroup;
class QVBoxLayout;

namespace lab::widgets {

class ModeBar final : public QWidget {
    Q_OBJECT

public:
    explicit ModeBar(QWidget* parent = nullptr);

    /// Appends a mode and returns its number; `icon` is a name of resources/icons.
    int addMode(const QString& icon, const QString& title, const QString& help);
    /// Appends a tile at the lower end that is no mode (settings, theme): emits triggered.
    int addTool(const QString& icon, const QString& title, const QString& help);
    [[nodiscard]] int current() const { return m_current; }
    void setCurrent(int mode);  ///< does not emit

signals:
    void chosen(int mode);
    void triggered(int tool);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QVBoxLayout* m_modes;   // child of this
    QVBoxLayout* m_tools;   // child of this
    QButtonGroup* m_group;  // child of this
    int m_current = -1;
    int m_toolCount = 0;
};

}  // namespace lab::widgets
