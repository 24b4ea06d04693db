// Reads and writes safetensors files. Every byte of a file is checked before it is believed; the
// format and its rules are in safetensors_header.h.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/storage/atomic_file.h"
#include "core/storage/safetensors_header.h"

namespace lab::storage {

/// One tensor, row-major and little-endian. `bytes` belongs to someone else and may lie at any
/// address: copy it to read numbers from it.
struct TensorView {
    std::string name;
    Dtype dtype = Dtype::kF32;
    std::vector<std::int64_t> shape;
    Bytes bytes;
};

/// A whole file in memory. Movable; the views live as long as it does.
class Safetensors {
public:
    /// Throw LabError{kInvalidInput}; messages begin with the file or `source`.
    [[nodiscard]] static Safetensors read(const std::filesystem::path& file);
    [[nodiscard]] static Safetensors parse(std::vector<std::byte> bytes, const std::string& source);

    Safetensors(Safetensors&&) noexcept = default;
    Safetensors& operator=(Safetensors&&) noexcept = default;
    Safetensors(const Safetensors&) = delete;
    Safetensors& operator=(const Safetensors&) = delete;
    ~Safetensors() = default;

    [[nodiscard]] const std::vector<TensorView>& tensors() const noexcept { return m_tensors; }
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const noexcept {
        return m_metadata;
    }
    /// Null when there is none of that name.
    [[nodiscard]] const TensorView* find(std::string_view name) const noexcept;

private:
    Safetensors() = default;
    std::vector<std::byte> m_bytes;
    std::vector<TensorView> m_tensors;  // views into m_bytes
    std::map<std::string, std::string> m_metadata;
};

/// The checked header alone; the data is not read.
[[nodiscard]] SafetensorsHeader readSafetensorsHeader(const std::filesystem::path& file);

/// Writes atomically. Tensors are laid out by falling element size, then by name, behind a header
/// padded to eight bytes, so every tensor is aligned and equal content gives equal bytes.
/// LabError{kInvalidInput} when two names are equal, a name is no UTF-8 or is "__metadata__", or
/// bytes do not fit dtype and shape.
void writeSafetensors(const std::filesystem::path& file, std::span<const TensorView> tensors,
                      const std::map<std::string, std::string>& metadata = {});

}  // namespace lab::storage
