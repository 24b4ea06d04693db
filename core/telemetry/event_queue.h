// Hands every value, in order, from producer threads to one consumer thread.
//
// Thread safety: any member, any thread. push() never waits for the consumer; nothing is lost or
// thinned. The consumer takes the whole backlog at once, so a lock is held for a pointer swap
// alone.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

namespace lab::telemetry {

template <class T>
class EventQueue {
public:
    void push(T value) {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back(std::move(value));
    }
    void pushAll(const std::vector<T>& values) {
        const std::lock_guard lock(m_mutex);
        m_waiting.insert(m_waiting.end(), values.begin(), values.end());
    }

    /// Everything pushed since the last call, oldest first.
    [[nodiscard]] std::vector<T> takeAll() {
        std::vector<T> taken;
        const std::lock_guard lock(m_mutex);
        taken.swap(m_waiting);
        return taken;
    }

private:
    std::mutex m_mutex;
    std::vector<T> m_waiting;  // guarded by m_mutex
};

}  // namespace lab::telemetry
