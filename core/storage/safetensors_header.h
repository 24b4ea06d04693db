// The header of a safetensors file: which tensors it holds and where their bytes lie.
//
// Layout of a file: 8 bytes little-endian length N, N bytes of JSON, then the data. The JSON is one
// object: name -> {"dtype", "shape", "data_offsets": [begin, end)} relative to the data, and
// optionally "__metadata__" -> {text: text}. The tensors must tile the data without hole or
// overlap.
// Source: huggingface.co/docs/safetensors, "Format"; limits as in its reference reader.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::storage {

/// In the order of the format's own list. Its four- and six-bit types do not fill bytes and are
/// refused.
enum class Dtype {
    kBool,
    kU8,
    kI8,
    kF8E5M2,
    kF8E4M3,
    kF8E8M0,
    kF8E4M3Fnuz,
    kF8E5M2Fnuz,
    kI16,
    kU16,
    kF16,
    kBF16,
    kI32,
    kU32,
    kF32,
    kC64,
    kF64,
    kI64,
    kU64,
};
[[nodiscard]] int bytesOf(Dtype dtype) noexcept;              ///< of one element
[[nodiscard]] std::string_view nameOf(Dtype dtype) noexcept;  ///< as the file writes it: "F32"
[[nodiscard]] std::optional<Dtype> dtypeFromName(std::string_view name) noexcept;

struct TensorEntry {
    std::string name;
    Dtype dtype = Dtype::kF32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;  ///< bytes, from the start of the data
};

struct SafetensorsHeader {
    std::vector<TensorEntry> tensors;             ///< in the order of their bytes
    std::map<std::string, std::string> metadata;  ///< empty: none
};

/// Longest header that is read, the limit of the reference reader.
inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

/// The length field, checked against kMaxHeaderBytes and the size of the file. `source` begins
/// every message. Needs the first eight bytes of a file of at least eight.
[[nodiscard]] std::uint64_t headerLength(std::string_view firstEight, std::uint64_t fileBytes,
                                         const std::string& source);

/// LabError{kInvalidInput} "source: tensor \"a\": data_offsets ..." unless the header is sound and
/// describes exactly `dataBytes` bytes of data.
[[nodiscard]] SafetensorsHeader parseHeader(std::string_view text, std::uint64_t dataBytes,
                                            const std::string& source);

}  // namespace lab::storage
