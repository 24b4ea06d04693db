// Fractions and doubles as the rows of a belief report show them.
#pragma once

#include <string>

#include "core/files.h"
#include "tasks/fraction.h"

namespace lab::storage {

[[nodiscard]] inline std::string fractionText(double) {
    return "";
}
[[nodiscard]] inline std::string fractionText(const tasks::Fraction& value) {
    return tasks::textOf(value);
}

template <class Number>
[[nodiscard]] StateBelief stateBelief(std::string state, const Number& mass) {
    return {std::move(state), fractionText(mass), tasks::toDouble(mass)};
}

template <class Number>
void setStep(BeliefRow& row, const Number& probability) {
    row.stepFraction = fractionText(probability);
    row.stepProbability = tasks::toDouble(probability);
}

}  // namespace lab::storage
