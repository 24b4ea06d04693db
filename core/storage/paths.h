// Where the lab keeps its files: the XDG base directories, each with a folder "thimblerig".
//
// Source: XDG Base Directory Specification 0.8. An empty or relative variable counts as unset.
// LabError{kInvalidInput} when neither the variable nor HOME says where.
#pragma once

#include <filesystem>

namespace lab::storage {

[[nodiscard]] std::filesystem::path dataFolder();    ///< $XDG_DATA_HOME, else ~/.local/share
[[nodiscard]] std::filesystem::path cacheFolder();   ///< $XDG_CACHE_HOME, else ~/.cache
[[nodiscard]] std::filesystem::path configFolder();  ///< $XDG_CONFIG_HOME, else ~/.config
[[nodiscard]] std::filesystem::path stateFolder();   ///< $XDG_STATE_HOME, else ~/.local/state
/// Where runs are recorded unless a person says otherwise: the data folder.
[[nodiscard]] std::filesystem::path defaultStore();

}  // namespace lab::storage
