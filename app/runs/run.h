// One run as the window knows it: training now, ended, or opened from the store.
#pragma once

#include <QString>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "app/runs/run_curves.h"
#include "core/session.h"
#include "core/values/experiment_spec.h"
#include "core/values/telemetry_records.h"

namespace lab::app {

struct Run {
    int id = 0;                   ///< unique in this process
    QString name;                 ///< of its model, with "#2" where it would repeat
    values::ExperimentSpec spec;  ///< with this model alone
    QString recordId;             ///< in the store; empty when not recorded
    bool current = false;         ///< of the newest start, not an earlier run kept for comparison
    double peakRate = 0;          ///< learning rate at the top of the schedule, as last set
    bool shown = true;            ///< its curves are drawn
    std::unique_ptr<Session> session;  ///< null: opened from the store
    values::Snapshot snapshot;
    RunCurves curves;
    std::vector<values::RunEvent> events;
    std::shared_ptr<const ModelHandle> model;  ///< newest weights seen; null: none yet
    std::chrono::steady_clock::time_point modelAt;
    std::vector<values::LengthAccuracy> spacing;  ///< accuracy over spacing, as far as measured
    std::int64_t spacingAtStep = -1;              ///< training step of that measurement

    [[nodiscard]] bool isActive() const {
        return session != nullptr && !values::hasEnded(snapshot.state);
    }
};

}  // namespace lab::app
