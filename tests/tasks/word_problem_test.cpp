#include "tasks/word_problem.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lab::tasks {
namespace {

TEST(WordProblem, TargetsAreTheProductsOfTheTokens) {
    for (const char* name : {"S3", "S5", "A5", "Z60", "A4xZ5"}) {
        const WordProblem task({.group = name});
        Rng rng(3);
        const Trace trace = task.sample(rng, {.commands = 100});
        int product = 0;
        for (std::size_t t = 0; t < 100; ++t) {
            product = task.group().multiply(product, task.elementOf(trace.tokens.at(t)));
            EXPECT_EQ(trace.targets.at(t), product);
            EXPECT_EQ(trace.targetKinds.at(t), TokenKind::kOutput);
            EXPECT_EQ(trace.reveals.at(t), static_cast<int>(t));
        }
        EXPECT_EQ(task.revealsIn({.commands = 100}), 100);
        EXPECT_EQ(task.tokensIn({.commands = 100}), static_cast<int>(trace.tokens.size()));
        EXPECT_DOUBLE_EQ(task.chance() * task.outputCount(), 1.0);
    }
}

// Cups: a row of things that every token rearranges; the product names the row.
TEST(WordProblem, AProductInTheSymmetricGroupIsWhatTheMovesMakeOfARow) {
    const WordProblem task({.group = "S5", .generators = Generators::kSwaps});
    EXPECT_EQ(task.inputCount(), 11);  // ten exchanges and the identity
    EXPECT_EQ(task.outputCount(), 120);
    Rng rng(4);
    const Trace trace = task.sample(rng, {.commands = 200});
    std::string row = "12345";
    for (std::size_t t = 0; t < 200; ++t) {
        const std::string move(task.tokenText(trace.tokens[t]));
        std::string next;
        for (const char source : move) {
            next += row[static_cast<std::size_t>(source - '1')];
        }
        row = next;
        EXPECT_EQ(task.group().elementName(trace.targets[t]), row);
    }
}

TEST(WordProblem, GroupsOtherThanTheSymmetricDrawFromAllElements) {
    EXPECT_EQ(WordProblem({.group = "A5", .generators = Generators::kSwaps}).inputCount(), 60);
    EXPECT_EQ(WordProblem({.group = "S3xZ2", .generators = Generators::kSwaps}).inputCount(), 12);
    EXPECT_EQ(WordProblem({.group = "S4", .generators = Generators::kAdjacentSwaps}).inputCount(),
              4);
}

TEST(WordProblem, TextIsTheElementsInARow) {
    const WordProblem task({.group = "S3"});
    Trace trace;
    trace.tokens = {0, 2, 5};
    EXPECT_EQ(task.text(trace), "123 213 321");
}

}  // namespace
}  // namespace lab::tasks
