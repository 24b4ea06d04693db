#include "widgets/playback.h"

#include <algorithm>
#include <cmath>

namespace lab::widgets {
namespace {

constexpr double kHappensFor = 0.3;
constexpr double kRestsFor = 0.5;
constexpr double kRestsAfterReveal = 0.9;
constexpr double kLongAgo = 1e9;

}  // namespace

void Playback::setReading(std::shared_ptr<const values::TraceReading> reading) {
    m_reading = std::move(reading);
    m_mistakes.assign(static_cast<std::size_t>(events()), false);
    if (m_reading) {
        for (const values::TokenReading& token : m_reading->tokens) {
            if (token.mistake && token.event >= 0 && token.event < events()) {
                m_mistakes[static_cast<std::size_t>(token.event)] = true;
            }
        }
    }
    if (m_cursor >= events()) {
        jumpTo(events() - 1);
    }
    m_playing = m_playing && events() > 0;
}

int Playback::events() const {
    return m_reading ? static_cast<int>(m_reading->events.size()) : 0;
}

double Playback::progress() const {
    return std::clamp(m_age / kHappensFor, 0.0, 1.0);
}

double Playback::speed() const {
    return std::exp2(m_speed);
}

void Playback::jumpTo(int event) {
    m_cursor = std::clamp(event, -1, events() - 1);
    m_age = kLongAgo;
}

void Playback::stepForward() {
    if (m_cursor + 1 < events()) {
        ++m_cursor;
        m_age = 0;
    }
}

void Playback::stepBack() {
    jumpTo(m_cursor - 1);
}

template <class Want>
int Playback::find(int from, int direction, Want want) const {
    for (int event = from + direction; event >= 0 && event < events(); event += direction) {
        if (want(event)) {
            return event;
        }
    }
    return m_cursor;
}

void Playback::nextReveal() {
    jumpTo(find(m_cursor, 1, [this](int event) { return isReveal(event); }));
}

void Playback::previousReveal() {
    jumpTo(find(m_cursor, -1, [this](int event) { return isReveal(event); }));
}

void Playback::nextMistake() {
    jumpTo(find(m_cursor, 1, [this](int event) { return isMistake(event); }));
}

void Playback::previousMistake() {
    jumpTo(find(m_cursor, -1, [this](int event) { return isMistake(event); }));
}

void Playback::setPlaying(bool playing) {
    if (playing && m_cursor >= events() - 1) {
        jumpTo(-1);
    }
    m_playing = playing && events() > 0;
}

void Playback::setSpeedExponent(int exponent) {
    m_speed = std::clamp(exponent, kSlowest, kFastest);
}

bool Playback::advance(double seconds) {
    const bool atRest = m_age >= kHappensFor;
    if (atRest && !m_playing) {
        return false;
    }
    m_age += std::max(0.0, seconds) * speed();
    const auto lasts = [this] {
        return kHappensFor + (isReveal(m_cursor) ? kRestsAfterReveal : kRestsFor);
    };
    bool changed = !atRest;
    while (m_playing && m_age >= lasts()) {
        changed = true;
        if (m_cursor + 1 >= events()) {
            m_playing = false;
            break;
        }
        // The rest of the frame belongs to the next event, so speed does not depend on the frame
        // rate. After a jump or at the start it begins with this frame.
        m_age = m_age > kLongAgo / 2 ? 0 : m_age - lasts();
        ++m_cursor;
    }
    return changed;
}

bool Playback::isReveal(int event) const {
    return event >= 0 && event < events() &&
           m_reading->events[static_cast<std::size_t>(event)].kind ==
               values::EventReading::Kind::kReveal;
}

bool Playback::isMistake(int event) const {
    return event >= 0 && event < events() && m_mistakes[static_cast<std::size_t>(event)];
}

}  // namespace lab::widgets
