#include "app/headless/text_io.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <system_error>

#include "app/headless/command.h"

namespace lab::headless {
namespace {

/// Nobody types more; a device file has no end.
constexpr std::size_t kMaxInput = 256U << 20U;

/// Of UTF-8 text: its bytes that do not continue a character.
std::size_t charactersIn(const std::string& text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

std::string nameOfInput(const std::string& path) {
    return path == "-" ? "standard input" : path;
}

std::string readInput(const std::string& path) {
    std::ifstream file;
    if (path != "-") {
        file.open(path, std::ios::binary);
        file.peek();  // a folder opens, but cannot be read
        if (!file.is_open() || (file.fail() && !file.eof())) {
            throw Failure(ExitCode::kFailed,
                          path + ": cannot be read: " + std::system_category().message(errno));
        }
        file.clear();
    }
    std::istream& in = path == "-" ? std::cin : file;
    std::string text;
    std::vector<char> block(1U << 20U);
    do {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
        if (text.size() > kMaxInput) {
            throw Failure(ExitCode::kFailed, nameOfInput(path) + ": is larger than 256 MiB");
        }
    } while (in);
    return text;
}

void printLine(std::string_view text) {
    fmt::print("{}\n", text);
}

void printText(std::string_view text) {
    printLine(text.substr(0, text.find_last_not_of('\n') + 1));
}

void printJson(const Json& json) {
    printLine(json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace));
}

void printTable(const std::vector<std::string>& titles,
                const std::vector<std::vector<std::string>>& rows, std::size_t texts) {
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < titles.size(); ++column) {
        std::size_t width = titles[column].size();
        for (const auto& row : rows) {
            width = std::max(width, charactersIn(row[column]));
        }
        widths.push_back(width);
    }
    const auto print = [&](const std::vector<std::string>& row) {
        std::string line;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string gap(widths[column] - charactersIn(row[column]), ' ');
            line += (column == 0 ? "" : "  ") +
                    (column < texts ? row[column] + gap : gap + row[column]);
        }
        printLine(line.substr(0, line.find_last_not_of(' ') + 1));
    };
    print(titles);
    std::ranges::for_each(rows, print);
}

void say(std::string_view text) {
    fmt::print(stderr, "{}\n", text);
}

bool canRewriteLines() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets the environment
    const char* const term = std::getenv("TERM");
    return ::isatty(STDERR_FILENO) != 0 && term != nullptr && std::string_view(term) != "dumb";
}

bool canColour() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody sets the environment
    const char* const off = std::getenv("NO_COLOR");
    return canRewriteLines() && (off == nullptr || *off == '\0');
}

}  // namespace lab::headless
