#include "widgets/theme.h"

#include <gtest/gtest.h>

#include <set>

namespace lab::widgets {
namespace {

TEST(Contrast, IsOneForEqualAndTwentyOneForBlackOnWhite) {
    EXPECT_NEAR(contrast(Qt::black, Qt::white), 21, 1e-9);
    EXPECT_NEAR(contrast(Qt::red, Qt::red), 1, 1e-12);
    // WCAG's own example of the least grey that passes 4.5:1 on white.
    EXPECT_GE(contrast(QColor(0x76, 0x76, 0x76), Qt::white), 4.5);
    EXPECT_LT(contrast(QColor(0x77, 0x77, 0x77), Qt::white), 4.5);
}

TEST(Theme, DrawsEverySeriesAndSignalAtThreeToOneOnItsGrounds) {
    for (const Theme& theme : {Theme::lightTheme(), Theme::darkTheme()}) {
        std::vector<QColor> inks{theme.accent, theme.good,  theme.warning,
                                 theme.bad,    theme.exact, theme.model};
        for (int i = 0; i < 7; ++i) {
            inks.push_back(theme.series(i).colour);
        }
        for (const QColor& ink : inks) {
            EXPECT_GE(contrast(ink, theme.ground), 3.0)
                << ink.name().toStdString() << (theme.dark ? " dark" : " light");
        }
    }
}

TEST(Theme, WritesTextAtFourAndAHalfToOneOnEveryGround) {
    for (const Theme& theme : {Theme::lightTheme(), Theme::darkTheme()}) {
        for (const QColor& ground : {theme.ground, theme.surface, theme.raised}) {
            EXPECT_GE(contrast(theme.text, ground), 4.5);
            EXPECT_GE(contrast(theme.mutedText, ground), 4.5)
                << ground.name().toStdString() << (theme.dark ? " dark" : " light");
            EXPECT_GE(contrast(theme.bad, ground), 4.5) << ground.name().toStdString();
        }
        EXPECT_GE(contrast(theme.onAccent, theme.accent), 4.5);
        for (int value = 0; value < 8; ++value) {
            // Painted on a darker disc, see paintBall.
            EXPECT_GE(contrast(theme.value(value).ink, theme.value(value).fill.darker(135)), 4.5);
        }
    }
}

TEST(Theme, TellsSeriesApartWithoutColour) {
    const Theme& theme = Theme::lightTheme();
    std::set<std::pair<int, int>> looks;
    for (int i = 0; i < 28; ++i) {
        const SeriesStyle style = theme.series(i);
        looks.insert({static_cast<int>(style.dash), static_cast<int>(style.marker)});
    }
    EXPECT_EQ(looks.size(), 28U);
}

TEST(Theme, IsFoundAgainFromItsPalette) {
    EXPECT_TRUE(Theme::of(Theme::darkTheme().palette()).dark);
    EXPECT_FALSE(Theme::of(Theme::lightTheme().palette()).dark);
}

TEST(Viridis, GrowsLighterAllTheWayBetweenItsPublishedEnds) {
    EXPECT_EQ(viridis(0), qRgb(0x44, 0x01, 0x54));
    EXPECT_EQ(viridis(1), qRgb(0xfd, 0xe7, 0x25));
    EXPECT_EQ(viridis(-3), viridis(0));
    double last = 22;
    for (int i = 0; i <= 100; ++i) {
        const double now = contrast(QColor::fromRgb(viridis(i / 100.0)), Qt::white);
        EXPECT_LT(now, last);
        last = now;
    }
}

TEST(Diverging, IsNearlyWhiteAtZeroAndDarkBlueAndRedAtTheEnds) {
    EXPECT_LT(contrast(QColor::fromRgb(diverging(0)), Qt::white), 1.1);
    EXPECT_GT(qBlue(diverging(-1)), qRed(diverging(-1)));
    EXPECT_GT(qRed(diverging(1)), qBlue(diverging(1)));
}

}  // namespace
}  // namespace lab::widgets
