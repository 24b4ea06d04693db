// Colours, line styles and markers of the light and the dark theme.
//
// The palette of a widget carries the theme: a widget asks Theme::of(palette()) when it paints and
// rebuilds what it caches on QEvent::PaletteChange. There is no global theme object.
// Series colours: Okabe and Ito's set, altered where one fell below 3:1 against its ground.
#pragma once

#include <QApplication>
#include <QColor>
#include <QPalette>
#include <QPen>

namespace lab::widgets {

enum class ThemeChoice { kSystem, kLight, kDark };
enum class Marker { kDisc, kSquare, kTriangle, kDiamond, kCross, kPlus, kRing };

/// Three channels, so that colour is never the only one.
struct SeriesStyle {
    QColor colour;
    Qt::PenStyle dash = Qt::SolidLine;
    Marker marker = Marker::kDisc;
};

/// How a value of the shell game looks wherever it appears.
struct ValueStyle {
    QColor fill;
    QColor ink;  ///< readable on fill
    Qt::BrushStyle pattern = Qt::SolidPattern;
};

struct Theme {
    bool dark = false;
    QColor ground;    ///< behind plots, text and the stage
    QColor surface;   ///< panels and bars
    QColor raised;    ///< cards
    QColor hairline;  ///< borders, grid lines
    QColor text, mutedText;
    QColor accent, onAccent;
    QColor good, warning, bad;
    QColor exact, model;  ///< belief of the exact filter and of the model

    /// The theme whose window colour has the lightness of this palette's.
    [[nodiscard]] static const Theme& of(const QPalette& palette);
    [[nodiscard]] static const Theme& lightTheme();
    [[nodiscard]] static const Theme& darkTheme();

    /// Styles repeat after seven colours with the next dash and marker.
    [[nodiscard]] SeriesStyle series(int index) const;
    [[nodiscard]] ValueStyle value(int index) const;
    [[nodiscard]] QPalette palette() const;
};

/// Sets Fusion and the palette; every widget gets a PaletteChange. kSystem follows the desktop's
/// palette as it was when the program started.
void applyTheme(QApplication& application, ThemeChoice choice);

/// Sequential (viridis) and diverging (blue, white, red) tables. `position` is clamped to [0, 1],
/// `signedValue` to [-1, 1].
[[nodiscard]] QRgb viridis(double position);
[[nodiscard]] QRgb diverging(double signedValue);

/// WCAG contrast ratio, 1 to 21.
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

}  // namespace lab::widgets
