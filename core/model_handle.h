// What a shared_ptr<const ModelHandle> holds. Inside core only: the door declares the class alone.
//
// Thread safety: immutable; the tensors are on the CPU and shared with nobody who writes.
#pragma once

#include <cstdint>
#include <utility>

#include "core/training/checkpoint.h"
#include "core/values/experiment_spec.h"

namespace lab {

class ModelHandle {
public:
    /// `spec` has one model.
    ModelHandle(values::ExperimentSpec spec, std::int64_t step, training::Weights weights)
        : m_spec(std::move(spec)), m_step(step), m_weights(std::move(weights)) {}

    [[nodiscard]] const values::ExperimentSpec& spec() const noexcept { return m_spec; }
    [[nodiscard]] std::int64_t step() const noexcept { return m_step; }
    [[nodiscard]] const training::Weights& weights() const noexcept { return m_weights; }

private:
    values::ExperimentSpec m_spec;
    std::int64_t m_step;
    training::Weights m_weights;
};

}  // namespace lab
