// Writes what a run tells to the store, about once a second, on a thread of its own, so that no
// training step waits for a disk.
//
// Thread safety: any member, any thread. Nothing is lost but by a failing disk: then `problem` says
// so, and the run goes on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/storage/run_store.h"

namespace lab {

class Recorder {
public:
    /// Records `run`, made or resumed in `store` by the caller. LabError when the store cannot be
    /// opened.
    Recorder(storage::RunStore store, values::RunRecord run);
    ~Recorder();  ///< writes what is left, stops and joins
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    [[nodiscard]] const values::RunRecord& run() const noexcept;
    void add(const std::vector<values::Metric>& metrics);
    void add(const values::RunEvent& event);
    void setProgress(const storage::RunProgress& progress);
    void flush();  ///< returns when everything added before is written

    [[nodiscard]] std::string problem() const;  ///< why the newest write failed; empty: it did not

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lab
