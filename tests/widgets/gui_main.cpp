// A test program with a window system that needs no screen, and no Qt warning unseen: any message
// that is not listed fails the test in which it appears.
#include <gtest/gtest.h>

#include <QApplication>
#include <QByteArray>

#include "widgets/theme.h"

namespace {

void failOnMessages(QtMsgType type, const QMessageLogContext& /*context*/, const QString& text) {
    const bool expected =
        text.contains(QStringLiteral("propagateSizeHints")) ||  // offscreen has none
        text.contains(QStringLiteral("XDG_RUNTIME_DIR"));
    if (type != QtDebugMsg && type != QtInfoMsg && !expected) {
        ADD_FAILURE() << "Qt says: " << text.toStdString();
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", QByteArrayLiteral("offscreen"));
    }
    testing::InitGoogleTest(&argc, argv);
    QApplication application(argc, argv);
    qInstallMessageHandler(failOnMessages);
    lab::widgets::applyTheme(application, lab::widgets::ThemeChoice::kLight);
    return RUN_ALL_TESTS();
}
