#include "app/workbench.h"

#include <QUndoCommand>
#include <algorithm>

#include "core/catalog.h"
#include "core/values/lab_error.h"

namespace lab::app {

/// Two texts; typing that goes on becomes one step.
class TraceCommand final : public QUndoCommand {
public:
    TraceCommand(Workbench& bench, QString after)
        : QUndoCommand(Workbench::tr("Edit trace")),
          m_bench(bench),
          m_before(bench.reader.transcript()),
          m_after(std::move(after)),
          m_wasEdited(bench.demonstration().edited) {}
    void undo() override { m_bench.putTrace(m_before, m_wasEdited); }
    void redo() override { m_bench.putTrace(m_after, true); }

private:
    Workbench& m_bench;
    QString m_before, m_after;
    bool m_wasEdited;
};

Workbench::Workbench(std::filesystem::path store, QObject* parent)
    : QObject(parent), runs(std::move(store)), reader(runs) {
    clock.addSource(this, [this](double) {
        runs.poll();
        reader.poll();
        for (const auto& job : m_spacingJobs) {
            job->poll();
        }
        std::erase_if(m_spacingJobs, [](const auto& job) { return job->isDone(); });
    });
    connect(&document, &ExperimentDocument::specChanged, this, &Workbench::followSpec);
    connect(&runs, &RunController::ended, this, [this](int id) {
        const Run* run = runs.find(id);
        if (run != nullptr && run->model != nullptr) {
            measureSpacing(id);
        }
    });
    connect(&actions, &Actions::failed, this, &Workbench::trouble);
}

Workbench::~Workbench() = default;

void Workbench::openPreset(const QString& key) {
    document.reset(lab::preset(key.toStdString()));
}

bool Workbench::taskHasCups() const {
    return document.spec().task.kind == values::TaskKind::kReplTrace;
}

void Workbench::followSpec() {
    const values::TaskSpec& task = document.spec().task;
    const bool usable = taskHasCups() && document.problems().empty();
    if (usable && task != m_tracedTask && !m_demonstration.edited) {
        generateTrace(m_demonstration.length, m_demonstration.seed);
    }
}

void Workbench::generateTrace(values::TraceLength length, std::uint64_t seed) {
    const values::TaskSpec& task = document.spec().task;
    const std::string text = sampleText(task, length, seed);
    m_demonstration = {.length = length, .seed = seed, .edited = false};
    m_tracedTask = task;
    traceHistory.clear();
    emit cursorWanted(-1);
    reader.setTranscript(QString::fromStdString(text));
    emit demonstrationChanged();
}

void Workbench::nextTrace() {
    generateTrace(m_demonstration.length, m_demonstration.seed + 1);
}

void Workbench::editTrace(const QString& transcript) {
    if (transcript != reader.transcript()) {
        traceHistory.push(new TraceCommand(*this, transcript));
    }
}

void Workbench::putTrace(const QString& transcript, bool edited) {
    m_demonstration.edited = edited;
    reader.setTranscript(transcript);
    emit demonstrationChanged();
}

void Workbench::setMoment(widgets::StageMoment moment) {
    if (moment != m_moment) {
        m_moment = moment;
        emit momentChanged();
    }
}

void Workbench::chooseRun(int runId) {
    if (runId != m_chosenRun) {
        m_chosenRun = runId;
        emit chosenRunChanged();
    }
}

void Workbench::startTraining() {
    if (runs.activeCount() > 0) {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               tr("Models are training already: stop them first").toStdString());
    }
    if (!document.problems().empty()) {
        const values::Problem& first = document.problems().front();
        throw values::LabError(
            values::LabError::Kind::kInvalidInput,
            tr("Training cannot start: %1 %2")
                .arg(QString::fromStdString(first.field), QString::fromStdString(first.text))
                .toStdString());
    }
    runs.start(document.spec());
    const std::vector<Run*> current = runs.currentRuns();
    for (int slot = 0; slot < kReaderSlots; ++slot) {
        const auto at = static_cast<std::size_t>(slot);
        reader.setRun(slot, at < current.size() ? current[at]->id : 0);
    }
    chooseRun(current.front()->id);
}

void Workbench::showOnStages(int runId) {
    for (int slot = 0; slot < kReaderSlots; ++slot) {
        if (reader.runIn(slot) == runId) {
            return;
        }
    }
    for (int slot = 0; slot < kReaderSlots; ++slot) {
        if (reader.runIn(slot) == 0 || slot == kReaderSlots - 1) {
            reader.setRun(slot, runId);
            return;
        }
    }
}

void Workbench::openRun(const values::RunRecord& record) {
    const Run& run = runs.openRecorded(record);
    if (runs.activeCount() == 0 && !document.isDirty()) {
        document.reset(run.spec);
    }
    showOnStages(run.id);
    chooseRun(run.id);
    measureSpacing(run.id);
}

void Workbench::resumeTraining(int runId) {
    runs.resumeTraining(runId);
    showOnStages(runId);
}

void Workbench::measureSpacing(int runId) {
    Run* run = runs.find(runId);
    if (run == nullptr || run->model == nullptr) {
        throw values::LabError(
            values::LabError::Kind::kInvalidInput,
            tr("There are no weights to measure yet: train first").toStdString());
    }
    for (const auto& job : m_spacingJobs) {
        if (job->runId() == runId) {
            job->cancel();
        }
    }
    run->spacing.clear();
    run->spacingAtStep = stepOf(*run->model);
    auto job = std::make_unique<SpacingJob>(runId, run->model, run->spec);
    connect(job.get(), &SpacingJob::measured, this,
            [this](int id, const values::LengthAccuracy& accuracy) {
                if (Run* measured = runs.find(id); measured != nullptr) {
                    measured->spacing.push_back(accuracy);
                    emit spacingChanged(id);
                }
            });
    connect(job.get(), &SpacingJob::finished, this, &Workbench::spacingChanged);
    connect(job.get(), &SpacingJob::failed, this, &Workbench::trouble);
    m_spacingJobs.push_back(std::move(job));
    emit spacingChanged(runId);
}

bool Workbench::isMeasuring(int runId) const {
    return std::ranges::any_of(m_spacingJobs, [runId](const auto& job) {
        return job->runId() == runId && !job->isDone() && !job->isCancelled();
    });
}

}  // namespace lab::app
