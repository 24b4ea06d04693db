#include "core/storage/paths.h"

#include <cstdlib>
#include <string>

#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

/// The folder that `variable` names, or nothing when it is unset, empty or relative.
std::filesystem::path absoluteFrom(const char* variable) {
    const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets it
    std::filesystem::path path = value == nullptr ? "" : value;
    return path.is_absolute() ? path : std::filesystem::path();
}

std::filesystem::path folder(const char* variable, const char* belowHome) {
    std::filesystem::path base = absoluteFrom(variable);
    if (base.empty()) {
        const std::filesystem::path home = absoluteFrom("HOME");
        if (home.empty()) {
            throw values::LabError(values::LabError::Kind::kInvalidInput,
                                   std::string("neither ") + variable +
                                       " nor HOME is an absolute path: set one of them");
        }
        base = home / belowHome;
    }
    return base / "thimblerig";
}

}  // namespace

std::filesystem::path dataFolder() {
    return folder("XDG_DATA_HOME", ".local/share");
}
std::filesystem::path cacheFolder() {
    return folder("XDG_CACHE_HOME", ".cache");
}
std::filesystem::path configFolder() {
    return folder("XDG_CONFIG_HOME", ".config");
}
std::filesystem::path stateFolder() {
    return folder("XDG_STATE_HOME", ".local/state");
}
std::filesystem::path defaultStore() {
    return dataFolder();
}

}  // namespace lab::storage
