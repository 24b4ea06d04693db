// Any text is a file of automata or is refused; what is accepted is an automaton.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/storage/automaton_json.h"
#include "core/values/lab_error.h"

namespace {

void require(bool good) {
    if (!good) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const auto cases = lab::storage::automataFrom(text, "input");
        require(!cases.empty());
        for (const auto& one : cases) {
            require(lab::tasks::problemsIn(lab::storage::rounded(one.automaton)).empty());
            for (const int event : one.events) {
                require(static_cast<std::size_t>(event) < one.automaton.symbols.size());
            }
        }
    } catch (const lab::values::LabError& error) {
        require(std::string_view(error.what()).starts_with("input: "));
    }
    return 0;
}
