#include "app/reading/trace_edit.h"

#include <QStringList>
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace lab::app {
namespace {

using values::EventReading;
using values::TraceReading;

QString cupName(const TraceReading& reading, int cup) {
    return QString::fromStdString(reading.cupNames.at(static_cast<std::size_t>(cup)));
}

QString valueName(const TraceReading& reading, int value) {
    return QString::fromStdString(reading.valueNames.at(static_cast<std::size_t>(value)));
}

/// The event after which new ones may stand: every cup has a content by then.
int firstPlace(const TraceReading& reading, int after) {
    int place = std::clamp(after, -1, static_cast<int>(reading.events.size()) - 1);
    std::vector<bool> assigned(reading.cupNames.size(), false);
    for (int i = 0; i < static_cast<int>(reading.events.size()); ++i) {
        const EventReading& event = reading.events[static_cast<std::size_t>(i)];
        if (event.kind == EventReading::Kind::kAssign &&
            !assigned[static_cast<std::size_t>(event.cup)]) {
            assigned[static_cast<std::size_t>(event.cup)] = true;
            place = std::max(place, i);
        }
    }
    return place;
}

/// Number of text lines up to and including an event and what it prints.
int linesUpTo(const TraceReading& reading, int event) {
    if (event < 0) {
        return 0;
    }
    const EventReading& at = reading.events[static_cast<std::size_t>(event)];
    return at.line + (at.kind == EventReading::Kind::kReveal ? 1 : 0);
}

/// Where each content of the old trace lies after the edit: cup i holds what `from[i]` held.
using Moves = std::vector<int>;

/// Rewrites the prints after `place`, given that the cups were permuted by `moves` there.
void correctPrints(const TraceReading& reading, int place, const Moves& moves, QStringList& lines) {
    std::vector<int> contents(moves.size(), -1);
    if (place >= 0) {
        const auto& before = reading.events[static_cast<std::size_t>(place)].contents;
        std::ranges::transform(moves, contents.begin(),
                               [&](int from) { return before[static_cast<std::size_t>(from)]; });
    }
    for (std::size_t i = static_cast<std::size_t>(place + 1); i < reading.events.size(); ++i) {
        const EventReading& event = reading.events[i];
        const auto cup = static_cast<std::size_t>(std::max(event.cup, 0));
        if (event.kind == EventReading::Kind::kAssign) {
            contents[cup] = event.value;
        } else if (event.kind == EventReading::Kind::kPermute) {
            const std::vector<int> old = contents;
            for (std::size_t c = 0; c < event.moved.size(); ++c) {
                contents[c] = old[static_cast<std::size_t>(event.moved[c])];
            }
        } else {
            lines[event.line] = QStringLiteral("%1 %2").arg(cupName(reading, event.cup),
                                                            valueName(reading, contents[cup]));
        }
    }
}

}  // namespace

QString withSwap(const TraceReading& reading, int after, int cup, int other) {
    const int place = firstPlace(reading, after);
    Moves moves(reading.cupNames.size());
    std::iota(moves.begin(), moves.end(), 0);
    std::swap(moves.at(static_cast<std::size_t>(cup)), moves.at(static_cast<std::size_t>(other)));
    QStringList lines = QString::fromStdString(reading.transcript).split(QLatin1Char('\n'));
    correctPrints(reading, place, moves, lines);
    const QString first = cupName(reading, std::min(cup, other));
    const QString second = cupName(reading, std::max(cup, other));
    lines.insert(linesUpTo(reading, place),
                 QStringLiteral(">>> %1, %2 = %2, %1").arg(first, second));
    return lines.join(QLatin1Char('\n'));
}

QString withReveal(const TraceReading& reading, int after, int cup) {
    const int place = firstPlace(reading, after);
    const auto& contents = reading.events.at(static_cast<std::size_t>(place)).contents;
    const QString name = cupName(reading, cup);
    QStringList lines = QString::fromStdString(reading.transcript).split(QLatin1Char('\n'));
    const int line = linesUpTo(reading, place);
    lines.insert(line, QStringLiteral(">>> print('%1', %1)").arg(name));
    lines.insert(line + 1,
                 QStringLiteral("%1 %2").arg(
                     name, valueName(reading, contents.at(static_cast<std::size_t>(cup)))));
    return lines.join(QLatin1Char('\n'));
}

}  // namespace lab::app
