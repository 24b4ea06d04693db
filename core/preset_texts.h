// The files of resources/presets/, built into the program (core/embed_presets.cmake).
#pragma once

#include <span>
#include <string_view>

namespace lab {

struct PresetText {
    std::string_view key;  ///< the file's name without ".toml"
    std::string_view text;
};

/// In the order in which people should meet them.
[[nodiscard]] std::span<const PresetText> presetTexts();

}  // namespace lab
