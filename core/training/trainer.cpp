#include "core/training/trainer.h"

#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <cmath>

#include "core/data/task_factory.h"
#include "core/training/cpu_clock.h"
#include "core/training/device.h"
#include "core/training/divergence.h"
#include "core/training/evaluation.h"
#include "core/training/optimiser.h"
#include "core/training/schedule.h"
#include "core/values/lab_error.h"

namespace lab::training {
namespace {

using values::LabError;

values::ExperimentSpec checked(const values::ExperimentSpec& spec) {
    const auto problems = values::problemsIn(spec);
    std::string text;
    for (const auto& problem : problems) {
        text += fmt::format("{}{} {}", text.empty() ? "" : "\n", problem.field, problem.text);
    }
    if (text.empty() && spec.models.size() != 1) {
        text = fmt::format("models has {} entries; a run trains exactly one", spec.models.size());
    }
    if (!text.empty()) {
        throw LabError(LabError::Kind::kInvalidInput, text);
    }
    return values::onlyModel(spec, 0);
}

at::Tensor hostCopy(const at::Tensor& tensor) {
    return tensor.detach().cpu().clone().contiguous();
}

Weights copyOf(const std::vector<models::Parameter>& parameters,
               const std::vector<at::Tensor>& tensors) {
    Weights weights;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        weights[parameters[i].name] = hostCopy(tensors[i]);
    }
    return weights;
}

/// In the order of the parameters. Throws before anything is copied.
std::vector<at::Tensor> inOrder(const std::vector<models::Parameter>& parameters,
                                const Weights& weights, const std::string& what) {
    std::vector<at::Tensor> ordered;
    for (const auto& parameter : parameters) {
        const auto found = weights.find(parameter.name);
        const bool fits = found != weights.end() &&
                          found->second.sizes() == parameter.value.sizes() &&
                          found->second.scalar_type() == parameter.value.scalar_type();
        if (!fits) {
            throw LabError(LabError::Kind::kInvalidInput,
                           fmt::format("the {} of \"{}\" are missing or have another shape: they "
                                       "belong to another model",
                                       what, parameter.name));
        }
        ordered.push_back(found->second);
    }
    if (weights.size() != parameters.size()) {
        throw LabError(LabError::Kind::kInvalidInput,
                       fmt::format("there are {} for {} tensors, the model has {}: they belong to "
                                   "another model",
                                   what, weights.size(), parameters.size()));
    }
    return ordered;
}

}  // namespace

void setWeights(models::SequenceModel& model, const Weights& weights) {
    const c10::NoGradGuard noGradient;
    const auto& parameters = model.parameters();
    const auto ordered = inOrder(parameters, weights, "weights");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        at::Tensor value = parameters[i].value;
        value.copy_(ordered[i]);
    }
}

std::unique_ptr<models::SequenceModel> modelOf(const values::ExperimentSpec& spec,
                                               const tasks::Task& task,
                                               models::DeltaImplementation implementation) {
    requireDevice(spec.training.device);
    models::ModelConfig config;
    config.spec = spec.models.front();
    config.inputs = task.inputCount();
    config.outputs = task.outputCount();
    config.seed = spec.seed;
    config.threads = spec.training.threads;
    config.cuda = spec.training.device == values::Device::kCuda;
    config.deltaImplementation = implementation;
    return models::makeModel(config);
}

Trainer::Trainer(const values::ExperimentSpec& spec, models::DeltaImplementation implementation)
    : m_spec(checked(spec)),
      m_task(data::makeTask(m_spec.task)),
      m_curriculum(m_spec.training),
      m_peakRate(m_spec.training.learningRate) {
    const ThreadCount threads(m_spec.training.threads);
    m_model = modelOf(m_spec, *m_task, implementation);
    m_optimiser =
        std::make_unique<AdamW>(m_model->parameters(), m_spec.training, m_model->execution());
}

Trainer::~Trainer() = default;

StepReport Trainer::step() {
    const ThreadCount threads(m_spec.training.threads);
    const CpuClock clock(m_spec.training.threads);
    const values::TraceLength length = m_curriculum.length();
    const data::Batch batch = data::trainingBatch(*m_task, m_spec, length, m_step);
    StepReport report = trainOn(batch);
    report.length = length;
    report.stage = stage();
    report.tokens = batch.traces * batch.steps;
    constexpr auto kOutput = static_cast<std::size_t>(values::TokenKind::kOutput);
    report.stageEnds = m_curriculum.advance(m_step, report.means.accuracy.at(kOutput));
    report.step = ++m_step;
    m_tokens += report.tokens;
    report.cpuSeconds = clock.seconds();
    m_cpuSeconds += report.cpuSeconds;
    return report;
}

