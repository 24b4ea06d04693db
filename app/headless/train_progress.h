// What a person sees on standard error while a model trains.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "core/values/telemetry_records.h"

namespace lab::headless {

/// On a terminal one line is written over a few times a second; elsewhere a line is printed for
/// each evaluation. Events have lines of their own.
class TrainProgress {
public:
    /// `quiet`: nothing but what goes wrong.
    TrainProgress(std::string model, bool quiet);
    ~TrainProgress();
    TrainProgress(const TrainProgress&) = delete;
    TrainProgress& operator=(const TrainProgress&) = delete;

    void show(const values::Snapshot& snapshot);
    void show(const std::vector<values::RunEvent>& events);

private:
    void endLine();

    std::string m_model;
    bool m_quiet;
    bool m_rewrites;
    bool m_lineOpen = false;
    std::int64_t m_evaluatedAt = -1;
    std::chrono::steady_clock::time_point m_shown{};
};

}  // namespace lab::headless
