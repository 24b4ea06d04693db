// Expected posteriors come from the enumeration of all paths (tests/golden/belief) or are worked by
// hand.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/values/lab_error.h"
#include "tests/core/storage/scratch_folder.h"

namespace lab {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

json loadGolden() {
    return json::parse(
        storage::contentOf(std::filesystem::path(LAB_GOLDEN_DIR) / "belief" / "belief.json"));
}

std::string refusalOf(const std::string& text) {
    try {
        static_cast<void>(posteriorOf(text, "file", {}));
    } catch (const values::LabError& error) {
        return error.what();
    }
    return "accepted";
}

/// "state: p/q" joined, in order.
std::string textOf(const BeliefRow& row) {
    std::string text = row.event + " [" + row.stepFraction + "]";
    for (const StateBelief& state : row.belief) {
        text += " " + state.state + ": " + state.fraction + ";";
    }
    return text;
}

TEST(Belief, IsExactlyTheEnumeratedPosteriorOfEveryGoldenAutomaton) {
    const json golden = loadGolden();
    ASSERT_GE(golden.at("cases").size(), 17U);
    for (const json& wanted : golden.at("cases")) {
        SCOPED_TRACE(wanted.at("name").get<std::string>());
        const auto cases = posteriorOf(wanted.dump(), "file", {.fractions = true});
        ASSERT_EQ(cases.size(), 1U);
        const json& after = wanted.at("after");
        ASSERT_EQ(cases[0].rows.size(), after.size());
        for (std::size_t t = 0; t < after.size(); ++t) {
            const BeliefRow& row = cases[0].rows[t];
            EXPECT_EQ(row.event, after[t].at("event"));
            EXPECT_EQ(row.stepFraction, after[t].at("step_probability"));
            json belief = json::object();
            for (const StateBelief& state : row.belief) {
                belief[state.state] = state.fraction;
            }
            EXPECT_EQ(belief,
                      after[t].at("belief").is_null() ? json::object() : after[t].at("belief"));
        }
    }
}

TEST(Belief, InFloatingPointIsTheSameToTwelveDigits) {
    const json golden = loadGolden();
    const auto exact = posteriorOf(golden.dump(), "file", {.fractions = true});
    const auto floating = posteriorOf(golden.dump(), "file", {});
    ASSERT_EQ(exact.size(), golden.at("cases").size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
        EXPECT_EQ(exact[i].name, golden.at("cases")[i].at("name"));
        ASSERT_EQ(exact[i].rows.size(), floating[i].rows.size());
        for (std::size_t t = 0; t < exact[i].rows.size(); ++t) {
            const auto& states = floating[i].rows[t].belief;
            ASSERT_EQ(exact[i].rows[t].belief.size(), states.size());
            EXPECT_EQ(floating[i].rows[t].stepFraction, "");
            for (std::size_t s = 0; s < states.size(); ++s) {
                EXPECT_NEAR(states[s].probability, exact[i].rows[t].belief[s].probability, 1e-12);
            }
        }
    }
}

constexpr const char* kSession =
    ">>> a = 1\n>>> b = 2\n>>> c = 3\n>>> a, b = b, a\n>>> print('a', a)\na 2\n"
    ">>> c = 7\n>>> b, c = c, b\n>>> print('c', c)\nc 1\n";

TEST(Belief, OneWhoSeesEverythingOfASessionIsAlwaysCertain) {
    const auto rows = posteriorOf(kSession, "file", {.fractions = true})[0].rows;
    std::vector<std::string> texts;
    for (const BeliefRow& row : rows) {
        texts.push_back(textOf(row));
    }
    EXPECT_THAT(texts, testing::ElementsAre(
                           "a = 1 [1] a=1: 1;", "b = 2 [1] a=1 b=2: 1;",
                           "c = 3 [1] a=1 b=2 c=3: 1;", "a, b = b, a [1] a=2 b=1 c=3: 1;",
                           "print('a', a) [1] a=2 b=1 c=3: 1;", "c = 7 [1] a=2 b=1 c=7: 1;",
                           "b, c = c, b [1] a=2 b=7 c=1: 1;", "print('c', c) [1] a=2 b=7 c=1: 1;"));
}

// By hand: six arrangements of 1, 2, 3 at the start. The print leaves two of them, a = 2 and the
// others either way; c is then overwritten in sight, so b is 1 or 3 with one half each.
TEST(Belief, AWatcherLearnsFromPrintsAlone) {
    const auto rows = posteriorOf(kSession, "file", {.fractions = true, .watching = true})[0].rows;
    EXPECT_EQ(textOf(rows[0]), "a = 1 [1] a=1: 1/3; a=2: 1/3; a=3: 1/3;");
    EXPECT_EQ(textOf(rows[2]).substr(0, 35), "c = 3 [1] a=1 b=2 c=3: 1/6; a=1 b=3");
    EXPECT_EQ(textOf(rows[4]), "print('a', a) [1/3] a=2 b=1 c=3: 1/2; a=2 b=3 c=1: 1/2;");
    EXPECT_EQ(textOf(rows[5]), "c = 7 [1] a=2 b=1 c=7: 1/2; a=2 b=3 c=7: 1/2;");
    EXPECT_EQ(textOf(rows[7]), "print('c', c) [1/2] a=2 b=7 c=1: 1;");
}

TEST(Belief, AWatchersListOfArrangementsIsLimited) {
    std::string session;
    for (int i = 0; i < 8; ++i) {
        session +=
            std::string(">>> ") + static_cast<char>('a' + i) + " = " + std::to_string(i) + "\n";
    }
    EXPECT_EQ(posteriorOf(session, "file", {}).front().rows.size(), 8U);
    EXPECT_THROW(static_cast<void>(posteriorOf(session, "file", {.watching = true})),
                 values::LabError);
}

TEST(Belief, ARefusalNamesTheField) {
    const std::string good =
        R"({"states":["p","q"],"start":{"p":"1"},"symbols":{"x":{"reveal_set":"all","kernel":)"
        R"({"p":{"q":"1"},"q":{"q":1}}}},"events":["x"]})";
    EXPECT_EQ(refusalOf(good), "accepted");
    const auto broken = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const auto at = text.find(from);
        return at == std::string::npos ? "not found" : refusalOf(text.replace(at, from.size(), to));
    };
    EXPECT_EQ(broken(R"({"p":{"q":"1"})", R"({"p":{"q":"1/2"})"),
              "file: symbols.x.kernel.p: sums to 1/2, must be 1");
    EXPECT_EQ(broken(R"("start":{"p":"1"})", R"("start":{"r":"1"})"),
              "file: start: there is no state called \"r\"");
    EXPECT_EQ(
        broken(R"({"p":"1"})", R"({"p":"-1"})"),
        "file: start.p: is \"-1\", must be a probability from 0 to 1 such as \"1/3\" or 0.25");
    EXPECT_EQ(broken(R"("events":["x"])", R"("events":["y"])"),
              "file: events: there is no symbol called \"y\"");
    EXPECT_EQ(broken(R"(,"events":["x"])", ""), "file: events: is missing");
    EXPECT_EQ(broken(R"("all")", "7"),
              "file: symbols.x.reveal_set: is 7, must be \"all\" or a list of states");
    EXPECT_EQ(broken(R"(["p","q"])", R"(["p","p"])"), "file: states: \"p\" stands there twice");
    EXPECT_EQ(broken(R"(,"q":{"q":1})", ""),
              "file: symbols.x.kernel: must be an object with a row for each of the 2 states");
    EXPECT_THAT(refusalOf(R"({"cases":[{"states":["p"]}]})"),
                StartsWith("file: cases[0]: start: is missing"));
    EXPECT_THAT(refusalOf("{\"states\": [}"), HasSubstr("file: byte 13 is no valid JSON"));
    EXPECT_THAT(refusalOf("[1]"), StartsWith("file: is [1], must be an object"));
    EXPECT_THAT(refusalOf(">>> a = b\n"), StartsWith("file:1:9: "));
}

TEST(Belief, NumbersAreReadAsTheDecimalsThatAreWritten) {
    const auto cases = posteriorOf(
        R"({"states":["p","q"],"start":"uniform","symbols":{"x":{"kernel":)"
        R"({"p":{"p":0.1,"q":0.9},"q":{"q":1}}},"see":{"reveal_set":["p"]}},"events":["x","see"]})",
        "file", {.fractions = true});
    EXPECT_EQ(textOf(cases[0].rows[0]), "x [1] p: 1/20; q: 19/20;");
    EXPECT_EQ(textOf(cases[0].rows[1]), "see [1/20] p: 1;");
}

}  // namespace
}  // namespace lab
