// Saves a picture of every widget in both themes: thimblerig-gallery FOLDER [NAME...].
#include <QApplication>
#include <QDir>
#include <cstdio>

#include "tests/widgets/showcase.h"
#include "widgets/theme.h"

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    const QStringList arguments = QApplication::arguments();
    if (arguments.size() < 2) {
        std::fputs("usage: thimblerig-gallery FOLDER [NAME...]\n", stderr);
        return 2;
    }
    const QDir folder(arguments[1]);
    const QStringList wanted = arguments.mid(2);
    for (const auto choice :
         {lab::widgets::ThemeChoice::kLight, lab::widgets::ThemeChoice::kDark}) {
        lab::widgets::applyTheme(application, choice);
        const bool dark = choice == lab::widgets::ThemeChoice::kDark;
        for (const auto& exhibit : lab::widgets::demonstration::exhibits()) {
            if (!wanted.isEmpty() && !wanted.contains(exhibit.name)) {
                continue;
            }
            const auto widget = exhibit.make();
            widget->resize(exhibit.size);
            widget->show();
            QApplication::processEvents();
            const QString name =
                exhibit.name + (dark ? QStringLiteral("_dark.png") : QStringLiteral("_light.png"));
            if (!widget->grab().save(folder.filePath(name))) {
                std::fprintf(stderr, "cannot write %s\n", qPrintable(folder.filePath(name)));
                return 1;
            }
        }
    }
    return 0;
}
