#include "widgets/stage/stage_scene.h"

#include <QLocale>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "widgets/belief_strip.h"
#include "widgets/stage/shell_stage.h"

namespace lab::widgets {
namespace {

using values::Belief;
using values::EventReading;
using values::TraceReading;

constexpr double kLowerUntil = 0.3;  // share of an event in which a lifted cup comes down first

double eased(double part) {
    const double x = std::clamp(part, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

const EventReading* eventAt(const TraceReading& reading, int event) {
    const bool there = event >= 0 && event < static_cast<int>(reading.events.size());
    return there ? &reading.events[static_cast<std::size_t>(event)] : nullptr;
}

int contentOf(const EventReading* event, int place) {
    const auto at = static_cast<std::size_t>(place);
    return event != nullptr && at < event->contents.size() ? event->contents[at] : -1;
}

QString nameOf(const std::vector<std::string>& names, int index) {
    const auto at = static_cast<std::size_t>(index);
    return index >= 0 && at < names.size() ? QString::fromStdString(names[at]) : QString();
}

// Builds one scene; each method adds one kind of sprite.
class Builder {
public:
    Builder(const TraceReading& reading, StageMoment moment, QSizeF size,
            const StageOptions& options)
        : m_reading(reading),
          m_options(options),
          m_cups(static_cast<int>(reading.cupNames.size())),
          m_layout(m_cups, size),
          m_cursor(std::min(moment.cursor, static_cast<int>(reading.events.size()) - 1)),
          m_now(eventAt(reading, m_cursor)),
          m_before(eventAt(reading, m_cursor - 1)),
          m_progress(std::clamp(moment.progress, 0.0, 1.0)) {
        const bool lowersFirst =
            m_before != nullptr && m_before->kind == EventReading::Kind::kReveal;
        m_own = lowersFirst ? std::max(0.0, (m_progress - kLowerUntil) / (1 - kLowerUntil))
                            : m_progress;
    }

    StageScene build() {
        m_scene.table = m_layout.table;
        m_scene.cup = QSizeF(m_layout.cupWidth, m_layout.cupHeight);
        addPlaces();
        addMeters();
        addCups();
        addArrows();
        addCommand();
        return std::move(m_scene);
    }

private:
    [[nodiscard]] int cameFrom(int place) const {
        const auto at = static_cast<std::size_t>(place);
        const bool moves = m_now != nullptr && m_now->kind == EventReading::Kind::kPermute &&
                           at < m_now->moved.size();
        return moves ? m_now->moved[at] : place;
    }

    [[nodiscard]] double liftOf(int place) const {
        double lift = 0;
        if (m_before != nullptr && m_before->kind == EventReading::Kind::kReveal &&
            m_before->cup == place) {
            lift = 1 - eased(m_progress / kLowerUntil);
        }
        if (m_now == nullptr || m_now->cup != place) {
            return lift;
        }
        if (m_now->kind == EventReading::Kind::kReveal) {
            return std::max(lift, eased(m_own));
        }
        if (m_now->kind == EventReading::Kind::kAssign && seesAssignments()) {
            return std::max(lift, eased(m_own / 0.35) * (1 - eased((m_own - 0.6) / 0.4)));
        }
        return lift;
    }

    [[nodiscard]] bool seesAssignments() const {
        return m_options.exact == BeliefSource::kKnowing || m_options.truthShown;
    }

    // What is in the cup that goes to `place`; an assignment changes it half-way.
    [[nodiscard]] int contentNow(int place) const {
        const bool waits = m_now != nullptr && m_now->kind == EventReading::Kind::kAssign &&
                           m_now->cup == place && m_own < 0.4;
        return contentOf(waits ? m_before : m_now, place);
    }

    void addLabel(LabelSprite::Kind kind, const QRectF& frame, const QString& text, double size,
                  Qt::Alignment alignment = Qt::AlignCenter) {
        LabelSprite label;
        label.kind = kind;
        label.frame = frame;
        label.text = text;
        label.alignment = alignment;
        label.pixelSize = size;
        m_scene.labels.push_back(std::move(label));
    }

    void addPlaces() {
        for (int place = 0; place < m_cups; ++place) {
            addLabel(LabelSprite::Kind::kPlace, m_layout.labelFrame(place),
                     nameOf(m_reading.cupNames, place), m_layout.label);
        }
    }

    void addMeters() {
        const double text = m_layout.text;
        const double gap = text * 0.4;
        const double truthHeight = text * 1.7;
        const double valuesHeight = text * 1.6;
        const QRectF area = m_layout.meters;
        const double bars =
            std::max(12.0, (area.height() - truthHeight - valuesHeight - 2 * gap) / 2);
        const double exactTop = area.top() + truthHeight + gap;
        const double modelTop = exactTop + bars + gap;
        const double width = m_layout.meterWidth(valueCount());
        for (int place = 0; place < m_cups; ++place) {
            const double x = m_layout.foot(place).x() - width / 2;
            addMeter(MeterSprite::Kind::kTruth, place, {x, area.top(), width, truthHeight}, {});
            addMeter(MeterSprite::Kind::kExact, place, {x, exactTop, width, bars},
                     blended(m_options.exact, place));
            addMeter(MeterSprite::Kind::kModel, place, {x, modelTop, width, bars},
                     blended(BeliefSource::kModel, place));
            addValues({x, modelTop + bars, width, valuesHeight});
        }
        addRow(area.top(), truthHeight, ShellStage::tr("truth"));
        addRow(exactTop, bars, ShellStage::tr("exact"));
        addRow(modelTop, bars, ShellStage::tr("model"));
    }

    void addRow(double top, double height, const QString& text) {
        if (m_layout.gutter > 0) {
            const double right =
                m_layout.foot(0).x() - m_layout.meterWidth(valueCount()) / 2 - 1.2 * m_layout.text;
            addLabel(LabelSprite::Kind::kRow, {0, top, right, height}, text, m_layout.text,
                     Qt::AlignRight | Qt::AlignVCenter);
        }
    }

    void addMeter(MeterSprite::Kind kind, int place, const QRectF& frame,
                  std::vector<double> probability) {
        MeterSprite meter;
        meter.kind = kind;
        meter.place = place;
        meter.frame = frame;
        meter.probability = std::move(probability);
        meter.truth = m_options.truthShown ? contentNow(place) : -1;
        meter.truthName = nameOf(m_reading.valueNames, meter.truth);
        m_scene.meters.push_back(std::move(meter));
    }

    void addValues(const QRectF& row) {
        const int count = valueCount();
        const double each = row.width() / std::max(1, count);
        if (each < 7) {
            return;
        }
        const double size = std::min(m_layout.text, each * 1.1);
        for (int value = 0; value < count; ++value) {
            addLabel(LabelSprite::Kind::kValue,
                     {row.left() + value * each, row.top(), each, row.height()},
                     nameOf(m_reading.valueNames, value), size);
            m_scene.labels.back().value = value;
        }
    }

    [[nodiscard]] int valueCount() const { return static_cast<int>(m_reading.valueNames.size()); }

    // The belief about a place, on its way from the event before to this one.
    [[nodiscard]] std::vector<double> blended(BeliefSource source, int place) const {
        const auto row = [&](const EventReading* event) {
            std::vector<double> result;
            if (event != nullptr && place < beliefOf(*event, source).cups) {
                const Belief& belief = beliefOf(*event, source);
                for (int value = 0; value < belief.values; ++value) {
                    result.push_back(belief.at(place, value));
                }
            }
            return result;
        };
        std::vector<double> now = row(m_now);
        const std::vector<double> before = row(m_before);
        const double part = eased(m_own);
        if (before.size() == now.size()) {
            for (std::size_t i = 0; i < now.size(); ++i) {
                now[i] = before[i] + part * (now[i] - before[i]);
            }
        }
        return now;
    }

    void addCups() {
        for (int place = 0; place < m_cups; ++place) {
            CupSprite cup;
            cup.place = place;
            cup.seeThrough = m_options.truthShown;
            cup.lift = liftOf(place);
            const int from = cameFrom(place);
            const double part = eased(m_own);
            const QPointF start = m_layout.foot(from);
            const QPointF end = m_layout.foot(place);
            cup.foot = end;
            if (from != place && m_options.motion == Motion::kFade) {
                cup.foot = m_own < 0.5 ? start : end;
                cup.opacity = std::abs(1 - 2 * m_own);
            } else if (from != place) {
                // Rightward in front, leftward behind; farther cups swing wider.
                const double side = place > from ? 1 : -1;
                const double reach = 0.7 + 0.3 * std::abs(place - from) / std::max(1, m_cups - 1);
                cup.depth = side * reach * std::sin(std::numbers::pi * part);
                cup.foot = start + part * (end - start) +
                           QPointF(0, cup.depth * 0.24 * m_layout.cupHeight);
            }
            const double nearer = 1 + 0.09 * cup.depth;
            cup.width = m_layout.cupWidth * nearer;
            cup.height = m_layout.cupHeight * nearer;
            addBall(cup);
            m_scene.cups.push_back(cup);
        }
        std::ranges::stable_sort(m_scene.cups, {}, &CupSprite::depth);
    }

    void addBall(const CupSprite& cup) {
        const int value = contentNow(cup.place);
        if (value < 0 || (!m_options.truthShown && cup.lift <= 0)) {
            return;
        }
        BallSprite ball;
        ball.place = cup.place;
        ball.value = value;
        ball.radius = cup.width * 0.27;
        ball.centre = cup.foot - QPointF(0, ball.radius * 0.82);
        ball.opacity = cup.opacity;
        ball.label = nameOf(m_reading.valueNames, value);
        m_scene.balls.push_back(std::move(ball));
    }

    void addArrows() {
        if (m_now == nullptr || m_now->kind != EventReading::Kind::kPermute) {
            return;
        }
        for (int place = 0; place < m_cups; ++place) {
            const int from = cameFrom(place);
            const bool swap = cameFrom(from) == place;
            if (from == place || (swap && from > place)) {
                continue;
            }
            ArrowSprite arrow;
            arrow.from = from;
            arrow.to = place;
            arrow.bothWays = swap;
            arrow.opacity = m_options.motion == Motion::kFade ? 1.0 : 0.2 + 0.5 * eased(m_own);
            const double down = m_layout.labelFrame(0).bottom() + m_layout.text * 0.3;
            arrow.start = QPointF(m_layout.foot(from).x(), down);
            arrow.end = QPointF(m_layout.foot(place).x(), down);
            // Far and leftward moves bow lower, so that the arrows of a permutation stay apart.
            const double far =
                std::abs(place - from) / static_cast<double>(std::max(1, m_cups - 1));
            const double bow = 0.14 + 0.16 * far + (place < from ? 0.08 : 0.0);
            arrow.control =
                (arrow.start + arrow.end) / 2 + QPointF(0, 2 * bow * m_layout.cupHeight);
            m_scene.arrows.push_back(arrow);
        }
    }

    void addCommand() {
        if (m_now == nullptr) {
            return;
        }
        const double size = std::clamp(m_layout.command.height() * 0.48, 11.0, 40.0);
        addLabel(LabelSprite::Kind::kCommand, m_layout.command,
                 QStringLiteral(">>> ") + QString::fromStdString(m_now->text), size);
        if (m_now->kind == EventReading::Kind::kReveal) {
            m_scene.labels.back().tail = nameOf(m_reading.cupNames, m_now->cup) + QLatin1Char(' ') +
                                         nameOf(m_reading.valueNames, m_now->value);
        }
    }

    const TraceReading& m_reading;
    const StageOptions& m_options;
    int m_cups;
    StageLayout m_layout;
    int m_cursor;
    const EventReading* m_now;
    const EventReading* m_before;
    double m_progress;
    double m_own = 1;  // of the event's own motion, after a lifted cup has come down
    StageScene m_scene;
};

QString beliefText(const TraceReading& reading, const EventReading& event, BeliefSource source,
                   int place) {
    const Belief& belief = beliefOf(event, source);
    if (belief.empty() || place >= belief.cups) {
        return ShellStage::tr("none");
    }
    int best = 0;
    for (int value = 1; value < belief.values; ++value) {
        if (belief.at(place, value) > belief.at(place, best)) {
            best = value;
        }
    }
    return ShellStage::tr("%1 for %2")
        .arg(QLocale().toString(belief.at(place, best), 'f', 2), nameOf(reading.valueNames, best));
}

}  // namespace

StageLayout::StageLayout(int cups, QSizeF size) {
    const double count = std::max(1, cups);
    const double width = size.width();
    const double height = size.height();
    text = std::clamp(std::min(height / 34, width / 58), 9.5, 30.0);
    gutter = width >= 440 ? text * 4.4 : 0;
    const double side = std::max(8.0, width * 0.015);
    columnWidth = std::min((width - gutter - 2 * side) / count, height * 0.56);
    left = gutter + side + (width - gutter - 2 * side - columnWidth * count) / 2;
    left = std::max(gutter, left - gutter / 2);  // row titles may hang in a wide margin
    const double commandHeight = std::clamp(height * 0.1, 22.0, 72.0);
    command = QRectF(0, height - commandHeight, width, commandHeight);

    // From the foot of a cup: its height and the lift above, its name and the arrows below.
    constexpr double kAbove = 1.0 + kLiftHeight + 0.12;
    constexpr double kBelow = 0.78;
    const double leastMeters = std::max(6.4 * text, (height - commandHeight) * 0.4);
    const double zone = height - commandHeight - leastMeters;
    cupHeight = std::min(columnWidth * 0.68, zone / (kAbove + kBelow));
    cupWidth = cupHeight * 0.86;
    const double metersEnd = std::min(height - commandHeight - (kAbove + kBelow) * cupHeight,
                                      std::max(leastMeters, (height - commandHeight) * 0.5));
    const double top = text * 0.8;
    meters = QRectF(0, top, width, metersEnd - top);
    footLine = height - commandHeight - cupHeight * kBelow;
    table = QRectF(0, footLine - cupHeight * 0.62, width, height - footLine + cupHeight * 0.62);
    label = std::clamp(cupWidth * 0.23, 10.0, 36.0);
}

QPointF StageLayout::foot(int place) const {
    return {left + (place + 0.5) * columnWidth, footLine};
}

QRectF StageLayout::labelFrame(int place) const {
    return {foot(place).x() - label, footLine + cupHeight * 0.17, 2 * label, label * 1.35};
}

double StageLayout::meterWidth(int values) const {
    return std::min(columnWidth * 0.86, 3.4 * text * std::max(2, values));
}

StageScene stageScene(const TraceReading& reading, StageMoment moment, QSizeF size,
                      const StageOptions& options) {
    return reading.cupNames.empty() ? StageScene{}
                                    : Builder(reading, moment, size, options).build();
}

QString describePlace(const TraceReading& reading, int cursor, int place,
                      const StageOptions& options) {
    const EventReading* event = eventAt(reading, cursor);
    const QString title = ShellStage::tr("Cup %1 (%2 of %3)")
                              .arg(nameOf(reading.cupNames, place))
                              .arg(place + 1)
                              .arg(reading.cupNames.size());
    if (event == nullptr) {
        return ShellStage::tr("%1: nothing has happened yet.").arg(title);
    }
    const int content = contentOf(event, place);
    const QString truth = !options.truthShown ? ShellStage::tr("hidden")
                          : content < 0       ? ShellStage::tr("empty")
                                              : nameOf(reading.valueNames, content);
    return ShellStage::tr("%1: exact belief %2; model %3; truth %4.")
        .arg(title, beliefText(reading, *event, options.exact, place),
             beliefText(reading, *event, BeliefSource::kModel, place), truth);
}

}  // namespace lab::widgets
