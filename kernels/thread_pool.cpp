// Worker w of n runs chunks w, w + n, w + 2n, ...: the partition is fixed, nothing is stolen.
#include "kernels/thread_pool.h"

#include <algorithm>

namespace lab::kernels {

ThreadPool::ThreadPool(int threads) {
    for (int worker = 1; worker < std::max(threads, 1); ++worker) {
        m_threads.emplace_back([this, worker] { work(worker); });
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_started.notify_all();
}

Exec ThreadPool::exec() noexcept {
    return {static_cast<int>(m_threads.size()) + 1, &ThreadPool::parallelFor, this};
}

void ThreadPool::parallelFor(void* pool, int chunks, Body body, void* context) {
    static_cast<ThreadPool*>(pool)->run(chunks, body, context);
}

void ThreadPool::run(int chunks, Body body, void* context) {
    const std::lock_guard caller(m_callers);
    {
        const std::lock_guard lock(m_mutex);
        m_body = body;
        m_context = context;
        m_chunks = chunks;
        m_running = static_cast<int>(m_threads.size());
        ++m_call;
    }
    m_started.notify_all();
    runShare(0);
    std::unique_lock lock(m_mutex);
    m_finished.wait(lock, [this] { return m_running == 0; });
}

void ThreadPool::runShare(int worker) const {
    const int step = static_cast<int>(m_threads.size()) + 1;
    for (int chunk = worker; chunk < m_chunks; chunk += step) {
        m_body(m_context, chunk);
    }
}

void ThreadPool::work(int worker) {
    unsigned seen = 0;
    for (;;) {
        {
            std::unique_lock lock(m_mutex);
            m_started.wait(lock, [&] { return m_stopping || m_call != seen; });
            if (m_stopping) {
                return;
            }
            seen = m_call;
        }
        runShare(worker);
        const std::lock_guard lock(m_mutex);
        if (--m_running == 0) {
            m_finished.notify_one();
        }
    }
}

}  // namespace lab::kernels
