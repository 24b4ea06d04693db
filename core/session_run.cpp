#include "core/session_run.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>

#include "core/model_handle.h"
#include "core/run_metrics.h"
#include "core/storage/spec_toml.h"
#include "core/values/lab_error.h"

namespace lab {
namespace {

using values::RunEvent;
using values::RunState;

constexpr auto kScreenPeriod = std::chrono::milliseconds(16);
constexpr int kCheckpointsKept = 2;
constexpr int kBackgroundNice = 5;

/// As values::RunRecord::status writes it.
std::string statusOf(RunState state) {
    switch (state) {
        case RunState::kWaiting:
        case RunState::kRunning: return "running";
        case RunState::kPaused: return "paused";
        case RunState::kFinished: return "finished";
        case RunState::kStopped: return "stopped";
        case RunState::kDiverged: return "diverged";
        case RunState::kFailed: return "failed";
    }
    return "failed";
}

/// A larger nice value for the calling thread alone. Failing costs smoothness, never the run.
void lowerPriority() {
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kBackgroundNice);
}

}  // namespace

SessionRun::SessionRun(training::Trainer& trainer, Mailbox& mailbox, RunChannels& channels,
                       Recorder* recorder, std::int64_t savedAtStep)
    : m_trainer(trainer), m_mailbox(mailbox), m_channels(channels), m_recorder(recorder) {
    m_snapshot.savedAtStep = savedAtStep;
    m_snapshot.steps = trainer.spec().training.steps;
    m_snapshot.step = trainer.stepsDone();
    m_snapshot.tokens = trainer.tokensRead();
    m_snapshot.cpuSeconds = trainer.cpuSeconds();
    m_snapshot.stage = trainer.stage();
    m_snapshot.trainedLength = trainer.trainedLength();
    m_snapshot.learningRate = trainer.peakRate();
    publish(/*always=*/true);
}

void SessionRun::run(bool background) noexcept {
    try {
        if (background) {
            lowerPriority();
        }
        train();
    } catch (const values::LabError& error) {
        const bool diverged = error.kind() == values::LabError::Kind::kDiverged;
        end(diverged ? RunState::kDiverged : RunState::kFailed, error.what());
    } catch (const std::exception& error) {  // LibTorch's, or no memory
        end(RunState::kFailed, error.what());
    }
}

void SessionRun::train() {
    const std::int64_t from = m_trainer.stepsDone();
    enter(RunState::kRunning, RunEvent::Kind::kStarted,
          from == 0 ? "started" : fmt::format("resumed from the checkpoint of step {}", from));
    if (from > 0) {  // so that the screen has something to show; changes nothing
        m_snapshot.evaluations = m_trainer.look(m_trainer.spec().evaluation);
        m_snapshot.evaluatedAtStep = from;
    }
    while (!m_trainer.finished()) {
        if (atBorder() == Border::kStop) {
            if (m_snapshot.savedAtStep != m_trainer.stepsDone()) {
                save();
            }
            end(RunState::kStopped, "");
            return;
        }
        oneStep();
    }
    end(RunState::kFinished, "");
}

SessionRun::Border SessionRun::atBorder() {
    for (;;) {
        const Orders orders = m_mailbox.take();
        if (orders.rate) {
            changeRate(*orders.rate);
        }
        if (orders.checkpoint) {
            save();
        }
        if (orders.weights) {
            publishWeights();
        }
        if (orders.stop) {
            return Border::kStop;
        }
        if (!orders.paused) {
            if (m_snapshot.state == RunState::kPaused) {
                enter(RunState::kRunning, RunEvent::Kind::kResumed, "going on");
            }
            return Border::kStep;
        }
        if (orders.stepOnce) {
            return Border::kStep;
        }
        if (m_snapshot.state != RunState::kPaused) {
            enter(RunState::kPaused, RunEvent::Kind::kPaused, "paused");
        }
        publish(/*always=*/true);
        m_mailbox.wait();
    }
}

void SessionRun::enter(RunState state, RunEvent::Kind kind, const std::string& text) {
    m_snapshot.state = state;
    tell(kind, text);
    publish(/*always=*/true);
}

void SessionRun::oneStep() {
    const auto begin = Clock::now();
    const training::StepReport report = m_trainer.step();
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - begin).count();
    m_throughput.add(now, seconds);
    const double tokensPerSecond = seconds > 0 ? report.tokens / seconds : 0;
    tell(metricsOf(report, m_trainer.cpuSeconds(), tokensPerSecond));
    m_snapshot.step = report.step;
    m_snapshot.tokens = m_trainer.tokensRead();
    m_snapshot.cpuSeconds = m_trainer.cpuSeconds();
    m_snapshot.tokensPerSecond = tokensPerSecond;
    m_snapshot.stage = report.stage;
    m_snapshot.trainedLength = report.length;
    m_snapshot.learningRate = report.learningRate;
    m_snapshot.loss = report.loss;
    m_snapshot.gradientNorm = report.gradientNorm;
    m_snapshot.lossByKind = report.means.loss;
    m_snapshot.accuracyByKind = report.means.accuracy;
    if (!report.heads.empty()) {
        m_snapshot.heads = report.heads;
    }
    if (report.stageEnds) {
        const auto next = m_trainer.trainedLength();
        tell(RunEvent::Kind::kStage,
             fmt::format("stage {} of {}: {} commands, spacing {}", m_trainer.stage() + 1,
                         m_trainer.spec().training.stages.size(), next.commands, next.spacing));
    }
    if (m_trainer.evaluationDue()) {
        evaluate();
    }
    if (m_trainer.checkpointDue()) {
        save();
    }
    publish(/*always=*/false);
}

