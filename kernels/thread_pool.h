// A fixed set of threads that runs numbered chunks of a kernel call and waits for them.
//
// Thread safety: exec() and its calls from one thread at a time; a second caller waits. The calling
// thread works too, so a pool of 1 starts no thread. A kernel must not call its own pool.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "kernels/view.h"

namespace lab::kernels {

class ThreadPool {
public:
    /// `threads` >= 1, the caller included.
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Valid as long as the pool.
    [[nodiscard]] Exec exec() noexcept;

private:
    using Body = void (*)(void* context, int chunk);
    static void parallelFor(void* pool, int chunks, Body body, void* context);
    void run(int chunks, Body body, void* context);
    void work(int worker);
    void runShare(int worker) const;

    std::mutex m_callers;  // one call at a time
    std::mutex m_mutex;    // guards what follows
    std::condition_variable m_started, m_finished;
    Body m_body = nullptr;
    void* m_context = nullptr;
    int m_chunks = 0;
    int m_running = 0;    // workers that have not finished the current call
    unsigned m_call = 0;  // counts calls, so that a worker takes each once
    bool m_stopping = false;
    std::vector<std::jthread> m_threads;  // last: joined before what they use goes
};

}  // namespace lab::kernels
