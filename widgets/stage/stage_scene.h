// What the shell game stage shows at one moment, as a list of things to paint.
//
// Pure: values in, values out, no pixels, no state. Places are the variables (a, b, c ...) and stay
// where they are; cups move between them and carry their content along.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <vector>

#include "core/values/trace_reading.h"

namespace lab::widgets {

/// Whose belief: exact for one who reads everything, exact for one who does not see the first
/// values, or the model's.
enum class BeliefSource { kKnowing, kWatching, kModel };
enum class Motion { kArcs, kFade };  ///< kFade: reduced motion

struct StageOptions {
    bool truthShown = false;
    BeliefSource exact = BeliefSource::kKnowing;  ///< kKnowing or kWatching
    Motion motion = Motion::kArcs;
    bool operator==(const StageOptions&) const = default;
};

/// `cursor` is the event that is happening or has happened last, -1 before the first; `progress`
/// goes from 0 when it begins to 1 when it is over.
struct StageMoment {
    int cursor = -1;
    double progress = 1.0;
    bool operator==(const StageMoment&) const = default;
};

struct CupSprite {
    int place = 0;     ///< where it stands, or is going
    QPointF foot;      ///< middle of its rim on the table, pixels
    double width = 0;  ///< of the rim, pixels
    double height = 0;
    double lift = 0;   ///< 0 on the table, 1 fully lifted
    double depth = 0;  ///< -1 behind the row, 0 in it, 1 in front
    double opacity = 1;
    bool seeThrough = false;
    bool selected = false;
};

struct BallSprite {
    int place = 0;
    int value = 0;  ///< index into valueNames
    QPointF centre;
    double radius = 0;
    double opacity = 1;
    QString label;
};

/// A distribution over the values of one place.
struct MeterSprite {
    enum class Kind { kTruth, kExact, kModel };
    Kind kind = Kind::kExact;
    int place = 0;
    QRectF frame;
    std::vector<double> probability;  ///< empty: nothing known, drawn as an empty frame
    int truth = -1;                   ///< value to mark; -1: hidden or none
    QString truthName;
};

struct ArrowSprite {
    int from = 0, to = 0;         ///< places
    QPointF start, control, end;  ///< quadratic curve on the table, in front of the cups
    bool bothWays = false;        ///< a swap of two
    double opacity = 1;
};

struct LabelSprite {
    enum class Kind { kPlace, kRow, kValue, kCommand };
    Kind kind = Kind::kPlace;
    QRectF frame;
    QString text;
    QString tail;  ///< kCommand: what it printed
    Qt::Alignment alignment = Qt::AlignCenter;
    double pixelSize = 12;
    int value = -1;  ///< kValue
    bool operator==(const LabelSprite&) const = default;
};

struct StageScene {
    QRectF table;
    QSizeF cup;  ///< of a cup in the row
    std::vector<LabelSprite> labels;
    std::vector<MeterSprite> meters;
    std::vector<ArrowSprite> arrows;
    std::vector<BallSprite> balls;  ///< painted before the cups that hide them
    std::vector<CupSprite> cups;    ///< farthest first
};

/// An empty scene when the reading has no cups.
[[nodiscard]] StageScene stageScene(const values::TraceReading& reading, StageMoment moment,
                                    QSizeF size, const StageOptions& options);

/// How far a lifted cup is from the table, in heights of the cup.
inline constexpr double kLiftHeight = 0.6;

/// The frame of the table and of one cup at rest, for painters and for finding a cup under the
/// mouse.
struct StageLayout {
    StageLayout(int cups, QSizeF size);
    [[nodiscard]] QPointF foot(int place) const;
    QRectF meters, table, command;  ///< from top to bottom
    double columnWidth = 0, left = 0;
    double cupWidth = 0, cupHeight = 0;
    double footLine = 0;  ///< y on which the cups stand
    double text = 12;     ///< height of ordinary text, pixels
    double gutter = 0;    ///< width of the row titles at the left; 0: no room for them
    double label = 12;    ///< height of a place's name
    [[nodiscard]] QRectF labelFrame(int place) const;
    [[nodiscard]] double meterWidth(int values) const;
};

/// One sentence for a screen reader: "Cup b (2 of 3): exact belief 0.83 for 1; model 0.79; truth
/// hidden."
[[nodiscard]] QString describePlace(const values::TraceReading& reading, int cursor, int place,
                                    const StageOptions& options);

}  // namespace lab::widgets
