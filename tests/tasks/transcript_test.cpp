#include "tasks/transcript.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "tasks/repl_trace.h"
#include "tasks/rng.h"

namespace lab::tasks {
namespace {

using std::string_literals::operator""s;
using testing::AllOf;
using testing::HasSubstr;

const std::string kThreeCups = ">>> a = 3\n>>> b = 1\n>>> c = 2\n";

ParseProblem problemIn(const std::string& text) {
    const auto result = parseTranscript(text);
    if (const auto* problem = std::get_if<ParseProblem>(&result)) {
        return *problem;
    }
    ADD_FAILURE() << "accepted: " << text;
    return {};
}

TEST(Transcript, AProblemNamesItsPlaceWhatWasExpectedAndWhatWasFound) {
    struct Case {
        std::string text;
        int line, column;
        std::string expected, found;
    };
    const std::vector<Case> cases{
        {kThreeCups + ">>> a, b = b, c\n", 4, 15, "a name of the left side", "\"c\""},
        {kThreeCups + ">>> a, b = b\n", 4, 13, "\",\"", "the end of the line"},
        {kThreeCups + ">>> a, b = b, a, c\n", 4, 16, "the end of the line", "\",\""},
        {kThreeCups + ">>> a, a = b, a\n", 4, 8, "not stand on the left", "\"a\""},
        {kThreeCups + ">>> a, d = d, a\n", 4, 8, "a name that has a value", "\"d\""},
        {kThreeCups + ">>> print('a', b)\n", 4, 16, "\"a\"", "\"b\""},
        {kThreeCups + ">>> print('d', d)\n", 4, 16, "a name that has a value", "\"d\""},
        {kThreeCups + ">>> print('a' a)\n", 4, 15, "\",\"", "\"a\""},
        {kThreeCups + ">>> print('a', a)\na 2\n", 5, 3, "\"a 3\"", "\"a 2\""},
        {kThreeCups + ">>> print('a', a)\na 31\n", 5, 4, "\"a 3\"", "\"a 31\""},
        {kThreeCups + ">>> print('a', a)\n", 4, 18, "\"a 3\"", "the end of the text"},
        {kThreeCups + "a 3\n", 4, 1, "the prompt", "\"a 3\""},
        {kThreeCups + "\n", 4, 1, "the prompt", "an empty line"},
        {kThreeCups + ">>>  a = 3\n", 4, 5, "one space", "indented"},
        {">>> a = 9223372036854775808\n", 1, 9, "below 2^63", "\"9223372036854775808\""},
        {">>> a = 0x1f\n", 1, 9, "decimal digits", "\"0x1f\""},
        {">>> a = 07\n", 1, 9, "leading zeros", "\"07\""},
        {">>> a = -1\n", 1, 9, "decimal digits", "\"-\""},
        {">>> a\t= 1\n", 1, 6, "\"=\"", "a tab"},
        {">>> a = 1\r \n", 1, 10, "the end of the line", "a carriage return"},
        {">>> a = 1\0\n"s, 1, 10, "the end of the line", "a NUL byte"},
        {">>> a = \xff\n", 1, 9, "an integer", "the byte 0xFF, which is not UTF-8"},
        {">>> a = \xed\xa0\x80\n", 1, 9, "an integer", "the byte 0xED, which is not UTF-8"},
        {">>> a = \xc3\xa9\n", 1, 9, "an integer", "\"\xc3\xa9\""},
    };
    for (const Case& c : cases) {
        const ParseProblem problem = problemIn(c.text);
        EXPECT_EQ(problem.line, c.line) << c.text << problem.message;
        EXPECT_EQ(problem.column, c.column) << c.text << problem.message;
        EXPECT_THAT(problem.message, AllOf(HasSubstr("expected "), HasSubstr(c.expected),
                                           HasSubstr("found "), HasSubstr(c.found)));
    }
    EXPECT_THAT(describe({3, 5, "expected x"}), HasSubstr("line 3, column 5: expected x"));
}

TEST(Transcript, KeepsWhatEveryCommandDoes) {
    const auto result = parseTranscript(kThreeCups + ">>> b, c = c, b\n>>> print('c', c)\nc 1\n");
    const auto& transcript = std::get<Transcript>(result);
    EXPECT_EQ(transcript.names, (std::vector<std::string>{"a", "b", "c"}));
    ASSERT_EQ(transcript.commands.size(), 5U);
    const Command& first = transcript.commands[0];
    EXPECT_EQ(first.kind, Command::Kind::kAssign);
    EXPECT_EQ(first.value, 3);
    EXPECT_EQ(first.valuesAfter,
              (std::vector<std::optional<std::int64_t>>{3, std::nullopt, std::nullopt}));
    const Command& swap = transcript.commands[3];
    EXPECT_EQ(swap.kind, Command::Kind::kPermute);
    EXPECT_EQ(swap.moved, (std::vector<int>{0, 2, 1}));
    EXPECT_EQ(swap.text, "b, c = c, b");
    const Command& print = transcript.commands[4];
    EXPECT_EQ(print.kind, Command::Kind::kReveal);
    EXPECT_EQ(print.variable, 2);
    EXPECT_EQ(print.value, 1);
    const Lexeme value = transcript.lexemes[transcript.lexemes.size() - 2];
    EXPECT_EQ(value, (Lexeme{"1", TokenKind::kOutput, 6, 3, 4}));
}

TEST(Transcript, NamesThatAppearLaterAreUnknownAndUnmovedBefore) {
    const auto result =
        parseTranscript(">>> a = 1\n>>> b = 2\n>>> a, b = b, a\n>>> c = 9223372036854775807\n");
    const auto& transcript = std::get<Transcript>(result);
    EXPECT_EQ(transcript.commands[2].moved, (std::vector<int>{1, 0, 2}));
    EXPECT_EQ(transcript.commands[2].valuesAfter,
              (std::vector<std::optional<std::int64_t>>{2, 1, std::nullopt}));
    EXPECT_EQ(transcript.commands[3].valuesAfter[2], 9223372036854775807);
}

TEST(Transcript, OtherSpellingsHaveTheSameLexemes) {
    const auto plain = std::get<Transcript>(
        parseTranscript(">>> a = 1\n>>> b = 2\n>>> a, b = b, a\n>>> print('a', a)\na 2\n"));
    const auto loose = std::get<Transcript>(parseTranscript(
        "\xEF\xBB\xBF>>>a=1\r\n>>> b   =  2  \r\n>>> a ,b=b,a\r\n>>> print ( \"a\" , a )\r\na 2"));
    ASSERT_EQ(plain.lexemes.size(), loose.lexemes.size());
    for (std::size_t i = 0; i < plain.lexemes.size(); ++i) {
        EXPECT_EQ(plain.lexemes[i].text, loose.lexemes[i].text);
        EXPECT_EQ(plain.lexemes[i].kind, loose.lexemes[i].kind);
    }
}

/// Cuts, repeats, overwrites or inserts somewhere, a few times.
std::string mutated(std::string text, Rng& rng) {
    static constexpr std::string_view kPieces[] = {">>> ", "\n", "print('", "a",
                                                   "9",    " ",  ",",       "="};
    for (int edits = 1 + rng.below(4); edits > 0 && !text.empty(); --edits) {
        const auto at = static_cast<std::size_t>(rng.below(static_cast<int>(text.size())));
        const auto length = static_cast<std::size_t>(1 + rng.below(12));
        switch (rng.below(4)) {
            case 0: text.erase(at, length); break;
            case 1: text.insert(at, text.substr(at, length)); break;
            case 2: text[at] = static_cast<char>(rng.below(256)); break;
            default: text.insert(at, kPieces[rng.below(8)]); break;
        }
    }
    return text;
}

// What holds for any bytes: a verdict with a place inside the text, and accepted text that means
// the same when it is written out again in plain spelling.
TEST(Transcript, SurvivesArbitraryBytes) {
    const ReplTask task({.variables = 4, .firstPrint = true});
    Rng rng(20);
    int accepted = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        const std::string original = task.text(task.sample(rng, {1 + rng.below(6), 2}));
        const std::string text = mutated(original, rng);
        const auto result = parseTranscript(text);
        if (const auto* problem = std::get_if<ParseProblem>(&result)) {
            const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
            ASSERT_GE(problem->line, 1);
            ASSERT_LE(problem->line, lines);
            ASSERT_GE(problem->column, 1);
            ASSERT_FALSE(problem->message.empty());
            continue;
        }
        ++accepted;
        const auto& transcript = std::get<Transcript>(result);
        std::vector<int> tokens;
        for (const Lexeme& lexeme : transcript.lexemes) {
            const auto id = task.vocabulary().idOf(lexeme.text);
            if (!id) {
                break;  // another name or number
            }
            tokens.push_back(*id);
        }
        if (tokens.size() == transcript.lexemes.size()) {
            const auto again = parseTranscript(replText(task.vocabulary(), tokens));
            ASSERT_TRUE(std::holds_alternative<Transcript>(again)) << text;
            const auto& commands = std::get<Transcript>(again).commands;
            ASSERT_EQ(commands.size(), transcript.commands.size());
            for (std::size_t i = 0; i < commands.size(); ++i) {
                ASSERT_EQ(commands[i].valuesAfter, transcript.commands[i].valuesAfter) << text;
            }
        }
    }
    EXPECT_GT(accepted, 100);  // enough of them to mean something
}

TEST(Transcript, ReadsEveryCutOfATextOrSaysWhereItEnds) {
    const std::string text = kThreeCups + ">>> b, c = c, b\n>>> print('c', c)\nc 1\n";
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const auto result = parseTranscript(text.substr(0, length));
        if (const auto* problem = std::get_if<ParseProblem>(&result)) {
            const auto line =
                1 +
                std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length), '\n');
            EXPECT_GE(problem->line, line - 1);
            EXPECT_LE(problem->line, line);
        }
    }
}

}  // namespace
}  // namespace lab::tasks