StepReport Trainer::trainOn(const data::Batch& batch) {
    StepReport report;
    report.learningRate = m_peakRate * rateFactor(m_spec.training, m_step);
    const bool watching = m_step % kHeadsEvery == 0;
    m_model->watchHeads(watching);
    const at::Device device = m_model->parameters().front().value.device();
    const at::Tensor logits = m_model->forward(tokensOf(batch).to(device));
    m_model->watchHeads(false);
    const BatchLoss result = batchLoss(logits, batch, m_model->execution());
    report.loss = result.loss.item<double>();
    if (!std::isfinite(report.loss)) {
        reportDivergence(batch, report.loss, 0);
    }
    result.loss.backward();
    report.gradientNorm = m_optimiser->gradientNorm();
    if (!std::isfinite(report.gradientNorm)) {
        reportDivergence(batch, report.loss, report.gradientNorm);
    }
    m_optimiser->step(report.learningRate,
                      clippingScale(report.gradientNorm, m_spec.training.clipNorm));
    if (!m_optimiser->weightsAreFinite()) {
        reportDivergence(batch, report.loss, report.gradientNorm);
    }
    report.means = meansByKind(batch, result.tokens);
    if (watching) {
        report.heads = m_model->headReadings();
    }
    return report;
}

void Trainer::reportDivergence(const data::Batch& batch, double loss, double norm) {
    const at::Device device = m_model->parameters().front().value.device();
    throw LabError(LabError::Kind::kDiverged,
                   divergenceText(*m_model, tokensOf(batch).to(device), m_spec.models.front().heads,
                                  {m_step + 1, loss, norm}));
}

bool Trainer::finished() const noexcept {
    return m_step >= m_spec.training.steps || m_goodEvaluations >= 2;
}

bool Trainer::evaluationDue() const noexcept {
    return m_step > 0 &&
           (m_step % m_spec.training.evaluateEvery == 0 || m_step >= m_spec.training.steps);
}

bool Trainer::checkpointDue() const noexcept {
    return m_step > 0 && (m_step % m_spec.training.checkpointEvery == 0 || finished());
}

const std::vector<values::LengthAccuracy>& Trainer::evaluate() {
    m_evaluations = look(m_spec.evaluation);
    const double target = m_spec.training.stopAccuracy;
    const bool good = target > 0 && m_evaluations.back().value >= target;
    m_goodEvaluations = good ? m_goodEvaluations + 1 : 0;
    return m_evaluations;
}

std::vector<values::LengthAccuracy> Trainer::look(const values::EvaluationSpec& evaluation) const {
    const ThreadCount threads(m_spec.training.threads);
    values::ExperimentSpec spec = m_spec;
    spec.evaluation = evaluation;
    return evaluateLengths(*m_model, *m_task, spec, evaluation.lengths);
}

Checkpoint Trainer::checkpoint() const {
    Checkpoint checkpoint;
    checkpoint.step = m_step;
    checkpoint.tokens = m_tokens;
    checkpoint.cpuSeconds = m_cpuSeconds;
    checkpoint.peakRate = m_peakRate;
    checkpoint.goodEvaluations = m_goodEvaluations;
    checkpoint.curriculum = m_curriculum.state();
    checkpoint.weights = weights();
    checkpoint.first = copyOf(m_model->parameters(), m_optimiser->firstMoments());
    checkpoint.second = copyOf(m_model->parameters(), m_optimiser->secondMoments());
    return checkpoint;
}

void Trainer::restore(const Checkpoint& checkpoint) {
    const c10::NoGradGuard noGradient;
    const auto& parameters = m_model->parameters();
    const auto first = inOrder(parameters, checkpoint.first, "first moments");
    const auto second = inOrder(parameters, checkpoint.second, "second moments");
    setWeights(*m_model, checkpoint.weights);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        at::Tensor(m_optimiser->firstMoments()[i]).copy_(first[i]);
        at::Tensor(m_optimiser->secondMoments()[i]).copy_(second[i]);
    }
    m_optimiser->restore(checkpoint.step);
    m_curriculum.restore(checkpoint.curriculum);
    m_step = checkpoint.step;
    m_tokens = checkpoint.tokens;
    m_cpuSeconds = checkpoint.cpuSeconds;
    m_peakRate = checkpoint.peakRate;
    m_goodEvaluations = checkpoint.goodEvaluations;
}

Weights Trainer::weights() const {
    Weights weights;
    for (const auto& parameter : m_model->parameters()) {
        weights[parameter.name] = hostCopy(parameter.value);
    }
    return weights;
}

}  // namespace lab::training
