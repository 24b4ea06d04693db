// Any text is a session or is refused at a place within it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tasks/transcript.h"

namespace {

void require(bool good) {
    if (!good) {
        std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lab::tasks;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
    const auto result = parseTranscript(text);
    if (const auto* problem = std::get_if<ParseProblem>(&result)) {
        require(problem->line >= 1 && problem->line <= lines && problem->column >= 1);
        require(!problem->message.empty() && !describe(*problem).empty());
        return 0;
    }
    const auto& session = std::get<Transcript>(result);
    for (const Command& command : session.commands) {
        require(command.valuesAfter.size() <= session.names.size());
        require(command.line >= 1 && command.line <= lines);
    }
    for (const Lexeme& lexeme : session.lexemes) {
        require(lexeme.command >= 0 &&
                static_cast<std::size_t>(lexeme.command) < session.commands.size());
    }
    return 0;
}
