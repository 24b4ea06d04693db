#include "core/files.h"

#include <algorithm>
#include <variant>

#include "core/storage/safetensors.h"
#include "core/storage/spec_toml.h"
#include "tasks/transcript.h"

namespace lab {
namespace {

TensorListing listingOf(storage::SafetensorsHeader header) {
    TensorListing listing;
    for (storage::TensorEntry& tensor : header.tensors) {
        listing.tensors.push_back({std::move(tensor.name),
                                   std::string(storage::nameOf(tensor.dtype)),
                                   std::move(tensor.shape), tensor.end - tensor.begin});
    }
    listing.metadata = std::move(header.metadata);
    return listing;
}

TranscriptStep stepOf(const tasks::Command& command, const tasks::Transcript& session) {
    TranscriptStep step;
    step.line = command.line;
    for (std::size_t i = 0; i < command.valuesAfter.size(); ++i) {
        if (command.valuesAfter[i]) {
            step.variables.emplace_back(session.names[i], *command.valuesAfter[i]);
        }
    }
    std::ranges::sort(step.variables);
    return step;
}

}  // namespace

TensorListing tensorsIn(const std::filesystem::path& file) {
    return listingOf(storage::readSafetensorsHeader(file));
}

TensorListing tensorsIn(std::string_view bytes, const std::string& source) {
    const std::uint64_t length = storage::headerLength(bytes, bytes.size(), source);
    return listingOf(
        storage::parseHeader(bytes.substr(8, length), bytes.size() - 8 - length, source));
}

TranscriptVerdict checkTranscript(std::string_view text) {
    const auto result = tasks::parseTranscript(text);
    if (const auto* problem = std::get_if<tasks::ParseProblem>(&result)) {
        return {false, problem->line, problem->column, problem->message, {}};
    }
    const auto& session = std::get<tasks::Transcript>(result);
    TranscriptVerdict verdict;
    verdict.ok = true;
    for (const tasks::Command& command : session.commands) {
        verdict.steps.push_back(stepOf(command, session));
    }
    return verdict;
}

values::ExperimentSpec withSetting(const values::ExperimentSpec& spec,
                                   std::string_view assignment) {
    return storage::withSetting(spec, assignment);
}

std::vector<std::string> unknownKeysIn(std::string_view text, std::string_view source) {
    return storage::unknownKeysIn(text, source);
}

}  // namespace lab
