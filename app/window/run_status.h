// What the status bar always says: device, speed and loss of each run, saved or not.
#pragma once

#include <QWidget>

class QLabel;

namespace lab::app {

class Workbench;

class RunStatus final : public QWidget {
    Q_OBJECT

public:
    explicit RunStatus(const Workbench& bench, QWidget* parent = nullptr);
    void refresh();

private:
    [[nodiscard]] QString runsText() const;

    const Workbench& m_bench;
    // children of this
    QLabel* m_runs;
    QLabel* m_device;
    QLabel* m_saved;
};

}  // namespace lab::app
