#include "tasks/repl_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tasks/transcript.h"
#include "tests/tasks/all_repl_settings.h"

namespace lab::tasks {
namespace {

Transcript read(const std::string& text) {
    auto result = parseTranscript(text);
    if (const auto* problem = std::get_if<ParseProblem>(&result)) {
        ADD_FAILURE() << describe(*problem) << "\n" << text;
        return {};
    }
    return std::get<Transcript>(std::move(result));
}

std::vector<Command> commandsOf(const Transcript& transcript, Command::Kind kind) {
    std::vector<Command> result;
    for (const Command& command : transcript.commands) {
        if (command.kind == kind) {
            result.push_back(command);
        }
    }
    return result;
}

TEST(ReplVocabulary, IsClosedAndHasSevenSignsAndTwoLexemesAVariable) {
    for (int n = 2; n <= kMaxPoints; ++n) {
        const ReplVocabulary vocabulary(n);
        EXPECT_EQ(vocabulary.size(), 7 + 2 * n);
        std::set<std::string> texts;
        for (int id = 0; id < vocabulary.size(); ++id) {
            texts.insert(std::string(vocabulary.text(id)));
            EXPECT_EQ(vocabulary.idOf(vocabulary.text(id)), id);
        }
        EXPECT_EQ(static_cast<int>(texts.size()), vocabulary.size());
        EXPECT_EQ(vocabulary.text(vocabulary.nameId(n - 1)),
                  std::string(1, static_cast<char>('a' + n - 1)));
        EXPECT_EQ(vocabulary.text(vocabulary.valueId(n)), std::to_string(n));
        EXPECT_FALSE(vocabulary.idOf(std::to_string(n + 1)));
    }
}

TEST(ReplVocabulary, AQueryAsksForAVariableUpToItsValue) {
    const ReplVocabulary vocabulary(3);
    EXPECT_EQ(replText(vocabulary, vocabulary.query(1)), ">>> print('b', b)\nb");
}

// Five cups; L, S, reveals, tokens with full permutations, tokens with swaps. Counted by hand:
// 25 for the values, 21 or 9 a command, 10 a print with its output.
TEST(ReplTask, HasTheKnownNumbersOfTokens) {
    struct Row {
        int commands, spacing, reveals, permutations, swaps;
    };
    const ReplTask permutations({.variables = 5, .commands = Generators::kPermutations});
    const ReplTask swaps({.variables = 5, .commands = Generators::kSwaps});
    for (const Row& row : {Row{8, 1, 8, 273, 177}, Row{16, 2, 8, 441, 249}, Row{32, 4, 8, 777, 393},
                           Row{64, 8, 8, 1449, 681}, Row{128, 16, 8, 2793, 1257},
                           Row{64, 2, 32, 1689, 921}, Row{512, 4, 128, 12057, 5913}}) {
        const Length length{row.commands, row.spacing};
        EXPECT_EQ(permutations.revealsIn(length), row.reveals);
        EXPECT_EQ(permutations.tokensIn(length), row.permutations);
        EXPECT_EQ(swaps.tokensIn(length), row.swaps);
        Rng rng(1);
        EXPECT_EQ(static_cast<int>(swaps.sample(rng, length).tokens.size()), row.swaps);
        EXPECT_EQ(static_cast<int>(permutations.sample(rng, length).tokens.size()),
                  row.permutations);
    }
}

// The reader knows nothing of the generator: it works from the text alone.
TEST(ReplTask, EveryTraceReadsBackTokenByTokenWithItsKindsAndReveals) {
    for (const int n : {2, 3, 5, 8}) {
        for (const ReplSettings& settings : allReplSettings(n)) {
            const ReplTask task(settings);
            for (const Length length : {Length{0, 1}, Length{7, 1}, Length{9, 4}}) {
                Rng rng(5, 0, static_cast<std::uint64_t>(length.commands));
                const Trace trace = task.sample(rng, length);
                ASSERT_EQ(static_cast<int>(trace.tokens.size()), task.tokensIn(length));
                const Transcript transcript = read(task.text(trace));
                ASSERT_EQ(transcript.lexemes.size(), trace.tokens.size());
                int reveals = 0;
                for (std::size_t t = 0; t < trace.tokens.size(); ++t) {
                    const Lexeme& lexeme = transcript.lexemes[t];
                    ASSERT_EQ(task.vocabulary().idOf(lexeme.text), trace.tokens[t]);
                    if (t == 0) {
                        continue;
                    }
                    EXPECT_EQ(trace.targets[t - 1], trace.tokens[t]);
                    EXPECT_EQ(trace.targetKinds[t - 1], lexeme.kind);
                    const bool output = lexeme.kind == TokenKind::kOutput;
                    EXPECT_EQ(trace.reveals[t - 1], output ? reveals++ : -1);
                }
                EXPECT_EQ(trace.targets.back(), -1);
                EXPECT_EQ(trace.reveals.back(), -1);
                EXPECT_EQ(trace.targetKinds.back(), TokenKind::kPrompt);
                EXPECT_EQ(reveals, task.revealsIn(length));
            }
        }
    }
}

TEST(ReplTask, APrintFollowsEverySpacingCommands) {
    const ReplTask task({.firstPrint = true});
    Rng rng(6);
    const Transcript transcript = read(task.text(task.sample(rng, {7, 3})));
    std::string kinds;
    for (const Command& command : transcript.commands) {
        kinds += "apr"[static_cast<int>(command.kind)];
    }
    EXPECT_EQ(kinds, "aaarppprppprp");
}

// Limits: 99.9 % points of chi squared with cells - 1 degrees of freedom.
TEST(ReplTask, CommandsAreDrawnUniformlyFromWhatTheSettingAllows) {
    struct Case {
        Generators commands;
        int cells;
        double limit;
    };
    // Four variables: 12 ordered pairs; 6 ordered neighbours; 24 ordered triples times 6 orders;
    // 24 permutations.
    for (const Case& c :
         {Case{Generators::kSwaps, 12, 31.26}, Case{Generators::kAdjacentSwaps, 6, 20.52},
          Case{Generators::kThreePoints, 144, 201.7}, Case{Generators::kPermutations, 24, 49.73}}) {
        const ReplTask task({.variables = 4, .commands = c.commands});
        Rng rng(7);
        constexpr int kCommands = 14'400;
        std::map<std::string, int> counts;
        const Transcript transcript = read(task.text(task.sample(rng, {kCommands, kCommands})));
        for (const Command& command : commandsOf(transcript, Command::Kind::kPermute)) {
            ++counts[command.text];
        }
        ASSERT_EQ(static_cast<int>(counts.size()), c.cells);
        double chiSquared = 0;
        const double mean = static_cast<double>(kCommands) / c.cells;
        for (const auto& [text, count] : counts) {
            chiSquared += (count - mean) * (count - mean) / mean;
        }
        EXPECT_LT(chiSquared, c.limit);
    }
}

TEST(ReplTask, SwapsExchangeTwoAndThreePointCommandsMoveAtMostThree) {
    for (const Generators commands : kAllCommandSets) {
        const ReplTask task({.variables = 6, .commands = commands});
        Rng rng(8);
        const Transcript transcript = read(task.text(task.sample(rng, {300, 300})));
        std::set<int> moved;
        for (const Command& command : commandsOf(transcript, Command::Kind::kPermute)) {
            moved.insert(Permutation::from(command.moved).value().movedPoints());
        }
        switch (commands) {
            case Generators::kSwaps:
            case Generators::kAdjacentSwaps: EXPECT_EQ(moved, (std::set<int>{2})); break;
            case Generators::kThreePoints: EXPECT_EQ(moved, (std::set<int>{0, 2, 3})); break;
            case Generators::kPermutations: EXPECT_EQ(*moved.rbegin(), 6); break;
        }
    }
}

TEST(ReplTask, RevealPoliciesChooseTheirVariables) {
    const auto revealed = [](RevealPolicy policy) {
        const ReplTask task(
            {.variables = 3, .reveal = policy, .fixedVariable = 1, .firstPrint = true});
        Rng rng(9);
        std::vector<int> variables;
        const Transcript transcript = read(task.text(task.sample(rng, {300, 1})));
        for (const Command& command : commandsOf(transcript, Command::Kind::kReveal)) {
            variables.push_back(command.variable);
        }
        return variables;
    };
    const auto fixed = revealed(RevealPolicy::kFixed);
    EXPECT_EQ(std::count(fixed.begin(), fixed.end(), 1), 301);
    const auto roundRobin = revealed(RevealPolicy::kRoundRobin);
    for (std::size_t i = 0; i < roundRobin.size(); ++i) {
        EXPECT_EQ(roundRobin[i], static_cast<int>(i % 3));
    }
    const auto uniform = revealed(RevealPolicy::kUniform);
    for (const int variable : {0, 1, 2}) {  // mean 100.3, standard deviation 8.2
        EXPECT_NEAR(static_cast<double>(std::count(uniform.begin(), uniform.end(), variable)),
                    100.3, 33);
    }
}

TEST(ReplTask, ValuesAreAPermutationOrEachDrawnAlone) {
    for (const bool distinct : {true, false}) {
        const ReplTask task({.variables = 3, .distinctValues = distinct});
        std::set<std::vector<std::int64_t>> seen;
        for (std::uint64_t index = 0; index < 600; ++index) {
            Rng rng(10, 0, index);
            std::vector<std::int64_t> values;
            for (const Command& command :
                 commandsOf(read(task.text(task.sample(rng, {0, 1}))), Command::Kind::kAssign)) {
                values.push_back(command.value);
            }
            seen.insert(values);
        }
        EXPECT_EQ(seen.size(), distinct ? 6U : 27U);
    }
}

TEST(ReplTask, TheSameStreamGivesTheSameTrace) {
    const ReplTask task({.variables = 5});
    Rng first(1, Stream::kTraining, 77);
    Rng again(1, Stream::kTraining, 77);
    Rng other(1, Stream::kTraining, 78);
    const auto tokens = task.sample(first, {32, 4}).tokens;
    EXPECT_EQ(tokens, task.sample(again, {32, 4}).tokens);
    EXPECT_NE(tokens, task.sample(other, {32, 4}).tokens);
}

}  // namespace
}  // namespace lab::tasks
