// Any text is an experiment or is refused; what is accepted is written and read back unchanged.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/storage/spec_toml.h"
#include "core/values/lab_error.h"

namespace {

namespace storage = lab::storage;
using lab::values::ExperimentSpec;
using lab::values::LabError;

void require(bool good) {
    if (!good) {
        std::abort();
    }
}

void checkRoundTrip(std::string_view text) {
    const ExperimentSpec spec = storage::fromToml(text, "input");
    const std::string written = storage::toToml(spec, text);
    require(storage::fromToml(written, "written") == spec);
    require(storage::unknownKeysIn(text, "input").size() ==
            storage::unknownKeysIn(written, "written").size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        checkRoundTrip(text);
    } catch (const LabError& error) {
        require(std::string_view(error.what()).starts_with("input:"));
    }
    try {
        static_cast<void>(storage::withSetting(ExperimentSpec{}, text));
    } catch (const LabError& error) {
        require(std::string_view(error.what()).starts_with("setting "));
    }
    return 0;
}
