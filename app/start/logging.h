// The log file: $XDG_STATE_HOME/thimblerig/thimblerig.log, rotated. Qt's messages go there too.
#pragma once

#include <filesystem>

namespace lab::app {

[[nodiscard]] std::filesystem::path logFile();

/// Opens the file and takes over Qt's messages; warnings are repeated on standard error. A folder
/// that cannot be written costs the log, not the program.
void startLogging();

}  // namespace lab::app
