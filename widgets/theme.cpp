#include "widgets/theme.h"

#include <QPainter>
#include <QPolygonF>
#include <QProxyStyle>
#include <QStyleOption>
#include <algorithm>
#include <array>
#include <cmath>

namespace lab::widgets {
namespace {

constexpr int kSeriesColours = 7;
constexpr std::array<QRgb, kSeriesColours> kLightSeries{
    0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7, 0xff000000, 0xffc58800, 0xff4a9cca};
constexpr std::array<QRgb, kSeriesColours> kDarkSeries{
    0xffe69f00, 0xff56b4e9, 0xfff0e442, 0xffcc79a7, 0xff009e73, 0xffd55e00, 0xff2586bd};
constexpr std::array kDashes{Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine,
                             Qt::DashDotDotLine};
constexpr std::array kMarkers{Marker::kDisc,  Marker::kSquare, Marker::kTriangle, Marker::kDiamond,
                              Marker::kCross, Marker::kPlus,   Marker::kRing};

// Eight values of the shell game, for both themes: each reaches 3:1 on both grounds or is outlined.
constexpr std::array<QRgb, 8> kValueFills{0xff0072b2, 0xffd55e00, 0xff00835f, 0xffb4588c,
                                          0xff8a6d00, 0xff3d86ad, 0xff6a51a3, 0xff737373};
constexpr std::array kValuePatterns{Qt::SolidPattern, Qt::BDiagPattern,    Qt::Dense6Pattern,
                                    Qt::HorPattern,   Qt::FDiagPattern,    Qt::VerPattern,
                                    Qt::CrossPattern, Qt::DiagCrossPattern};

Theme makeLight() {
    Theme theme;
    theme.ground = QColor(0xff, 0xff, 0xff);
    theme.surface = QColor(0xf3, 0xf4, 0xf6);
    theme.raised = QColor(0xff, 0xff, 0xff);
    theme.hairline = QColor(0xd5, 0xd9, 0xdf);
    theme.text = QColor(0x1b, 0x1f, 0x24);
    theme.mutedText = QColor(0x5b, 0x64, 0x70);
    theme.accent = QColor(0x00, 0x63, 0x9c);
    theme.onAccent = Qt::white;
    theme.good = QColor(0x00, 0x7a, 0x59);
    theme.warning = QColor(0x9a, 0x67, 0x00);
    theme.bad = QColor(0xc0, 0x26, 0x2d);
    theme.exact = QColor::fromRgb(kLightSeries[0]);
    theme.model = QColor::fromRgb(kLightSeries[1]);
    return theme;
}

Theme makeDark() {
    Theme theme;
    theme.dark = true;
    theme.ground = QColor(0x1d, 0x20, 0x25);
    theme.surface = QColor(0x26, 0x2a, 0x30);
    theme.raised = QColor(0x30, 0x35, 0x3c);
    theme.hairline = QColor(0x42, 0x48, 0x51);
    theme.text = QColor(0xec, 0xee, 0xf1);
    theme.mutedText = QColor(0xa6, 0xae, 0xb9);
    theme.accent = QColor(0x5c, 0xb3, 0xec);
    theme.onAccent = QColor(0x0d, 0x16, 0x1f);
    theme.good = QColor(0x3f, 0xc2, 0x97);
    theme.warning = QColor(0xe8, 0xb3, 0x39);
    theme.bad = QColor(0xff, 0x7b, 0x72);
    theme.exact = QColor::fromRgb(kDarkSeries[1]);
    theme.model = QColor::fromRgb(kDarkSeries[0]);
    return theme;
}

// Every eighth entry of viridis (Smith and van der Walt, matplotlib, CC0); between them linear.
constexpr std::array<QRgb, 33> kViridis{
    0xff440154, 0xff470d60, 0xff48186a, 0xff482374, 0xff472d7b, 0xff453781, 0xff424086,
    0xff3e4989, 0xff3b528b, 0xff375b8d, 0xff33638d, 0xff2f6b8e, 0xff2c728e, 0xff297a8e,
    0xff26828e, 0xff23898e, 0xff21918c, 0xff1f978b, 0xff1f9f88, 0xff21a685, 0xff27ad81,
    0xff31b57b, 0xff3dbc74, 0xff4cc26c, 0xff5cc863, 0xff6ece58, 0xff81d34d, 0xff95d840,
    0xffaadc32, 0xffc0df25, 0xffd5e21a, 0xffeae51a, 0xfffde725};

// Blue through white to red, perceptually even on both arms.
constexpr std::array<QRgb, 9> kDiverging{0xff053061, 0xff2f79b5, 0xff7eb8d7, 0xffcae1ee, 0xfff7f7f7,
                                         0xfffbd0b9, 0xffe9906f, 0xffc13639, 0xff67001f};

template <std::size_t N>
QRgb between(const std::array<QRgb, N>& table, double position) {
    const double at = std::clamp(position, 0.0, 1.0) * (N - 1);
    const auto low = std::min(static_cast<std::size_t>(at), N - 2);
    const double part = at - static_cast<double>(low);
    const auto mix = [part](int a, int b) {
        return static_cast<int>(std::lround(a + part * (b - a)));
    };
    const QRgb a = table.at(low);
    const QRgb b = table.at(low + 1);
    return qRgb(mix(qRed(a), qRed(b)), mix(qGreen(a), qGreen(b)), mix(qBlue(a), qBlue(b)));
}

double luminance(const QColor& colour) {
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
           0.0722 * linear(colour.blueF());
}

}  // namespace

const Theme& Theme::lightTheme() {
    static const Theme theme = makeLight();
    return theme;
}

const Theme& Theme::darkTheme() {
    static const Theme theme = makeDark();
    return theme;
}

const Theme& Theme::of(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < 128 ? darkTheme() : lightTheme();
}

SeriesStyle Theme::series(int index) const {
    const auto at = static_cast<std::size_t>(std::max(0, index));
    const auto round = at / kSeriesColours;
    const auto& colours = dark ? kDarkSeries : kLightSeries;
    return {QColor::fromRgb(colours.at(at % kSeriesColours)), kDashes.at(round % kDashes.size()),
            kMarkers.at((at + round) % kMarkers.size())};
}

ValueStyle Theme::value(int index) const {
    const auto at = static_cast<std::size_t>(std::max(0, index)) % kValueFills.size();
    return {QColor::fromRgb(kValueFills.at(at)), Qt::white, kValuePatterns.at(at)};
}

QPalette Theme::palette() const {
    QPalette result(surface);
    const auto set = [&result](QPalette::ColorRole role, const QColor& colour) {
        result.setColor(role, colour);
    };
    set(QPalette::Window, surface);
    set(QPalette::WindowText, text);
    set(QPalette::Base, ground);
    set(QPalette::AlternateBase, dark ? ground.lighter(115) : QColor(0xf7, 0xf8, 0xfa));
    set(QPalette::Text, text);
    set(QPalette::Button, dark ? raised : QColor(0xf0, 0xf1, 0xf4));
    set(QPalette::ButtonText, text);
    set(QPalette::BrightText, bad);
    set(QPalette::Highlight, accent);
    set(QPalette::HighlightedText, onAccent);
    set(QPalette::Link, accent);
    set(QPalette::LinkVisited, accent);
    set(QPalette::PlaceholderText, mutedText);
    set(QPalette::ToolTipBase, dark ? raised : QColor(0x24, 0x29, 0x30));
    set(QPalette::ToolTipText, dark ? text : QColor(0xf4, 0xf5, 0xf7));
    set(QPalette::Light, dark ? raised.lighter(125) : QColor(Qt::white));
    set(QPalette::Midlight, dark ? raised.lighter(110) : hairline.lighter(105));
    set(QPalette::Mid, hairline);
    set(QPalette::Dark, dark ? ground.darker(130) : hairline.darker(130));
    set(QPalette::Shadow, dark ? QColor(Qt::black) : QColor(0x80, 0x86, 0x8f));
    const QColor faint = dark ? QColor(0x75, 0x7d, 0x88) : QColor(0x93, 0x9b, 0xa6);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        result.setColor(QPalette::Disabled, role, faint);
    }
    result.setColor(QPalette::Disabled, QPalette::Highlight, hairline);
    return result;
}

