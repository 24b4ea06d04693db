// Names a process so that another, later one can tell whether it still lives.
#pragma once

#include <string>
#include <string_view>

namespace lab::storage {

/// "host boot-id pid start-time" of this process. A pid is used again, but not with the same start
/// time in the same boot.
[[nodiscard]] std::string processMark();

/// True when the marked process has certainly ended: it was of this host and is not there any more.
[[nodiscard]] bool hasEnded(std::string_view mark);

}  // namespace lab::storage
