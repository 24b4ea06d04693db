// Standard input, output and error. Results go to standard output and nothing else does; talk goes
// to standard error.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lab::headless {

using Json = nlohmann::ordered_json;

/// A whole file, or standard input for "-". Failure{kFailed} when it cannot be read or is larger
/// than 256 MiB.
[[nodiscard]] std::string readInput(const std::string& path);
/// How messages call an input: its path, or "standard input".
[[nodiscard]] std::string nameOfInput(const std::string& path);

void printLine(std::string_view text);
/// One or more lines, ended with exactly one line end.
void printText(std::string_view text);
/// One line. Numbers that are not finite become null.
void printJson(const Json& json);
/// Columns as wide as they need; the first `texts` are left-aligned, the others right-aligned.
void printTable(const std::vector<std::string>& titles,
                const std::vector<std::vector<std::string>>& rows, std::size_t texts = 1);
/// A line for standard error.
void say(std::string_view text);

/// Standard error is a terminal, and TERM is not "dumb": a line may be written over.
[[nodiscard]] bool canRewriteLines();
/// As canRewriteLines, and NO_COLOR is not set.
[[nodiscard]] bool canColour();

}  // namespace lab::headless
