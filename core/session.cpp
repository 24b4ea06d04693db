#include "core/session.h"

#include <malloc.h>

#include <mutex>
#include <thread>

#include "core/model_handle.h"
#include "core/session_run.h"
#include "core/storage/atomic_file.h"
#include "core/storage/spec_toml.h"
#include "core/values/lab_error.h"

namespace lab {
namespace {

using values::LabError;

/// The newest checkpoint of a recorded run, restored into `trainer`.
training::Checkpoint restoreNewest(training::Trainer& trainer, const values::RunRecord& run) {
    const auto file = training::newestCheckpoint(storage::checkpointFolderOf(run));
    if (file.empty()) {
        throw LabError(LabError::Kind::kInvalidInput,
                       "run " + run.id + " has no checkpoint to go on from; start it anew");
    }
    auto checkpoint = training::readCheckpoint(file);
    trainer.restore(checkpoint);
    return checkpoint;
}

/// Task, model and seed are what the weights and the batches so far belong to; the rest may change.
void requireSameExperiment(const values::ExperimentSpec& spec, const values::RunRecord& run) {
    const auto file = storage::specFileOf(run);
    const std::string text = storage::readWhole(file);
    const auto recorded = storage::fromToml(text, file.string());
    if (recorded.task != spec.task || recorded.models != spec.models ||
        recorded.seed != spec.seed) {
        throw LabError(LabError::Kind::kInvalidInput,
                       "run " + run.id +
                           " was recorded with another task, model or seed; to go on with it, "
                           "change nothing but training and evaluation");
    }
    if (recorded != spec) {
        storage::writeAtomically(file, storage::toToml(spec, text));
    }
}

}  // namespace

void tuneAllocator() noexcept {
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);  // the most that glibc takes; more is refused
    (void)mallopt(M_TRIM_THRESHOLD, 2047 << 20);
}

struct Session::Impl {
    Impl(values::ExperimentSpec spec, Options given)
        : options(std::move(given)), trainer(std::move(spec)) {
        std::int64_t savedAtStep = -1;
        if (!options.store.empty()) {
            savedAtStep = openRecord();
        }
        run = std::make_unique<SessionRun>(trainer, mailbox, channels, recorder.get(), savedAtStep);
    }

    ~Impl() {
        mailbox.stop();
        if (thread.joinable()) {
            thread.join();
        } else if (recorder && !started) {
            storage::RunProgress unstarted;
            unstarted.status = "stopped";
            unstarted.step = trainer.stepsDone();
            recorder->setProgress(unstarted);
        }
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    /// The step of the checkpoint that the run goes on from; -1: a new run.
    std::int64_t openRecord() {
        storage::RunStore store(options.store);
        if (options.resumeRunId.empty()) {
            auto made = store.create(trainer.spec());
            recorder = std::make_unique<Recorder>(std::move(store), std::move(made));
            return -1;
        }
        const auto found = store.find(options.resumeRunId);
        requireSameExperiment(trainer.spec(), found);
        const auto checkpoint = restoreNewest(trainer, found);
        auto resumed = store.resume(found.id, checkpoint.step);
        recorder = std::make_unique<Recorder>(std::move(store), std::move(resumed));
        return checkpoint.step;
    }

    void publishWeights() {
        channels.weights.publish(std::make_shared<const ModelHandle>(
            trainer.spec(), trainer.stepsDone(), trainer.weights()));
    }

    Options options;
    training::Trainer trainer;  // after start(): used by `thread` alone, until it has ended
    Mailbox mailbox;
    RunChannels channels;
    std::unique_ptr<Recorder> recorder;  // null: nothing is recorded
    std::unique_ptr<SessionRun> run;
    bool started = false;
    std::thread thread;
    std::atomic<bool> ended = false;
    std::mutex endMutex;  // between the end of the thread and a request for weights
};

Session::Session(values::ExperimentSpec spec, Options options)
    : m_impl(std::make_unique<Impl>(std::move(spec), std::move(options))) {}

Session::~Session() = default;

void Session::start() {
    if (m_impl->started) {
        return;
    }
    m_impl->started = true;
    m_impl->thread = std::thread([impl = m_impl.get()] {
        impl->run->run(impl->options.background);
        const std::lock_guard lock(impl->endMutex);
        impl->ended = true;
        if (impl->mailbox.take().weights) {  // asked for while the run was ending
            impl->publishWeights();
        }
    });
}

void Session::requestStop() noexcept {
    m_impl->mailbox.stop();
}
void Session::pause() noexcept {
    m_impl->mailbox.setPaused(true);
}
void Session::resume() noexcept {
    m_impl->mailbox.setPaused(false);
}
void Session::stepOnce() noexcept {
    m_impl->mailbox.stepOnce();
}
void Session::setLearningRate(double rate) noexcept {
    m_impl->mailbox.setRate(rate);
}
void Session::requestCheckpoint() noexcept {
    m_impl->mailbox.checkpoint();
}

void Session::requestWeights() noexcept {
    const std::lock_guard lock(m_impl->endMutex);
    if (!m_impl->ended) {
        m_impl->mailbox.weights();
        return;
    }
    m_impl->publishWeights();
}

void Session::wait() {
    if (m_impl->thread.joinable()) {
        m_impl->thread.join();
    }
}

const values::ExperimentSpec& Session::spec() const noexcept {
    return m_impl->trainer.spec();
}

std::string Session::runId() const {
    return m_impl->recorder ? m_impl->recorder->run().id : std::string();
}

telemetry::LatestValue<values::Snapshot>& Session::snapshots() noexcept {
    return m_impl->channels.snapshots;
}
telemetry::EventQueue<values::Metric>& Session::metrics() noexcept {
    return m_impl->channels.metrics;
}
telemetry::EventQueue<values::RunEvent>& Session::events() noexcept {
    return m_impl->channels.events;
}
telemetry::LatestValue<ModelHandle>& Session::weights() noexcept {
    return m_impl->channels.weights;
}

}  // namespace lab
