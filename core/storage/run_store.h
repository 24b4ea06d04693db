// Where runs are recorded: one SQLite index, <store>/lab.sqlite, and a folder for each run,
// <store>/runs/<id>/ with experiment.toml and checkpoints/. Nothing in the index is an absolute
// path, so a store can be moved.
//
// Thread safety: an object belongs to one thread at a time; each has its own connection. Any number
// of objects and processes may use one store at once (WAL; a writer waits up to ten seconds).
// Failures are LabError{kInvalidInput}.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/values/experiment_spec.h"
#include "core/values/run_record.h"
#include "core/values/telemetry_records.h"

namespace lab::storage {

/// What changes in a run while it lives.
struct RunProgress {
    std::string status = "running";  ///< see values::RunRecord::status
    std::int64_t step = 0;
    double cpuSeconds = 0;
    double loss = 0;
    double accuracy = -1;
    std::string message;
};

class RunStore {
public:
    /// Creates the folder and the index, or brings an older index up to date after copying it to
    /// <store>/backups/. Refuses an index of a newer program.
    explicit RunStore(const std::filesystem::path& store);
    ~RunStore();
    RunStore(RunStore&&) noexcept;
    RunStore& operator=(RunStore&&) noexcept;

    /// True when there is an index to open: a reader need not create one.
    [[nodiscard]] static bool existsIn(const std::filesystem::path& store);

    /// A new run of a spec with one model: row and folder with experiment.toml, status "running",
    /// owned by this process.
    [[nodiscard]] values::RunRecord create(const values::ExperimentSpec& spec);
    /// Goes on with a run from `step`, as this process: later metrics and events are removed.
    [[nodiscard]] values::RunRecord resume(std::string_view id, std::int64_t step);

    /// One transaction: all or nothing.
    void append(std::string_view id, std::span<const values::Metric> metrics,
                std::span<const values::RunEvent> events);
    /// Also the heartbeat: `updated` becomes now.
    void update(std::string_view id, const RunProgress& progress);

    /// Newest first. "running" or "paused" reads "interrupted" when the process is gone.
    [[nodiscard]] std::vector<values::RunRecord> list() const;
    /// By id or a unique beginning of one; else LabError that says which runs begin so.
    [[nodiscard]] values::RunRecord find(std::string_view idOrBeginning) const;
    /// In the order in which they were appended. NaN stays NaN.
    [[nodiscard]] std::vector<values::Metric> metricsOf(std::string_view id) const;
    [[nodiscard]] std::vector<values::RunEvent> eventsOf(std::string_view id) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// In a run's folder.
[[nodiscard]] std::filesystem::path specFileOf(const values::RunRecord& run);
[[nodiscard]] std::filesystem::path checkpointFolderOf(const values::RunRecord& run);

}  // namespace lab::storage
