#include "core/storage/safetensors.h"

#include <algorithm>
#include <fstream>
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

}  // namespace lab::storage
