#include "core/storage/safetensors.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

[[noreturn]] void refuse(const std::string& source, const std::string& what) {
    throw values::LabError(values::LabError::Kind::kInvalidInput, source + ": " + what);
}

/// An open file whose size is known; reads go no further than it.
struct OpenFile {
    std::ifstream stream;
    std::uint64_t bytes = 0;
};

OpenFile open(const std::filesystem::path& file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (!std::filesystem::exists(status)) {
        refuse(file.string(), "there is no such file");
    }
    if (!std::filesystem::is_regular_file(status)) {
        refuse(file.string(), "is not a regular file");
    }
    OpenFile opened;
    opened.stream.open(file, std::ios::binary | std::ios::ate);
    const auto size = opened.stream ? static_cast<std::streamoff>(opened.stream.tellg()) : -1;
    if (size < 0) {
        refuse(file.string(), "cannot be opened for reading");
    }
    opened.bytes = static_cast<std::uint64_t>(size);
    opened.stream.seekg(0);
    return opened;
}

void readExactly(OpenFile& from, char* to, std::uint64_t bytes, const std::string& source) {
    if (!from.stream.read(to, static_cast<std::streamsize>(bytes))) {
        refuse(source, "became shorter while it was read");
    }
}

/// Header and its length in the file with the eight bytes of the length field.
std::pair<SafetensorsHeader, std::uint64_t> headerOf(std::string_view start, std::uint64_t bytes,
                                                     const std::string& source) {
    const std::uint64_t length = headerLength(start, bytes, source);
    return {parseHeader(start.substr(8, length), bytes - 8 - length, source), 8 + length};
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

Safetensors Safetensors::parse(std::vector<std::byte> bytes, const std::string& source) {
    Safetensors file;
    file.m_bytes = std::move(bytes);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters
    const std::string_view text(reinterpret_cast<const char*>(file.m_bytes.data()),
                                file.m_bytes.size());
    auto [header, dataStart] = headerOf(text, text.size(), source);
    const Bytes data = Bytes(file.m_bytes).subspan(dataStart);
    for (TensorEntry& entry : header.tensors) {
        file.m_tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape),
                                  data.subspan(entry.begin, entry.end - entry.begin)});
    }
    file.m_metadata = std::move(header.metadata);
    return file;
}

Safetensors Safetensors::read(const std::filesystem::path& file) {
    OpenFile opened = open(file);
    std::vector<std::byte> bytes(opened.bytes);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters
    readExactly(opened, reinterpret_cast<char*>(bytes.data()), bytes.size(), file.string());
    return parse(std::move(bytes), file.string());
}

const TensorView* Safetensors::find(std::string_view name) const noexcept {
    const auto at = std::ranges::find(m_tensors, name, &TensorView::name);
    return at == m_tensors.end() ? nullptr : &*at;
}

SafetensorsHeader readSafetensorsHeader(const std::filesystem::path& file) {
    OpenFile opened = open(file);
    std::string start(std::min<std::uint64_t>(opened.bytes, 8), '\0');
    readExactly(opened, start.data(), start.size(), file.string());
    start.resize(8 + headerLength(start, opened.bytes, file.string()));
    readExactly(opened, start.data() + 8, start.size() - 8, file.string());
    return headerOf(start, opened.bytes, file.string()).first;
}

void writeSafetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                      const std::map<std::string, std::string>& metadata) {
    const std::vector<std::size_t> order = layout(tensors);
    std::string header;
    try {
        header = headerText(tensors, order, metadata);
    } catch (const nlohmann::json::exception&) {
        refuse(file.string(), "a tensor's name or the metadata is not valid UTF-8");
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
        refuse(file.string(), "two tensors have the same name, or one is called __metadata__");
    }
    writeAtomically(file, parts);
}

}  // namespace lab::storage
