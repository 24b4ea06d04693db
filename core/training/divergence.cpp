#include "core/training/divergence.h"

#include <ATen/ops/isfinite.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string_view>

namespace lab::training {
namespace {

constexpr std::string_view kBlock = "block.";

bool isFinite(const at::Tensor& x) {
    return at::isfinite(x).all().item<bool>();
}

/// "layer 2, " for a site or parameter of block 2; empty outside the blocks.
std::string layerIn(const std::string& site) {
    const auto begin = site.find(kBlock);
    if (begin == std::string::npos) {
        return {};
    }
    const auto number = begin + kBlock.size();
    return fmt::format("layer {}, ", site.substr(number, site.find('.', number) - number));
}

/// Of a parameter with one number a head (and factor): the head of the first bad one.
std::optional<std::int64_t> badHead(const models::Parameter& parameter, int heads) {
    const bool byHead =
        parameter.name.ends_with("beta.bias") || parameter.name.ends_with("gate.bias");
    const at::Tensor& gradient = parameter.value.grad();
    if (!byHead || heads < 1) {
        return std::nullopt;
    }
    return at::isfinite(gradient).logical_not().nonzero()[0].item<std::int64_t>() % heads;
}

/// Parameters in the order in which a backward pass reaches them: last block first, the embedding
/// at the end; inside a block those that tell the head come first.
std::optional<std::string> badGradient(const models::SequenceModel& model, int heads) {
    std::optional<std::string> found, foundHead;
    std::string block;
    const auto& parameters = model.parameters();
    for (auto parameter = parameters.rbegin(); parameter != parameters.rend(); ++parameter) {
        const at::Tensor& gradient = parameter->value.grad();
        if (!gradient.defined() || isFinite(gradient)) {
            continue;
        }
        const std::string layer = layerIn(parameter->name);
        if (!found || (block.empty() && !layer.empty())) {
            found = "the gradient of " + parameter->name;
            block = layer;
        }
        const auto head = badHead(*parameter, heads);
        if (layer == block && head && !foundHead) {
            foundHead = fmt::format(", head {}", *head);
        }
    }
    return found ? std::optional(*found + foundHead.value_or("")) : std::nullopt;
}

}  // namespace

std::string divergenceText(models::SequenceModel& model, const at::Tensor& tokens, int heads,
                           const StepNumbers& numbers) {
    const c10::NoGradGuard noGradient;
    auto where = models::firstNonFinite(model, tokens);
    if (!where) {
        where = badGradient(model, heads);
    }
    const std::string what = !std::isfinite(numbers.loss)
                                 ? fmt::format("the loss is {}", numbers.loss)
                             : !std::isfinite(numbers.gradientNorm)
                                 ? fmt::format("the gradient norm is {}", numbers.gradientNorm)
                                 : "the update is not finite";
    return fmt::format(
        "step {}: {}; first not finite: {}{}. A lower learning rate or more warm-up may help",
        numbers.step, what, layerIn(where.value_or("")),
        where.value_or("nothing that can be looked at"));
}

}  // namespace lab::training
