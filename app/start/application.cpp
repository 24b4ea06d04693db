#include "app/start/application.h"

#include <utility>

#include "core/catalog.h"

namespace lab::app {

Application::Application(int& count, char** arguments) : QApplication(count, arguments) {
    const std::string_view version = lab::version();
    setApplicationName(QStringLiteral("thimblerig"));
    setApplicationDisplayName(QStringLiteral("Thimblerig"));
    setApplicationVersion(
        QString::fromUtf8(version.data(), static_cast<qsizetype>(version.size())));
    setOrganizationName(QStringLiteral("thimblerig"));
    setDesktopFileName(QStringLiteral("io.github.thimblerig.Thimblerig"));
}

bool Application::notify(QObject* receiver, QEvent* event) {
    if (event->type() != QEvent::UpdateRequest) {
        return QApplication::notify(receiver, event);
    }
    QElapsedTimer time;
    time.start();
    ++m_paintDepth;
    const bool handled = QApplication::notify(receiver, event);
    if (--m_paintDepth == 0) {  // a window hands the request on to its widget
        m_paintNs += time.nsecsElapsed();
    }
    return handled;
}

double Application::takePaintMs() {
    auto* self = qobject_cast<Application*>(instance());
    return self == nullptr ? 0.0 : static_cast<double>(std::exchange(self->m_paintNs, 0)) / 1e6;
}

}  // namespace lab::app
