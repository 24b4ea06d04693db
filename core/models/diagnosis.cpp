#include <ATen/ATen.h>

#include <algorithm>
#include <array>

#include "core/models/sequence_model.h"

namespace lab::models {
namespace {

/// The sites inside a block, in the order in which a forward pass makes them.
constexpr std::array kInside{"in", "i",          "f",       "g",         "o",       "c",    "r",
                             "z",  "n",          "v",       "q",         "k",       "beta", "decay",
                             "h",  "state_norm", "pattern", "mixer.out", "mlp.out", "out"};

/// Whether numbers at this site are split by head, and on which axis.
std::optional<std::int64_t> headAxis(const std::string& name) {
    constexpr std::array kByHead{"q", "k", "v", "beta", "decay", "state_norm"};
    if (std::ranges::find(kByHead, name) != kByHead.end()) {
        return 2;
    }
    return name == "pattern" ? std::optional<std::int64_t>(1) : std::nullopt;
}

/// Where the first number that is not finite stands, in the order of time, or nothing.
std::optional<std::string> faultIn(const at::Tensor& value, const std::string& name) {
    const at::Tensor bad = at::isfinite(value).logical_not();
    if (!bad.any().item<bool>()) {
        return std::nullopt;
    }
    const auto head = headAxis(name);
    const std::int64_t timeAxis = name == "pattern" ? 2 : 1;
    const at::Tensor places = bad.nonzero().cpu().contiguous();  // [count, axes]
    const auto first = places.select(1, timeAxis).argmin().item<std::int64_t>();
    const at::Tensor place = places[first];
    std::vector<std::int64_t> at(place.const_data_ptr<std::int64_t>(),
                                 place.const_data_ptr<std::int64_t>() + place.numel());
    at::Tensor number = value;
    for (const std::int64_t index : at) {
        number = number.select(0, index);
    }
    std::string text;
    if (head) {
        text += ", head " + std::to_string(at[static_cast<std::size_t>(*head)]);
    }
    return text + ", token " + std::to_string(at[static_cast<std::size_t>(timeAxis)]) +
           " of sequence " + std::to_string(at[0]) + ": " + std::to_string(number.item<double>());
}

/// The first site of the forward pass, with head and token, or nothing.
std::optional<std::string> faultySite(SequenceModel& model, const at::Tensor& tokens) {
    Taps taps;
    const at::Tensor logits = model.forward(tokens, &taps);
    const auto check = [&](const std::string& site,
                           const std::string& name) -> std::optional<std::string> {
        const auto found = taps.values().find(site);
        if (found == taps.values().end()) {
            return std::nullopt;
        }
        const auto fault = faultIn(found->second, name);
        return fault ? std::optional(site + *fault) : std::nullopt;
    };
    if (const auto fault = check("embed", "embed")) {
        return fault;
    }
    for (int layer = 0;; ++layer) {
        const std::string block = "block." + std::to_string(layer) + ".";
        if (!taps.values().contains(block + "in")) {
            break;
        }
        for (const char* name : kInside) {
            if (const auto fault = check(block + name, name)) {
                return fault;
            }
        }
    }
    const auto fault = check("final_norm", "final_norm");
    return fault ? fault : check("logits", "logits");
}

}  // namespace

std::optional<std::string> firstNonFinite(SequenceModel& model, const at::Tensor& tokens) {
    const at::NoGradGuard noGrad;
    const auto site = faultySite(model, tokens);
    for (const Parameter& parameter : model.parameters()) {
        if (at::isfinite(parameter.value).all().item<bool>()) {
            continue;
        }
        // Inside a block the first site it spoils tells the head.
        const std::string block = parameter.name.substr(0, parameter.name.find('.', 6) + 1);
        const bool spoils = block.starts_with("block.") && site && site->starts_with(block);
        return "parameter " + parameter.name + (spoils ? ", then " + *site : "");
    }
    return site;
}

}  // namespace lab::models
