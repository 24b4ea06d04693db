// The ways in and out of an experiment: new, open, save, recent files, an earlier run. Asks when
// changes would be lost.
#pragma once

#include <QObject>
#include <QStringList>

class QWidget;

namespace lab::app {

class Workbench;

class FileFlow final : public QObject {
    Q_OBJECT

public:
    FileFlow(Workbench& bench, QWidget& window);

    void newFromPreset(const QString& key);
    void open();
    void openFile(const QString& path);
    /// False when the person gave up.
    bool save();
    bool saveAs();
    void reopenRun();

    /// True when there is nothing to lose, or it was saved or given up. Asks.
    [[nodiscard]] bool mayLoseChanges();

    [[nodiscard]] static QStringList recentFiles();

signals:
    void recentChanged();

private:
    void remember(const QString& path);

    Workbench& m_bench;
    QWidget& m_window;
};

}  // namespace lab::app