void SessionRun::evaluate() {
    m_snapshot.evaluations = m_trainer.evaluate();
    m_snapshot.evaluatedAtStep = m_trainer.stepsDone();
    tell(metricsOf(m_snapshot.evaluations, m_trainer.stepsDone(), m_trainer.cpuSeconds()));
}

void SessionRun::changeRate(double rate) {
    if (!(rate > 0) || !std::isfinite(rate)) {
        tell(RunEvent::Kind::kRateChanged,
             fmt::format("learning rate {} refused: it must be a finite number above 0", rate));
        return;
    }
    tell(RunEvent::Kind::kRateChanged,
         fmt::format("learning rate {} instead of {}", rate, m_trainer.peakRate()));
    m_trainer.setPeakRate(rate);
}

void SessionRun::save() {
    if (m_recorder == nullptr) {
        return;
    }
    const auto step = m_trainer.stepsDone();
    const auto folder = storage::checkpointFolderOf(m_recorder->run());
    const auto file = folder / training::checkpointFileName(step);
    try {
        training::Checkpoint checkpoint = m_trainer.checkpoint();
        checkpoint.experiment = storage::toToml(m_trainer.spec());
        training::writeCheckpoint(file, checkpoint);
        training::keepNewestCheckpoints(folder, kCheckpointsKept);
        m_snapshot.savedAtStep = step;
        m_saveProblem.clear();
        tell(RunEvent::Kind::kSaved, file.filename().string());
    } catch (const values::LabError& error) {  // a full disk must not cost the run
        m_saveProblem = error.what();
    }
}

void SessionRun::publishWeights() {
    m_weightsAtStep = m_trainer.stepsDone();
    m_channels.weights.publish(std::make_shared<const ModelHandle>(
        m_trainer.spec(), m_weightsAtStep, m_trainer.weights()));
}

void SessionRun::publish(bool always) {
    const auto now = Clock::now();
    if (!always && now - m_published < kScreenPeriod) {
        return;
    }
    m_published = now;
    m_snapshot.stepsPerSecond = m_throughput.stepsPerSecond();
    if (m_recorder != nullptr) {
        storage::RunProgress progress;
        progress.status = statusOf(m_snapshot.state);
        progress.step = m_snapshot.step;
        progress.cpuSeconds = m_snapshot.cpuSeconds;
        progress.loss = m_snapshot.loss;
        progress.accuracy =
            m_snapshot.evaluations.empty() ? -1 : m_snapshot.evaluations.back().value;
        progress.message = m_snapshot.message;
        m_recorder->setProgress(progress);
    }
    values::Snapshot shown = m_snapshot;
    for (const auto& problem :
         {m_saveProblem, m_recorder != nullptr ? m_recorder->problem() : std::string()}) {
        if (!problem.empty()) {
            shown.message += (shown.message.empty() ? "" : "\n") + problem;
        }
    }
    m_channels.snapshots.publish(std::move(shown));
}

void SessionRun::tell(RunEvent::Kind kind, const std::string& text) {
    const RunEvent event{kind, m_trainer.stepsDone(), text};
    m_channels.events.push(event);
    if (m_recorder != nullptr) {
        m_recorder->add(event);
    }
}

void SessionRun::tell(const std::vector<values::Metric>& metrics) {
    m_channels.metrics.pushAll(metrics);
    if (m_recorder != nullptr) {
        m_recorder->add(metrics);
    }
}

void SessionRun::end(RunState state, const std::string& message) {
    m_snapshot.state = state;
    m_snapshot.message = message;
    if (state == RunState::kDiverged && m_snapshot.savedAtStep >= 0) {
        m_snapshot.message +=
            fmt::format(". The checkpoint of step {} is good", m_snapshot.savedAtStep);
    }
    const bool diverged = state == RunState::kDiverged;
    tell(diverged ? RunEvent::Kind::kDiverged : RunEvent::Kind::kEnded,
         m_snapshot.message.empty() ? statusOf(state) : m_snapshot.message);
    if (m_weightsAtStep != m_trainer.stepsDone()) {
        publishWeights();
    }
    publish(/*always=*/true);
    if (m_recorder != nullptr) {
        m_recorder->flush();
    }
}

}  // namespace lab
