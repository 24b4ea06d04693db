// A run at a step border as one safetensors file: weights, the optimiser's moments and every number
// that the next step depends on, so that going on from it gives the same bits as never having
// stopped.
//
// Tensors: each parameter by its name, "adam.first/<name>" and "adam.second/<name>". Numbers are in
// the metadata as the shortest text that reads back exactly. The file is old or new, never half
// (core/storage/atomic_file.h). A file that cannot be used is LabError{kInvalidInput}.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "core/training/curriculum.h"

namespace lab::training {

/// By name; on the CPU, contiguous, sharing nothing with a model that trains.
using Weights = std::map<std::string, at::Tensor>;

struct Checkpoint {
    std::int64_t step = 0, tokens = 0;
    double cpuSeconds = 0;
    double peakRate = 0;      ///< a person may have changed it
    int goodEvaluations = 0;  ///< in a row, for the early stop
    CurriculumState curriculum;
    Weights weights, first, second;  ///< equal keys and shapes
    std::string experiment;          ///< the spec as TOML, so that the file stands alone
};

void writeCheckpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
[[nodiscard]] Checkpoint readCheckpoint(const std::filesystem::path& file);

/// "step-000000500.safetensors": sorts by step.
[[nodiscard]] std::string checkpointFileName(std::int64_t step);
/// The one of the highest step in a folder; empty when there is none.
[[nodiscard]] std::filesystem::path newestCheckpoint(const std::filesystem::path& folder);
/// Deletes all but the `count` newest checkpoints of a folder.
void keepNewestCheckpoints(const std::filesystem::path& folder, int count);

}  // namespace lab::training
