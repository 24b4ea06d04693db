// One model's training, a step at a time. Knows no thread, no screen and no file.
//
// What a step does depends on the spec and on the steps before it alone: batch, rate and stage are
// functions of the step's number and of the accuracies so far, evaluation draws from its own
// streams, and no clock is read for a decision. So weights are bit-equal however often one looks,
// saves or pauses.
//
// Not thread-safe. Every member may throw LabError{kDevice} or c10::Error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/models/sequence_model.h"
#include "core/training/checkpoint.h"
#include "core/training/loss.h"
#include "core/values/experiment_spec.h"
#include "core/values/telemetry_records.h"

namespace lab::training {

/// What one optimiser step did.
struct StepReport {
    std::int64_t step = 0;       ///< steps done, this one included
    values::TraceLength length;  ///< trained in this step
    int stage = 0;
    bool stageEnds = false;  ///< the next step has another length
    int tokens = 0;
    double loss = 0, gradientNorm = 0, learningRate = 0;
    KindMeans means;
    double cpuSeconds = 0;                   ///< of this step
    std::vector<values::HeadReading> heads;  ///< every kHeadsEvery steps, else empty
};

class Trainer {
public:
    static constexpr std::int64_t kHeadsEvery = 10;

    /// LabError{kInvalidInput} when the spec has problems or not exactly one model.
    explicit Trainer(
        const values::ExperimentSpec& spec,
        models::DeltaImplementation implementation = models::DeltaImplementation::kKernel);
    ~Trainer();
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// Requires !finished(). LabError{kDiverged} that names step, layer and head when loss,
    /// gradient or updated weights are not finite; the trainer is then of no more use.
    StepReport step();
    /// The budget is used up, or two evaluations in a row reached stopAccuracy.
    [[nodiscard]] bool finished() const noexcept;
    [[nodiscard]] bool evaluationDue() const noexcept;  ///< after the step just done
    [[nodiscard]] bool checkpointDue() const noexcept;
    /// On the spec's sets; remembers the result for the early stop.
    const std::vector<values::LengthAccuracy>& evaluate();
    /// The same on other sets, remembered nowhere.
    [[nodiscard]] std::vector<values::LengthAccuracy> look(
        const values::EvaluationSpec& evaluation) const;

    void setPeakRate(double rate) noexcept { m_peakRate = rate; }
    [[nodiscard]] double peakRate() const noexcept { return m_peakRate; }

    /// A copy of everything that the next step depends on.
    [[nodiscard]] Checkpoint checkpoint() const;
    /// LabError{kInvalidInput} when it is from another model.
    void restore(const Checkpoint& checkpoint);
    [[nodiscard]] Weights weights() const;

    [[nodiscard]] const values::ExperimentSpec& spec() const noexcept { return m_spec; }
    [[nodiscard]] std::int64_t stepsDone() const noexcept { return m_step; }
    [[nodiscard]] std::int64_t tokensRead() const noexcept { return m_tokens; }
    /// Of all steps: data, forward, backward, clipping and update; evaluation, checkpoints and
    /// copies of weights excluded.
    [[nodiscard]] double cpuSeconds() const noexcept { return m_cpuSeconds; }
    [[nodiscard]] values::TraceLength trainedLength() const { return m_curriculum.length(); }
    [[nodiscard]] int stage() const noexcept { return m_curriculum.state().stage; }
    [[nodiscard]] models::SequenceModel& model() noexcept { return *m_model; }

private:
    StepReport trainOn(const data::Batch& batch);
    [[noreturn]] void reportDivergence(const data::Batch& batch, double loss, double norm);

    values::ExperimentSpec m_spec;
    std::unique_ptr<tasks::Task> m_task;
    std::unique_ptr<models::SequenceModel> m_model;
    std::unique_ptr<class AdamW> m_optimiser;
    Curriculum m_curriculum;
    std::vector<values::LengthAccuracy> m_evaluations;
    std::int64_t m_step = 0, m_tokens = 0;
    double m_cpuSeconds = 0, m_peakRate;
    int m_goodEvaluations = 0;
};

/// Copies `weights` into a model by name. LabError{kInvalidInput} when a name is missing, left over
/// or of another shape; the model is then as before.
void setWeights(models::SequenceModel& model, const Weights& weights);

/// The model of a spec that has one, for its task, on the spec's device and threads.
[[nodiscard]] std::unique_ptr<models::SequenceModel> modelOf(
    const values::ExperimentSpec& spec, const tasks::Task& task,
    models::DeltaImplementation implementation = models::DeltaImplementation::kKernel);

}  // namespace lab::training
