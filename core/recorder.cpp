#include "core/recorder.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace lab {

struct Recorder::Impl {
    Impl(storage::RunStore opened, values::RunRecord record)
        : store(std::move(opened)),
          run(std::move(record)),
          writer([this](const std::stop_token& stop) { loop(stop); }) {}

    void loop(const std::stop_token& stop) noexcept {
        std::unique_lock lock(mutex);
        while (!stop.stop_requested()) {
            wake.wait_for(lock, stop, std::chrono::seconds(1), [this] { return flushWanted; });
            flushWanted = false;
            writeOnce(lock);
            ++rounds;
            written.notify_all();
        }
        writeOnce(lock);
    }

    /// Takes the backlog under the lock and writes it without.
    void writeOnce(std::unique_lock<std::mutex>& lock) noexcept {
        const auto newMetrics = std::exchange(metrics, {});
        const auto newEvents = std::exchange(events, {});
        const auto newProgress = progress;
        lock.unlock();
        std::string failure;
        bool appended = false;
        try {
            if (!newMetrics.empty() || !newEvents.empty()) {
                store.append(run.id, newMetrics, newEvents);
            }
            appended = true;
            store.update(run.id, newProgress);
        } catch (const std::exception& error) {
            failure = error.what();
        }
        lock.lock();
        problem = failure;
        if (!appended) {  // to be tried again with the next batch
            metrics.insert(metrics.begin(), newMetrics.begin(), newMetrics.end());
            events.insert(events.begin(), newEvents.begin(), newEvents.end());
        }
    }

    storage::RunStore store;  // used by `writer` alone
    const values::RunRecord run;
    mutable std::mutex mutex;
    std::condition_variable_any wake, written;
    std::vector<values::Metric> metrics;  // these guarded by mutex
    std::vector<values::RunEvent> events;
    storage::RunProgress progress;
    std::string problem;
    bool flushWanted = false;
    std::uint64_t rounds = 0;
    std::jthread writer;  // last: joined before what it uses goes
};

Recorder::Recorder(storage::RunStore store, values::RunRecord run)
    : m_impl(std::make_unique<Impl>(std::move(store), std::move(run))) {}

Recorder::~Recorder() = default;

const values::RunRecord& Recorder::run() const noexcept {
    return m_impl->run;
}

void Recorder::add(const std::vector<values::Metric>& metrics) {
    const std::lock_guard lock(m_impl->mutex);
    m_impl->metrics.insert(m_impl->metrics.end(), metrics.begin(), metrics.end());
}

void Recorder::add(const values::RunEvent& event) {
    const std::lock_guard lock(m_impl->mutex);
    m_impl->events.push_back(event);
}

void Recorder::setProgress(const storage::RunProgress& progress) {
    const std::lock_guard lock(m_impl->mutex);
    m_impl->progress = progress;
}

void Recorder::flush() {
    std::unique_lock lock(m_impl->mutex);
    // The round under way may have begun before the caller's last add: wait for the one after it.
    const auto enough = m_impl->rounds + 2;
    while (m_impl->rounds < enough) {
        m_impl->flushWanted = true;
        m_impl->wake.notify_all();
        m_impl->written.wait_for(lock, std::chrono::milliseconds(50));
    }
}

std::string Recorder::problem() const {
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->problem;
}

}  // namespace lab
