// The trace cursor and its clock, without a screen.
//
// Time is given in by advance(); nothing here starts a timer. An event takes 0.3 s to happen at
// speed 1 and another 0.5 s (a reveal 0.9 s) to be looked at.
#pragma once

#include <memory>
#include <vector>

#include "core/values/trace_reading.h"

namespace lab::widgets {

class Playback {
public:
    static constexpr int kSlowest = -3, kFastest = 6;  ///< powers of two

    void setReading(std::shared_ptr<const values::TraceReading> reading);
    [[nodiscard]] int events() const;

    /// The event that happens or has happened last; -1 before the first.
    [[nodiscard]] int cursor() const { return m_cursor; }
    /// 0 when the event at the cursor begins, 1 when it is over.
    [[nodiscard]] double progress() const;
    [[nodiscard]] bool playing() const { return m_playing; }
    [[nodiscard]] int speedExponent() const { return m_speed; }
    [[nodiscard]] double speed() const;

    void jumpTo(int event);  ///< clamped; at rest at once
    void stepForward();      ///< the next event, animated
    void stepBack();
    /// The next or previous reveal or mistaken reveal; stays where it is when there is none.
    void nextReveal();
    void previousReveal();
    void nextMistake();
    void previousMistake();
    void setPlaying(bool playing);  ///< at the end: starts again from the beginning
    void setSpeedExponent(int exponent);

    /// Lets time pass. Returns whether cursor, progress or playing changed.
    bool advance(double seconds);

    [[nodiscard]] bool isReveal(int event) const;
    [[nodiscard]] bool isMistake(int event) const;

private:
    template <class Want>
    [[nodiscard]] int find(int from, int direction, Want want) const;

    std::shared_ptr<const values::TraceReading> m_reading;
    std::vector<bool> m_mistakes;  // by event
    int m_cursor = -1;
    double m_age = 1e9;  // seconds since the event at the cursor began, at speed 1
    bool m_playing = false;
    int m_speed = 0;
};

}  // namespace lab::widgets
