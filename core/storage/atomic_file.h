// Files that are either the old or the new whole, whatever happens in between.
//
// A write goes to a temporary file in the same folder, is flushed to the disk, renamed over the
// target, and the folder is flushed. Failures are LabError{kInvalidInput} with the system's reason
// ("No space left on device"); the target and the folder are then as before.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace lab::storage {

using Bytes = std::span<const std::byte>;

/// Writes `parts` one after the other.
void writeAtomically(const std::filesystem::path& file, std::span<const Bytes> parts);
void writeAtomically(const std::filesystem::path& file, std::string_view text);

/// The whole file as bytes in a string. Refuses folders, and files above `limit` bytes.
[[nodiscard]] std::string readWhole(const std::filesystem::path& file,
                                    std::uintmax_t limit = 64U << 20U);

/// Creates the folder and its parents; nothing when it is there.
void makeFolders(const std::filesystem::path& folder);

}  // namespace lab::storage
