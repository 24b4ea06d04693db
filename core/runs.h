// Recorded runs: the SQLite index and the folders beside it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/session.h"
#include "core/values/run_record.h"
#include "core/values/telemetry_records.h"

namespace lab {

/// $XDG_DATA_HOME/thimblerig (or ~/.local/share/thimblerig).
[[nodiscard]] std::filesystem::path defaultStore();

/// Newest first. A run whose process is gone reads "interrupted".
[[nodiscard]] std::vector<values::RunRecord> listRuns(const std::filesystem::path& store);
/// By id or a unique beginning of one; LabError{kInvalidInput} otherwise.
[[nodiscard]] values::RunRecord findRun(const std::filesystem::path& store, std::string_view id);
[[nodiscard]] std::vector<values::Metric> metricsOf(const std::filesystem::path& store,
                                                    std::string_view id);
[[nodiscard]] values::ExperimentSpec specOf(const values::RunRecord& run);
/// The last checkpoint. LabError{kInvalidInput} when it is missing or refused.
[[nodiscard]] std::shared_ptr<const ModelHandle> loadModel(const values::RunRecord& run);
/// Accuracy of a checkpoint on the spec's evaluation sets, or on `lengths` when not empty.
[[nodiscard]] std::vector<values::LengthAccuracy> evaluate(
    const ModelHandle& model, const values::ExperimentSpec& spec,
    const std::vector<values::TraceLength>& lengths);

}  // namespace lab
