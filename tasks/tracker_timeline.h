// A tracker run over a whole script, to be looked at after any step.
//
// The tracker's state is kept every so many steps; any other is replayed from the one before it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tasks/cup_tracker.h"

namespace lab::tasks {

class TrackerTimeline {
public:
    /// `stop` is asked every few thousand steps; once true the timeline ends there. `every`: steps
    /// between two kept states; 0: so that about a thousand are kept.
    TrackerTimeline(std::shared_ptr<const CupSteps> steps, std::unique_ptr<CupTracker> start,
                    const std::function<bool()>& stop = {}, int every = 0);

    /// Steps that were taken: all of them, unless stopped.
    [[nodiscard]] int size() const noexcept { return m_size; }
    [[nodiscard]] int every() const noexcept { return m_every; }
    /// After so many steps, from 0 to size(). The same, bit for bit, as taking them one by one.
    [[nodiscard]] std::unique_ptr<CupTracker> after(int taken) const;

private:
    std::shared_ptr<const CupSteps> m_steps;
    int m_every = 1;
    int m_size = 0;
    std::vector<std::unique_ptr<CupTracker>> m_kept;  // [i] after i * m_every steps
};

}  // namespace lab::tasks
