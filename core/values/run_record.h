// One run as the index knows it.
#pragma once

#include <cstdint>
#include <string>

namespace lab::values {

struct RunRecord {
    std::string id;       ///< sortable by time, unique; also the name of its folder
    std::string name;     ///< experiment name
    std::string model;    ///< displayName of its model
    std::string status;   ///< "running", "paused", "finished", "stopped", "diverged", "failed",
                          ///< "interrupted"
    std::string created;  ///< ISO 8601, UTC
    std::string updated;
    std::string folder;  ///< absolute path: experiment.toml and checkpoints/
    std::uint64_t seed = 0;
    std::int64_t step = 0, steps = 0;
    double cpuSeconds = 0;
    double loss = 0;
    double accuracy = 0;  ///< at the last evaluation length, newest; -1 before the first
    std::string message;
};

}  // namespace lab::values
