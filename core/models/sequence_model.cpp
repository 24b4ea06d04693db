#include "core/models/sequence_model.h"

#include <ATen/ATen.h>

#include <utility>

#include "core/values/lab_error.h"

namespace lab::models {

Taps::Taps(std::function<bool(const std::string&)> wanted) : m_wanted(std::move(wanted)) {}

void Taps::put(const std::string& site, const at::Tensor& value) {
    m_values.insert_or_assign(site, value.detach());
}

at::Tensor SequenceModel::step(const at::Tensor& tokens, State& state) {
    return advance(tokens.unsqueeze(1), state).squeeze(1);
}

std::int64_t SequenceModel::parameterCount() const {
    std::int64_t count = 0;
    for (const Parameter& parameter : m_parameters) {
        count += parameter.value.numel();
    }
    return count;
}

void copyWeights(const SequenceModel& from, SequenceModel& to) {
    const at::NoGradGuard noGrad;
    TORCH_CHECK(from.parameters().size() == to.parameters().size(), "copyWeights: the models have ",
                from.parameters().size(), " and ", to.parameters().size(), " parameters");
    for (std::size_t i = 0; i < from.parameters().size(); ++i) {
        const Parameter& source = from.parameters()[i];
        const Parameter& target = to.parameters()[i];
        TORCH_CHECK(source.name == target.name && source.value.sizes() == target.value.sizes(),
                    "copyWeights: ", source.name, " ", source.value.sizes(), " does not fit ",
                    target.name, " ", target.value.sizes());
        at::Tensor(target.value).copy_(source.value);
    }
}

}  // namespace lab::models
