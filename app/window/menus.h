// The table of actions, filled, and the menus made from it.
#pragma once

#include <QObject>

class QMenu;

namespace lab::app {

class FileFlow;
class MainWindow;
class Workbench;

class Menus final : public QObject {
    Q_OBJECT

public:
    Menus(MainWindow& window, Workbench& bench, FileFlow& files);

private:
    void addFile();
    void addRecent(QMenu& menu);
    void addEdit();
    void addTrace();
    void addCursorMoves(QMenu& menu);
    void addTrain();
    void addView();
    void addThemes(QMenu& menu);
    void addHelp();
    void copy();
    void askLearningRate();
    void showWhatIsPossible();

    MainWindow& m_window;
    Workbench& m_bench;
    FileFlow& m_files;
};

}  // namespace lab::app
