// Which trace length is trained next: from short to long, by what the model can do or by the clock
// of steps.
//
// Adaptive: the running mean m <- 0.9 m + 0.1 a of the batches' value accuracy a begins at 0 in
// every stage; the next stage begins when m > stageAccuracy and the stage has had stageMinSteps.
// Fixed: each of n stages gets an equal share of the budget.
#pragma once

#include <cstdint>

#include "core/values/experiment_spec.h"

namespace lab::training {

/// What a checkpoint keeps.
struct CurriculumState {
    int stage = 0;
    std::int64_t stepsInStage = 0;
    double meanAccuracy = 0;
    bool operator==(const CurriculumState&) const = default;
};

class Curriculum {
public:
    explicit Curriculum(const values::TrainingSpec& training) : m_training(training) {}

    [[nodiscard]] values::TraceLength length() const;
    [[nodiscard]] const CurriculumState& state() const noexcept { return m_state; }
    void restore(const CurriculumState& state);  ///< stage is clamped to the stages there are

    /// After step number `step` (from 0) with the accuracy of its batch (NaN: it had no value).
    /// True when the next step has another length.
    [[nodiscard]] bool advance(std::int64_t step, double valueAccuracy);

private:
    [[nodiscard]] int lastStage() const;

    values::TrainingSpec m_training;
    CurriculumState m_state;
};

}  // namespace lab::training
