#include "tasks/tracker_timeline.h"

#include <algorithm>
#include <cassert>

namespace lab::tasks {
namespace {

constexpr int kStepsBetweenQuestions = 4096;
constexpr int kKeptStates = 1000;
constexpr int kFewestBetween = 16;

}  // namespace

TrackerTimeline::TrackerTimeline(std::shared_ptr<const CupSteps> steps,
                                 std::unique_ptr<CupTracker> start,
                                 const std::function<bool()>& stop, int every)
    : m_steps(std::move(steps)),
      m_every(every > 0 ? every : std::max(kFewestBetween, m_steps->size() / kKeptStates)) {
    m_kept.push_back(start->clone());
    for (const CupStep& step : m_steps->steps) {
        if (stop && m_size % kStepsBetweenQuestions == 0 && stop()) {
            break;
        }
        start->take(step);
        if (++m_size % m_every == 0) {
            m_kept.push_back(start->clone());
        }
    }
}

std::unique_ptr<CupTracker> TrackerTimeline::after(int taken) const {
    assert(taken >= 0 && taken <= m_size);
    auto tracker = m_kept[static_cast<std::size_t>(taken / m_every)]->clone();
    for (int i = taken - taken % m_every; i < taken; ++i) {
        tracker->take(m_steps->steps[static_cast<std::size_t>(i)]);
    }
    return tracker;
}

}  // namespace lab::tasks
