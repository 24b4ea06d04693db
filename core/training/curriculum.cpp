#include "core/training/curriculum.h"

#include <algorithm>
#include <cmath>

namespace lab::training {

int Curriculum::lastStage() const {
    return static_cast<int>(m_training.stages.size()) - 1;
}

values::TraceLength Curriculum::length() const {
    return m_training.stages.at(static_cast<std::size_t>(m_state.stage));
}

void Curriculum::restore(const CurriculumState& state) {
    m_state = state;
    m_state.stage = std::clamp(state.stage, 0, lastStage());
}

bool Curriculum::advance(std::int64_t step, double valueAccuracy) {
    ++m_state.stepsInStage;
    if (!std::isnan(valueAccuracy)) {
        m_state.meanAccuracy = 0.9 * m_state.meanAccuracy + 0.1 * valueAccuracy;
    }
    int next = m_state.stage;
    if (!m_training.adaptiveStages) {
        const auto share = (step + 1) * (lastStage() + 1) / m_training.steps;
        next = static_cast<int>(std::min<std::int64_t>(share, lastStage()));
    } else if (m_state.stage < lastStage() && m_state.meanAccuracy > m_training.stageAccuracy &&
               m_state.stepsInStage >= m_training.stageMinSteps) {
        next = m_state.stage + 1;
    }
    if (next == m_state.stage) {
        return false;
    }
    m_state = {.stage = next};
    return true;
}

}  // namespace lab::training
