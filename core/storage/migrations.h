// Numbered changes to the index of runs. Inside core/storage only.
#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <span>
#include <string_view>

namespace lab::storage {

/// Change number i takes an index from version i to i + 1; an empty file is version 0. A change
/// that was ever released is never edited.
[[nodiscard]] std::span<const std::string_view> migrations() noexcept;

/// Brings the index up to date: each change is one transaction with its new `user_version`, so a
/// crash leaves a whole version. An index that held something is copied to
/// <folder>/backups/lab-v<version>-<time>.sqlite first. LabError{kInvalidInput} when a newer
/// program wrote it.
void migrate(SQLite::Database& index, const std::filesystem::path& folder,
             std::span<const std::string_view> changes);

}  // namespace lab::storage
