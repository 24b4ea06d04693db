// Every widget is shown and grabbed in both themes; gui_main.cpp fails on any warning of Qt.
#include "tests/widgets/showcase.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFileInfo>
#include <QImage>
#include <QTemporaryDir>
#include <set>

#include "tests/widgets/demonstration.h"
#include "widgets/plots/metric_plot.h"
#include "widgets/theme.h"

namespace lab::widgets {
namespace {

std::size_t coloursIn(const QImage& image) {
    std::set<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3) {
        for (int x = 0; x < image.width(); x += 3) {
            colours.insert(image.pixel(x, y));
        }
    }
    return colours.size();
}

// The middle lightness of the edge of a picture.
int lightnessOf(const QImage& image) {
    qint64 sum = 0;
    for (int x = 0; x < image.width(); ++x) {
        sum += image.pixelColor(x, 1).lightness();
    }
    return static_cast<int>(sum / image.width());
}

TEST(Showcase, DrawsEveryWidgetInBothThemesAndAfterAChangeOfTheme) {
    auto& application = *static_cast<QApplication*>(QCoreApplication::instance());
    for (const auto& exhibit : demonstration::exhibits()) {
        SCOPED_TRACE(exhibit.name.toStdString());
        applyTheme(application, ThemeChoice::kLight);
        const auto widget = exhibit.make();
        widget->resize(exhibit.size);
        widget->show();
        QApplication::processEvents();
        const QImage light = widget->grab().toImage();
        applyTheme(application, ThemeChoice::kDark);
        QApplication::processEvents();
        const QImage dark = widget->grab().toImage();
        EXPECT_GE(coloursIn(light), 6U);
        EXPECT_GE(coloursIn(dark), 6U);
        EXPECT_GT(lightnessOf(light), 170);
        EXPECT_LT(lightnessOf(dark), 90);
        widget->resize(widget->minimumSizeHint().expandedTo({1, 1}));
        EXPECT_FALSE(widget->grab().isNull());
    }
    applyTheme(application, ThemeChoice::kLight);
}

TEST(Showcase, SavesAPlotInEveryFormat) {
    const QTemporaryDir folder;
    MetricPlot plot({.title = QStringLiteral("Loss"), .yTitle = QStringLiteral("Loss (nats)")});
    plot.resize(400, 240);
    plot.show();
    plot.append(plot.addSeries(QStringLiteral("a"), 0), demonstration::lossCurve(200, 1, 0.1));
    plot.refresh();
    for (const char* ending : {"png", "svg", "pdf", "csv"}) {
        const QString path = folder.filePath(QStringLiteral("plot.") + QLatin1String(ending));
        EXPECT_TRUE(plot.exportTo(path)) << ending;
        EXPECT_GT(QFileInfo(path).size(), 500) << ending;
    }
    EXPECT_FALSE(plot.exportTo(folder.filePath(QStringLiteral("plot.txt"))));
    EXPECT_FALSE(plot.exportTo(QStringLiteral("/nowhere/plot.csv")));
}

}  // namespace
}  // namespace lab::widgets
