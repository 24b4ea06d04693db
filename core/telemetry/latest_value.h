// Hands the newest value from a producer thread to a consumer thread.
//
// Thread safety: any member, any thread. publish() never waits for the consumer; an unread value
// is replaced. A published value is immutable, so the consumer may keep it as long as it likes.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace lab::telemetry {

template <class T>
class LatestValue {
public:
    void publish(T value) { publish(std::make_shared<const T>(std::move(value))); }
    void publish(std::shared_ptr<const T> next) {
        const std::lock_guard lock(m_mutex);
        m_unread.swap(next);
    }  // the replaced value is freed after the lock

    /// The newest unread value, or null.
    [[nodiscard]] std::shared_ptr<const T> take() {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_unread, nullptr);
    }

private:
    std::mutex m_mutex;
    std::shared_ptr<const T> m_unread;  // guarded by m_mutex
};

}  // namespace lab::telemetry
