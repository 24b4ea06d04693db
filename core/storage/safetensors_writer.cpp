#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/storage/safetensors.h"
#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& what) {
    throw values::LabError(values::LabError::Kind::kInvalidInput, file.string() + ": " + what);
}

/// The places of `tensors` in their order in the file.
std::vector<std::size_t> layout(std::span<const TensorView> tensors) {
    std::vector<std::size_t> order(tensors.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t i) {
            return std::pair(-bytesOf(tensors[i].dtype), std::string_view(tensors[i].name));
        };
        return key(a) < key(b);
    });
    return order;
}

std::string headerText(std::span<const TensorView> tensors, const std::vector<std::size_t>& order,
                       const std::map<std::string, std::string>& metadata) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) {
        header["__metadata__"] = metadata;
    }
    std::uint64_t at = 0;
    for (const std::size_t i : order) {
        const TensorView& tensor = tensors[i];
        header[tensor.name] = {{"dtype", nameOf(tensor.dtype)},
                               {"shape", tensor.shape},
                               {"data_offsets", {at, at + tensor.bytes.size()}}};
        at += tensor.bytes.size();
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    return text;
}

}  // namespace

void writeSafetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                      const std::map<std::string, std::string>& metadata) {
    const std::vector<std::size_t> order = layout(tensors);
    std::string header;
    try {
        header = headerText(tensors, order, metadata);
    } catch (const nlohmann::json::exception&) {
        refuse(file, "a tensor's name or the metadata is not valid UTF-8");
    }
    std::array<char, 8> length{};
    std::uint64_t dataBytes = 0;
    std::vector<Bytes> parts{std::as_bytes(std::span(length)), std::as_bytes(std::span(header))};
    for (std::size_t i = 0; i < length.size(); ++i) {
        length[i] = static_cast<char>(header.size() >> (8 * i) & 0xFFU);
    }
    for (const std::size_t i : order) {
        parts.push_back(tensors[i].bytes);
        dataBytes += tensors[i].bytes.size();
    }
    // What the reader would refuse is never written.
    const SafetensorsHeader check = parseHeader(header, dataBytes, file.string());
    if (check.tensors.size() != tensors.size()) {
        refuse(file, "two tensors have the same name, or one is called __metadata__");
    }
    writeAtomically(file, parts);
}

}  // namespace lab::storage
