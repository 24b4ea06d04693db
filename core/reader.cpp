#include "core/reader.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "core/model_handle.h"
#include "core/reading/exact_reading.h"
#include "core/reading/model_reading.h"

namespace lab {

std::variant<values::TraceReading, values::TranscriptProblem> readTranscript(
    std::string_view transcript) {
    return reading::readExactly(transcript);
}

struct Reader::Impl {
    void loop(const std::stop_token& stop) {
        std::unique_lock lock(mutex);
        while (changed.wait(lock, stop, [this] { return wanted != done; })) {
            done = wanted.load();
            const auto handle = model;
            const auto text = transcript;
            lock.unlock();
            if (text) {
                readOnce(handle, *text, stop);
            }
            lock.lock();
        }
    }

    /// Nothing escapes: what fails becomes the reading's modelProblem.
    void readOnce(const std::shared_ptr<const ModelHandle>& handle, const std::string& text,
                  const std::stop_token& stop) {
        const auto overtaken = [&] { return stop.stop_requested() || wanted != done; };
        auto result = reading::readExactly(text);
        values::TraceReading reading;
        if (auto* exact = std::get_if<values::TraceReading>(&result)) {
            reading = std::move(*exact);
        } else {
            reading.transcript = text;
            reading.modelProblem = std::get<values::TranscriptProblem>(result).message;
        }
        try {
            modelReader.setModel(handle);
            if (!modelReader.fill(reading, overtaken)) {
                return;
            }
        } catch (const std::exception& error) {
            reading.modelProblem = error.what();
        }
        readings.publish(std::move(reading));
    }

    template <class F>
    void change(F apply) {
        {
            const std::lock_guard lock(mutex);
            apply();
            ++wanted;
        }
        changed.notify_one();
    }

    reading::ModelReader modelReader;  // used by `thread` alone
    telemetry::LatestValue<values::TraceReading> readings;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::shared_ptr<const ModelHandle> model;  // these guarded by mutex
    std::optional<std::string> transcript;
    std::atomic<std::uint64_t> wanted = 0;  // written under mutex, read by `overtaken` without
    std::atomic<std::uint64_t> done = 0;
    std::jthread thread{[this](const std::stop_token& stop) { loop(stop); }};  // last
};

Reader::Reader() : m_impl(std::make_unique<Impl>()) {}

Reader::~Reader() = default;

void Reader::setModel(std::shared_ptr<const ModelHandle> model) {
    m_impl->change([&] { m_impl->model = std::move(model); });
}

void Reader::setTranscript(std::string transcript) {
    m_impl->change([&] { m_impl->transcript = std::move(transcript); });
}

telemetry::LatestValue<values::TraceReading>& Reader::readings() noexcept {
    return m_impl->readings;
}

std::string nameOf(const ModelHandle& model) {
    return values::displayName(model.spec().models.front());
}

std::int64_t stepOf(const ModelHandle& model) {
    return model.step();
}

}  // namespace lab
