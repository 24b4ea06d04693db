// The application object: names for settings and files, and a stopwatch around painting.
#pragma once

#include <QApplication>
#include <QElapsedTimer>

namespace lab::app {

class Application final : public QApplication {
    Q_OBJECT

public:
    Application(int& count, char** arguments);
    bool notify(QObject* receiver, QEvent* event) override;

    /// Time spent painting windows since the last call, ms. 0 when the application is another one.
    static double takePaintMs();

private:
    int m_paintDepth = 0;
    qint64 m_paintNs = 0;
};

}  // namespace lab::app
