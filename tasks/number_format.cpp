#include "tasks/number_format.h"

namespace lab::tasks {

std::optional<NumberFormat> formatNamed(std::string_view key) noexcept {
    for (const FormatInfo& info : kFormats) {
        if (info.key == key) {
            return info.format;
        }
    }
    return std::nullopt;
}

}  // namespace lab::tasks
