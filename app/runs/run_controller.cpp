#include "app/runs/run_controller.h"

#include <QElapsedTimer>
#include <QThread>
#include <algorithm>

#include "core/runs.h"
#include "core/values/lab_error.h"

namespace lab::app {
namespace {

Session::Options optionsFor(const std::filesystem::path& store, const QString& resumeId = {}) {
    return {.store = store, .resumeRunId = resumeId.toStdString(), .background = true};
}

values::RunState stateFrom(const std::string& status) {
    if (status == "finished") {
        return values::RunState::kFinished;
    }
    if (status == "diverged") {
        return values::RunState::kDiverged;
    }
    if (status == "failed") {
        return values::RunState::kFailed;
    }
    return values::RunState::kStopped;  // stopped by a person, or its process went away
}

/// What a recorded run can still tell about its last moment.
values::Snapshot snapshotOf(const values::RunRecord& record, const RunCurves& curves,
                            const values::ExperimentSpec& spec) {
    values::Snapshot snapshot;
    snapshot.state = stateFrom(record.status);
    snapshot.step = record.step;
    snapshot.steps = record.steps;
    snapshot.cpuSeconds = record.cpuSeconds;
    snapshot.loss = record.loss;
    snapshot.message = record.message;
    snapshot.savedAtStep = record.step;
    for (const values::TraceLength& length : spec.evaluation.lengths) {
        const Curve& curve =
            curves.curve(QStringLiteral("accuracy@%1,%2").arg(length.commands).arg(length.spacing));
        if (!curve.empty()) {
            values::LengthAccuracy& newest = snapshot.evaluations.emplace_back();
            newest.length = length;
            newest.value = curve.value.back();
            snapshot.evaluatedAtStep = static_cast<std::int64_t>(curve.step.back());
        }
    }
    return snapshot;
}

}  // namespace

RunController::RunController(std::filesystem::path store, QObject* parent)
    : QObject(parent), m_store(std::move(store)) {}

RunController::~RunController() {
    stopAll();
}

template <class Action>
void RunController::forActive(Action action) const {
    for (const auto& run : m_runs) {
        if (run->isActive()) {
            action(*run);
        }
    }
}

Run* RunController::find(int id) const {
    const auto found =
        std::ranges::find_if(m_runs, [id](const auto& run) { return run->id == id; });
    return found == m_runs.end() ? nullptr : found->get();
}

std::vector<Run*> RunController::currentRuns() const {
    std::vector<Run*> current;
    for (const auto& run : m_runs) {
        if (run->current) {
            current.push_back(run.get());
        }
    }
    return current;
}

int RunController::activeCount() const {
    int count = 0;
    forActive([&count](const Run&) { ++count; });
    return count;
}

bool RunController::allPaused() const {
    bool paused = activeCount() > 0;
    forActive([&paused](const Run& run) {
        paused = paused && run.snapshot.state == values::RunState::kPaused;
    });
    return paused;
}

QString RunController::freeName(const values::ExperimentSpec& spec) const {
    const QString base = QString::fromStdString(values::displayName(spec.models.front()));
    QString name = base;
    const auto taken = [this](const QString& wanted) {
        return std::ranges::any_of(m_runs, [&](const auto& run) { return run->name == wanted; });
    };
    for (int number = 2; taken(name); ++number) {
        name = QStringLiteral("%1 #%2").arg(base).arg(number);
    }
    return name;
}

Run& RunController::add(values::ExperimentSpec spec) {
    auto run = std::make_unique<Run>();
    run->id = m_nextId++;
    run->name = freeName(spec);
    run->snapshot.steps = spec.training.steps;
    run->peakRate = spec.training.learningRate;
    run->spec = std::move(spec);
    m_runs.push_back(std::move(run));
    return *m_runs.back();
}

void RunController::start(const values::ExperimentSpec& spec) {
    std::vector<std::unique_ptr<Session>> sessions;  // all are made before the first one starts
    for (int i = 0; i < static_cast<int>(spec.models.size()); ++i) {
        sessions.push_back(
            std::make_unique<Session>(values::onlyModel(spec, i), optionsFor(m_store)));
    }
    for (const auto& run : m_runs) {
        run->current = false;
    }
    for (auto& session : sessions) {
        Run& run = add(session->spec());
        run.current = true;
        run.session = std::move(session);
        run.session->start();
        run.recordId = QString::fromStdString(run.session->runId());
    }
    emit listChanged();
}

Run& RunController::openRecorded(const values::RunRecord& record) {
    const QString id = QString::fromStdString(record.id);
    const auto open =
        std::ranges::find_if(m_runs, [&](const auto& run) { return run->recordId == id; });
    if (open != m_runs.end()) {
        return **open;
    }
    auto spec = specOf(record);
    const auto metrics = metricsOf(m_store, record.id);
    auto model = loadModel(record);
    Run& run = add(std::move(spec));
    run.recordId = id;
    run.curves.append(metrics);
    run.model = std::move(model);
    run.modelAt = std::chrono::steady_clock::now();
    run.snapshot = snapshotOf(record, run.curves, run.spec);
    emit listChanged();
    emit modelArrived(run.id);
    return run;
}

void RunController::resumeTraining(int id) {
    Run* run = find(id);
    if (run == nullptr || run->isActive() || run->recordId.isEmpty()) {
        throw values::LabError(
            values::LabError::Kind::kInvalidInput,
            tr("Only a recorded run that is not training can be resumed").toStdString());
    }
    auto session = std::make_unique<Session>(run->spec, optionsFor(m_store, run->recordId));
    run->session = std::move(session);
    run->snapshot.state = values::RunState::kWaiting;
    run->current = true;
    run->session->start();
    run->recordId = QString::fromStdString(run->session->runId());
    emit stateChanged(id);
    emit listChanged();
}

void RunController::remove(int id) {
    std::erase_if(m_runs, [id](const auto& run) { return run->id == id && !run->isActive(); });
    emit listChanged();
}

void RunController::pauseAll() {
    forActive([](Run& run) { run.session->pause(); });
}

void RunController::resumeAll() {
    forActive([](Run& run) { run.session->resume(); });
}

void RunController::stepAll() {
    forActive([](Run& run) { run.session->stepOnce(); });
}

void RunController::stopAll() {
    forActive([](Run& run) { run.session->requestStop(); });
}

void RunController::checkpointAll() {
    forActive([](Run& run) { run.session->requestCheckpoint(); });
}

void RunController::setLearningRate(double rate) {
    forActive([rate](Run& run) {
        run.peakRate = rate;
        run.session->setLearningRate(rate);
    });
}

void RunController::setShown(int id, bool shown) {
    if (Run* run = find(id); run != nullptr && run->shown != shown) {
        run->shown = shown;
        emit listChanged();
    }
}

void RunController::requestWeights(int id) {
    if (Run* run = find(id); run != nullptr && run->isActive()) {
        run->session->requestWeights();
    }
}

void RunController::poll() {
    bool any = false;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {  // a slot may add or remove runs
        if (m_runs[i]->session != nullptr) {
            any = take(*m_runs[i]) || any;
        }
    }
    if (any) {
        emit advanced();
    }
}

bool RunController::take(Run& run) {
    const auto snapshot = run.session->snapshots().take();
    const auto metrics = run.session->metrics().takeAll();
    const auto events = run.session->events().takeAll();
    run.curves.append(metrics);
    run.events.insert(run.events.end(), events.begin(), events.end());
    if (auto model = run.session->weights().take()) {
        run.model = std::move(model);
        run.modelAt = std::chrono::steady_clock::now();
        emit modelArrived(run.id);
    }
    if (snapshot != nullptr) {
        const values::RunState before = run.snapshot.state;
        run.snapshot = *snapshot;
        noteState(run, before);
    }
    return snapshot != nullptr || !metrics.empty();
}

void RunController::noteState(Run& run, values::RunState before) {
    if (run.snapshot.state == before) {
        return;
    }
    emit stateChanged(run.id);
    if (values::hasEnded(run.snapshot.state)) {
        emit ended(run.id);
    }
}

bool RunController::waitForEnd(int milliseconds) {
    QElapsedTimer time;
    time.start();
    while (activeCount() > 0 && time.elapsed() < milliseconds) {
        poll();
        QThread::msleep(5);
    }
    return activeCount() == 0;
}

}  // namespace lab::app
