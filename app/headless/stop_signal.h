// SIGINT and SIGTERM as a question that long work asks.
#pragma once

namespace lab::headless {

/// From now on the first signal asks for a clean stop; a second one ends the program as usual.
void heedStopSignals();
/// A signal came.
[[nodiscard]] bool stopRequested() noexcept;

}  // namespace lab::headless