namespace {

// Fusion, with check boxes that can be seen on a dark ground.
class HouseStyle final : public QProxyStyle {
public:
    HouseStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override {
        if (element != PE_IndicatorCheckBox) {
            QProxyStyle::drawPrimitive(element, option, painter, widget);
            return;
        }
        const Theme& theme = Theme::of(option->palette);
        const bool enabled = option->state.testFlag(State_Enabled);
        const bool on = option->state.testFlag(State_On);
        const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QColor edge = enabled ? theme.mutedText : theme.hairline;
        painter->setPen(QPen(on && enabled ? theme.accent : edge, 1));
        painter->setBrush(!on ? theme.ground : enabled ? theme.accent : theme.hairline);
        painter->drawRoundedRect(box, 3, 3);
        if (on) {
            painter->setPen(QPen(theme.onAccent, 2, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            const QPointF mid = box.center();
            const double unit = box.width() / 12;
            painter->drawPolyline(
                QPolygonF({mid + QPointF(-3, 0) * unit, mid + QPointF(-0.8, 2.4) * unit,
                           mid + QPointF(3.2, -2.6) * unit}));
        }
        painter->restore();
    }
};

}  // namespace

void applyTheme(QApplication& application, ThemeChoice choice) {
    static const bool systemIsDark =
        QApplication::palette().color(QPalette::Window).lightness() < 128;
    const bool dark =
        choice == ThemeChoice::kDark || (choice == ThemeChoice::kSystem && systemIsDark);
    const Theme& theme = dark ? Theme::darkTheme() : Theme::lightTheme();
    if (dynamic_cast<HouseStyle*>(QApplication::style()) == nullptr) {
        QApplication::setStyle(new HouseStyle);  // owned by the application
    }
    application.setPalette(theme.palette());
}

QRgb viridis(double position) {
    return between(kViridis, position);
}

QRgb diverging(double signedValue) {
    return between(kDiverging, (std::clamp(signedValue, -1.0, 1.0) + 1) / 2);
}

double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

}  // namespace lab::widgets
