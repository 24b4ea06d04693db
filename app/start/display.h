// Whether a window can be opened here. Qt itself aborts when it cannot, so it is asked before.
#pragma once

#include <string>

namespace lab::app {

/// Empty when a window can be opened; else one sentence that says how to go on. `arguments` are
/// looked at for -platform.
[[nodiscard]] std::string whyNoDisplay(int count, const char* const* arguments);

}  // namespace lab::app
