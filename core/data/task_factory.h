// From the description of a task to the task.
#pragma once

#include <memory>

#include "core/values/experiment_spec.h"
#include "tasks/task.h"

namespace lab::data {

/// LabError{kInvalidInput} when the task has problems (values::problemsIn).
[[nodiscard]] std::unique_ptr<tasks::Task> makeTask(const values::TaskSpec& spec);

[[nodiscard]] tasks::Length lengthOf(values::TraceLength length) noexcept;

}  // namespace lab::data
