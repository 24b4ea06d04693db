// Draws the first values of a model's parameters, each from a stream of its own.
//
// The stream of parameter number i is (seed, Stream::kWeights, i), so adding a parameter at the end
// changes no other. Values are drawn in double and rounded, so both precisions start alike.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>
#include <vector>

#include "core/models/sequence_model.h"
#include "tasks/rng.h"

namespace lab::models {

class Weights {
public:
    /// Appends to `into`, in the order of the calls.
    Weights(const ModelConfig& config, std::vector<Parameter>& into)
        : m_config(config), m_into(into) {}

    /// Uniform in (-bound, bound).
    at::Tensor uniform(const std::string& name, at::IntArrayRef sizes, double bound);
    /// [outputs, inputs], uniform in +-1 / sqrt(inputs).
    at::Tensor linear(const std::string& name, std::int64_t outputs, std::int64_t inputs);
    at::Tensor normal(const std::string& name, at::IntArrayRef sizes, double deviation = 1.0);
    at::Tensor constant(const std::string& name, at::IntArrayRef sizes, double value);
    /// Each element from `draw`. A matrix decays unless it may not.
    at::Tensor drawn(const std::string& name, at::IntArrayRef sizes,
                     const std::function<double(tasks::Rng&)>& draw, bool mayDecay = true);

private:
    const ModelConfig& m_config;
    std::vector<Parameter>& m_into;
};

}  // namespace lab::models
