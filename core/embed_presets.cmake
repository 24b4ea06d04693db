# Writes a C++ file that holds text files: cmake -D OUTPUT=... -D "FILES=a.toml;b.toml" -P embed_presets.cmake
set(rows "")
foreach(file IN LISTS FILES)
    get_filename_component(key ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND rows "    PresetText{\"${key}\", R\"=toml=(${text})=toml=\"},\n")
endforeach()
file(WRITE ${OUTPUT} "// Made by core/embed_presets.cmake from resources/presets/.
#include \"core/preset_texts.h\"

#include <array>

namespace lab {
namespace {

constexpr std::array kTexts{
${rows}};

}  // namespace

std::span<const PresetText> presetTexts() { return kTexts; }

}  // namespace lab
")
