#include "core/models/weights.h"

#include <ATen/ops/empty.h>

#include <cmath>

namespace lab::models {

at::Tensor Weights::drawn(const std::string& name, at::IntArrayRef sizes,
                          const std::function<double(tasks::Rng&)>& draw, bool mayDecay) {
    const at::TensorOptions options =
        at::TensorOptions().dtype(m_config.doublePrecision ? at::kDouble : at::kFloat);
    at::Tensor value;
    if (m_config.shapesOnly) {
        value = at::empty(sizes, options.device(at::kMeta));
    } else {
        value = at::empty(sizes, at::TensorOptions().dtype(at::kDouble));
        tasks::Rng rng(m_config.seed, tasks::Stream::kWeights, m_into.size());
        auto* const numbers = value.mutable_data_ptr<double>();
        for (std::int64_t i = 0; i < value.numel(); ++i) {
            numbers[i] = draw(rng);
        }
        value = value.to(options.device(m_config.cuda ? at::kCUDA : at::kCPU));
    }
    value.requires_grad_(true);
    m_into.push_back({.name = name, .value = value, .decays = mayDecay && sizes.size() >= 2});
    return value;
}

at::Tensor Weights::uniform(const std::string& name, at::IntArrayRef sizes, double bound) {
    return drawn(name, sizes, [bound](tasks::Rng& rng) { return bound * (2 * rng.uniform() - 1); });
}

at::Tensor Weights::linear(const std::string& name, std::int64_t outputs, std::int64_t inputs) {
    return uniform(name, {outputs, inputs}, 1 / std::sqrt(static_cast<double>(inputs)));
}

at::Tensor Weights::normal(const std::string& name, at::IntArrayRef sizes, double deviation) {
    return drawn(name, sizes, [deviation](tasks::Rng& rng) { return deviation * rng.normal(); });
}

at::Tensor Weights::constant(const std::string& name, at::IntArrayRef sizes, double value) {
    return drawn(name, sizes, [value](tasks::Rng&) { return value; });
}

}  // namespace lab::models
