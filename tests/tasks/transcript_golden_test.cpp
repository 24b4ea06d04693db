// The texts of tests/golden/repl, printed by CPython or edited by hand, against their verdicts.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tasks/transcript.h"

namespace lab::tasks {
namespace {

using nlohmann::json;

std::string readGolden(const std::string& file) {
    std::ifstream in(std::string(LAB_GOLDEN_DIR "/repl/") + file, std::ios::binary);
    EXPECT_TRUE(in.is_open()) << file;
    return {std::istreambuf_iterator<char>(in), {}};
}

const json& cases() {
    static const json all = json::parse(readGolden("traces.json")).at("cases");
    return all;
}

/// The steps that apply to a case: its own, or those of the text it was edited from.
const json& stepsOf(const json& entry) {
    static const json none = json::array();
    if (entry.contains("steps")) {
        return entry.at("steps");
    }
    const json& same = entry.at("same_commands_as");
    for (const json& other : cases()) {
        if (same.is_string() && other.at("file") == same) {
            return other.at("steps");
        }
    }
    return none;
}

std::map<std::string, std::int64_t> valuesAfter(const Transcript& transcript, std::size_t command) {
    std::map<std::string, std::int64_t> values;
    for (std::size_t i = 0; i < transcript.names.size(); ++i) {
        if (const auto value = transcript.commands.at(command).valuesAfter.at(i)) {
            values[transcript.names[i]] = *value;
        }
    }
    return values;
}

void expectSteps(const Transcript& transcript, const json& steps, const std::string& file) {
    ASSERT_EQ(transcript.commands.size(), steps.size()) << file;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        std::map<std::string, std::int64_t> expected;
        for (const auto& [name, value] : steps[i].at("variables").items()) {
            // Texts outside the language give Python's repr.
            expected[name] = value.is_string() ? std::stoll(value.get<std::string>())
                                               : value.get<std::int64_t>();
        }
        EXPECT_EQ(valuesAfter(transcript, i), expected) << file << ", step " << i;
    }
}

TEST(TranscriptGolden, TextsOfTheLanguageAreReadWithTheValuesAndLinesOfPython) {
    int accepted = 0;
    for (const json& entry : cases()) {
        if (entry.at("expect") != "accept") {
            continue;
        }
        ++accepted;
        const std::string file = entry.at("file");
        const auto result = parseTranscript(readGolden(file));
        const auto* transcript = std::get_if<Transcript>(&result);
        ASSERT_NE(transcript, nullptr) << file << ": " << describe(std::get<ParseProblem>(result));
        const json& steps = stepsOf(entry);
        expectSteps(*transcript, steps, file);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            EXPECT_EQ(transcript->commands.at(i).line, steps[i].at("line")) << file;
            EXPECT_EQ(transcript->commands.at(i).text, steps[i].at("command")) << file;
        }
    }
    EXPECT_EQ(accepted, 19);
}

TEST(TranscriptGolden, TextsOutsideTheLanguageAreRefusedAtTheirFirstLineOutside) {
    int refused = 0;
    for (const json& entry : cases()) {
        if (entry.at("expect") != "refuse") {
            continue;
        }
        ++refused;
        const std::string file = entry.at("file");
        const auto result = parseTranscript(readGolden(file));
        const auto* problem = std::get_if<ParseProblem>(&result);
        ASSERT_NE(problem, nullptr) << file << " was accepted";
        EXPECT_EQ(problem->line, entry.at("first_line_outside"))
            << file << ": " << describe(*problem);
        EXPECT_NE(problem->message.find("expected "), std::string::npos) << file;
        EXPECT_NE(problem->message.find("found "), std::string::npos) << file;
        EXPECT_GE(problem->column, 1) << file;
    }
    EXPECT_GE(refused, 50);
}

TEST(TranscriptGolden, OtherSpellingsAreReadRightOrRefusedAtTheirLine) {
    int accepted = 0;
    for (const json& entry : cases()) {
        if (entry.at("expect") != "accept_or_refuse") {
            continue;
        }
        const std::string file = entry.at("file");
        const auto result = parseTranscript(readGolden(file));
        if (const auto* transcript = std::get_if<Transcript>(&result)) {
            ++accepted;
            expectSteps(*transcript, stepsOf(entry), file);
        } else if (!entry.at("first_line_outside").is_null()) {
            const auto& problem = std::get<ParseProblem>(result);
            EXPECT_EQ(problem.line, entry.at("first_line_outside"))
                << file << ": " << describe(problem);
        }
    }
    // Five of spacing, double quotes, six of what editors and clipboards do to a text.
    EXPECT_EQ(accepted, 12);
}

}  // namespace
}  // namespace lab::tasks
