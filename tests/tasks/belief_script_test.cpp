#include "tasks/belief_script.h"

#include <gtest/gtest.h>

#include "tasks/belief_patterns.h"
#include "tasks/rng.h"

namespace lab::tasks {
namespace {

BeliefScript parsed(const std::string& text) {
    const auto result = parseScript(text);
    if (const auto* problem = std::get_if<ParseProblem>(&result)) {
        ADD_FAILURE() << text << "\n" << describe(*problem);
        return {};
    }
    return std::get<BeliefScript>(result);
}

ParseProblem refused(const std::string& text) {
    const auto result = parseScript(text);
    const auto* problem = std::get_if<ParseProblem>(&result);
    EXPECT_NE(problem, nullptr) << "accepted: " << text;
    return problem == nullptr ? ParseProblem{} : *problem;
}

Permutation arrangement(std::vector<int> images) {
    return Permutation::from(images).value();
}

TEST(BeliefScript, EveryBlockIsReadAsItIsWritten) {
    const BeliefScript script = parsed(
        "# the cups of the morning\n"
        "cups 3\n"
        "start 231   # not the identity\n"
        "convention elements\n"
        "\n"
        "mix 2 3 with 1/2\n"
        "mix 1/3 132, 2/3 213\n"
        "mix uniform\n"
        "mix random pair with 0.25\n"
        "reveal 2 = 3\n"
        "reveal all = 312\n"
        "look 2\n"
        "look random\n"
        "look all\n"
        "find 1\n"
        "wait 5\n"
        "repeat 10\n"
        "  wait 1\n"
        "  repeat 2\n"
        "  find 3\n"
        "  end\n"
        "end\n");
    BeliefScript expected;
    expected.start = arrangement({1, 2, 0});
    expected.convention = Convention::kElements;
    expected.blocks = {
        {MixPair{1, 2, Fraction(1, 2)}},
        {MixMoves{
            {{Fraction(1, 3), arrangement({0, 2, 1})}, {Fraction(2, 3), arrangement({1, 0, 2})}}}},
        {MixUniform{}},
        {MixRandomPair{Fraction(1, 4)}},
        {RevealOne{1, 2}},
        {RevealAll{arrangement({2, 0, 1})}},
        {Look{1}},
        {Look{}},
        {LookAll{}},
        {Find{0}},
        {Wait{5}},
        {Repeat{10, {{Wait{1}}, {Repeat{2, {{Find{2}}}}}}}},
    };
    EXPECT_EQ(script, expected);
    EXPECT_EQ(stepsOf(script), 10 + 5 + 10 * (1 + 2));
}

TEST(BeliefScript, AnUnknownStartIsNoArrangement) {
    EXPECT_FALSE(parsed("cups 4\nstart uniform\n").start);
    EXPECT_EQ(parsed("cups 4").start, Permutation(4));
}

TEST(BeliefScript, ProblemsCarryLineColumnAndWhatToDo) {
    const struct {
        const char* text;
        int line, column;
        const char* says;
    } cases[] = {
        {"", 1, 1, "cups 3"},
        {"reveal 1 = 1", 1, 1, "\"cups\""},
        {"cups 8", 1, 6, "from 2 to 7"},
        {"cups 3 3", 1, 8, "a line of its own"},
        {"cups 3\nstart 2310", 2, 7, "\"213\""},
        {"cups 3\nconvention cups", 2, 12, "\"positions\" or \"elements\""},
        {"cups 3\nshake", 2, 1, "\"reveal 2 = 3\""},
        {"cups 3\nstart 123\nmix 1 1 with 1/2", 3, 7, "another position"},
        {"cups 3\nmix 1 4 with 1/2", 2, 7, "from 1 to 3"},
        {"cups 3\nmix 1 2 by 1/2", 2, 9, "mix 2 3 with 1/2"},
        {"cups 3\nmix 1 2 with 3/2", 2, 14, "from 0 to 1"},
        {"cups 3\nmix 1 2 with", 2, 13, "found the end of the line"},
        {"cups 3\nmix 1/2 132, 1/3 213", 2, 5,
         "sum to 5/6, not to 1: change one of them, or add "
         "\"1/6 123\""},
        {"cups 3\nmix 1/2 132, 2/3 213", 2, 5, "sum to 7/6"},
        {"cups 3\nmix 1/2 13", 2, 9, "of the numbers 1 to 3"},
        {"cups 3\nmix random with 1", 2, 12, "\"pair\""},
        {"cups 3\n  reveal 2 is 3", 2, 12, "\"=\""},
        {"cups 3\nreveal all = 113", 2, 14, "an arrangement"},
        {"cups 3\nlook 0", 2, 6, "\"random\", \"all\" or a position"},
        {"cups 3\nwait 0", 2, 6, "how many steps"},
        {"cups 3\nend", 2, 1, "closes no repeat"},
        {"cups 3\nrepeat 2\nwait 1\n", 4, 1, "the repeat of line 2"},
        {"cups 3\nrepeat 2 wait 1\n", 2, 10, "a line of its own"},
        {"cups 3\nwait 99999999999", 2, 6, "from 1 to 10000000"},
        {"cups 3\nmix 1 2 with 0.1234567890123456789", 2, 14, "at most 18 digits"},
    };
    for (const auto& one : cases) {
        const ParseProblem problem = refused(one.text);
        EXPECT_EQ(problem.line, one.line) << one.text << ": " << describe(problem);
        EXPECT_EQ(problem.column, one.column) << one.text << ": " << describe(problem);
        EXPECT_NE(problem.message.find(one.says), std::string::npos)
            << one.text << ": " << describe(problem);
    }
}

TEST(BeliefScript, RepeatsDeeperThanTheLimitAreRefused) {
    std::string text = "cups 2\n";
    for (int i = 0; i < kDeepestRepeat; ++i) {
        text += "repeat 1\n";
    }
    std::string ends;
    for (int i = 0; i < kDeepestRepeat; ++i) {
        ends += "end\n";
    }
    parsed(text + "wait 1\n" + ends);
    EXPECT_EQ(refused(text + "repeat 1\nwait 1\nend\n" + ends).line, kDeepestRepeat + 2);
}

TEST(BeliefScript, EndlessScriptsAreCountedWithoutOverflow) {
    std::string text = "cups 2\n";
    std::string ends;
    for (int i = 0; i < kDeepestRepeat; ++i) {
        text += "repeat 10000000\n";
        ends += "end\n";
    }
    EXPECT_EQ(stepsOf(parsed(text + "wait 10000000\n" + ends)), kMostScriptSteps + 1);
}

Fraction randomProbability(Rng& rng) {
    const int below = 1 + rng.below(1000);
    return {rng.below(below + 1), below};
}

std::vector<Block> randomBlocks(int cups, int depth, Rng& rng) {
    const auto move = [&] { return Permutation::unrank(cups, rng.below(factorial(cups))); };
    std::vector<Block> blocks;
    for (int i = rng.below(6); i >= 0; --i) {
        switch (rng.below(depth < 3 ? 11 : 10)) {
            case 0: blocks.push_back({Wait{1 + rng.below(9)}}); break;
            case 1: {
                const int first = rng.below(cups);
                const int second = (first + 1 + rng.below(cups - 1)) % cups;
                blocks.push_back({MixPair{first, second, randomProbability(rng)}});
                break;
            }
            case 2: {
                const Fraction p = randomProbability(rng);
                blocks.push_back({MixMoves{{{p, move()}, {1 - p, move()}}}});
                break;
            }
            case 3: blocks.push_back({MixUniform{}}); break;
            case 4: blocks.push_back({MixRandomPair{randomProbability(rng)}}); break;
            case 5: blocks.push_back({RevealOne{rng.below(cups), rng.below(cups)}}); break;
            case 6: blocks.push_back({RevealAll{move()}}); break;
            case 7: blocks.push_back({Look{rng.below(cups)}}); break;
            case 8: blocks.push_back(rng.below(2) == 0 ? Block{Look{}} : Block{LookAll{}}); break;
            case 9: blocks.push_back({Find{rng.below(cups)}}); break;
            default:
                blocks.push_back({Repeat{1 + rng.below(9), randomBlocks(cups, depth + 1, rng)}});
        }
    }
    return blocks;
}

TEST(BeliefScript, PrintingIsTheInverseOfReading) {
    Rng rng(7);
    for (int i = 0; i < 2000; ++i) {
        BeliefScript script;
        script.cups = 2 + rng.below(kMostScriptCups - 1);
        script.start = rng.below(3) == 0 ? std::nullopt
                                         : std::optional(Permutation::unrank(
                                               script.cups, rng.below(factorial(script.cups))));
        script.convention = rng.below(2) == 0 ? Convention::kElements : Convention::kPositions;
        script.blocks = randomBlocks(script.cups, 0, rng);
        const std::string text = textOf(script);
        ASSERT_EQ(parsed(text), script) << text;
        ASSERT_EQ(textOf(parsed(text)), text);
    }
}

// Cut anywhere, a text is read or refused at a place that it has.
TEST(BeliefScript, EveryBeginningOfATextIsReadOrRefusedWhereItEnds) {
    const std::string text =
        "cups 4\nstart uniform\nmix 1/2 2143, 1/2 1234\nrepeat 3\nreveal 2 = 3\nend\n";
    for (std::size_t length = 0; length <= text.size(); ++length) {
        const auto result = parseScript(std::string_view(text).substr(0, length));
        if (const auto* problem = std::get_if<ParseProblem>(&result)) {
            EXPECT_GE(problem->line, 1);
            EXPECT_LE(problem->line, 7) << describe(*problem);
        }
    }
}

TEST(BeliefScript, EveryNamedPatternIsAScriptThatSurvivesBeingPrinted) {
    for (const PatternInfo& info : kPatterns) {
        const auto script =
            patternNamed(info.key, {.cups = 5, .probability = Fraction(1, 3), .cycles = 4});
        ASSERT_TRUE(script) << info.key;
        EXPECT_EQ(parsed(textOf(*script)), *script) << info.key;
    }
    EXPECT_FALSE(patternNamed("no such", {}));
}

}  // namespace
}  // namespace lab::tasks
