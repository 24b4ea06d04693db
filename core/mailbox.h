// Orders to a training thread, which looks at them at its step borders.
//
// Thread safety: take() and wait() by the training thread, everything else by any. No member waits
// but wait(). Orders do not queue: two equal ones before a border are one.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace lab {

struct Orders {
    bool stop = false;    ///< for good
    bool paused = false;  ///< until told otherwise
    bool stepOnce = false;
    bool checkpoint = false;
    bool weights = false;
    std::optional<double> rate;
};

class Mailbox {
public:
    void stop() {
        post([](Orders& orders) { orders.stop = true; });
    }
    void setPaused(bool paused) {
        post([=](Orders& orders) { orders.paused = paused; });
    }
    /// One step, then paused.
    void stepOnce() {
        post([](Orders& orders) { orders.paused = orders.stepOnce = true; });
    }
    void checkpoint() {
        post([](Orders& orders) { orders.checkpoint = true; });
    }
    void weights() {
        post([](Orders& orders) { orders.weights = true; });
    }
    void setRate(double rate) {
        post([=](Orders& orders) { orders.rate = rate; });
    }

    /// What stands now; orders for once are taken out.
    [[nodiscard]] Orders take() {
        const std::lock_guard lock(m_mutex);
        m_changed = false;
        Orders taken = m_orders;
        m_orders = {};
        m_orders.stop = taken.stop;
        m_orders.paused = taken.paused;
        return taken;
    }

    /// Until something was posted since the last take().
    void wait() {
        std::unique_lock lock(m_mutex);
        m_posted.wait(lock, [this] { return m_changed; });
    }

private:
    template <class F>
    void post(F change) {
        {
            const std::lock_guard lock(m_mutex);
            change(m_orders);
            m_changed = true;
        }
        m_posted.notify_one();
    }

    std::mutex m_mutex;
    std::condition_variable m_posted;
    Orders m_orders;         // guarded by m_mutex
    bool m_changed = false;  // guarded by m_mutex
};

}  // namespace lab
