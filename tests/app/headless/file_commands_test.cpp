// weights, trace check, belief and the command line itself: all that needs no model.
#include <gmock/gmock.h>

#include "tests/app/headless/cli.h"

namespace lab::headless {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CommandLine, HelpStartsWithExamplesAndGoesToStandardOutput) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"--help"}, {"weights", "--help"}, {"trace", "check", "--help"}, {"belief", "-h"}}) {
        const Said said = cli(words);
        EXPECT_EQ(said.code, 0);
        EXPECT_THAT(said.out, StartsWith("Examples:\n  thimblerig-cli "));
        EXPECT_EQ(said.err, "");
    }
}

// The known figures are a second implementation's; the program judges itself against them.
TEST(BeliefStudyCommand, ReproducesTheKnownFigures) {
    const Said said = cli({"bench", "belief-study", "--json", "--quiet"});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.err, "");
    const json study = said.json();
    EXPECT_EQ(study.at("bench"), "belief-study");
    EXPECT_TRUE(study.at("pass").get<bool>());
    EXPECT_EQ(study.at("goals").size(), 4U * 5 + 4 * 5);
    for (const json& row : study.at("rows")) {
        if (row.at("table") == "decay") {
            EXPECT_NEAR(row.at("log2_norm_per_step").get<double>(),
                        row.at("log2_norm_per_step_expected").get<double>(), 0.03)
                << row;
        } else {
            EXPECT_NEAR(row.at("cycles").get<int>(), row.at("cycles_expected").get<int>(), 1)
                << row;
        }
    }
    const std::string table = cli({"bench", "belief-study", "--quiet"}).out;
    EXPECT_THAT(table, HasSubstr("Seed 4, 32 runs"));
    EXPECT_THAT(table, HasSubstr("medians of 31 random bases"));
}

TEST(CommandLine, TheVersionIsThatOfTheBuild) {
    EXPECT_EQ(cli({"--version"}).out, "thimblerig-cli " LAB_VERSION "\n");
}

TEST(CommandLine, AWrongCommandLineIsCodeTwoAndSaysNothingOnStandardOutput) {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {}, {"nonsense"}, {"weights"}, {"weights", "--colour", "x"}, {"trace", "check"}}) {
        const Said said = cli(words);
        EXPECT_EQ(said.code, 2);
        EXPECT_EQ(said.out, "");
        EXPECT_NE(said.err, "");
    }
}

TEST(CommandLine, AFileThatIsNotThereIsCodeOne) {
    for (const std::vector<std::string>& words :
         std::vector<std::vector<std::string>>{{"weights", "/no/such"},
                                               {"trace", "check", "/no/such"},
                                               {"belief", "/no/such"},
                                               {"belief", "/tmp"}}) {
        const Said said = cli(words);
        EXPECT_EQ(said.code, 1) << said.err;
        EXPECT_THAT(said.err, StartsWith("thimblerig-cli: " + words.back() + ": "));
        EXPECT_EQ(said.out, "");
    }
}

TEST(CommandLine, AFileWithoutAnEndIsGivenUp) {
    EXPECT_EQ(cli({"trace", "check", "/dev/zero"}).code, 1);
    EXPECT_EQ(cli({"weights", "/dev/zero"}).code, 6);
}

TEST(Weights, ListsTheTensorsOfAFile) {
    const Said said = cli({"weights", "--json", golden("safetensors/lib_metadata.safetensors")});
    EXPECT_EQ(said.code, 0);
    const json listing = said.json();
    EXPECT_EQ(listing.at("ok"), true);
    EXPECT_EQ(listing.at("tensors"),
              json::parse(R"([{"name":"w","dtype":"F32","shape":[2],"bytes":8}])"));
    EXPECT_EQ(listing.at("metadata").at("format"), "pt");
    EXPECT_EQ(cli({"weights", golden("safetensors/lib_metadata.safetensors")}).out,
              "name  dtype  shape  bytes\nw     F32    [2]        8\n");
}

TEST(Weights, ReadsStandardInput) {
    const std::string bytes = contentOf(golden("safetensors/lib_metadata.safetensors"));
    EXPECT_EQ(cli({"weights", "-", "--json"}, bytes).json().at("tensors").size(), 1U);
}

TEST(Weights, GivesTheReferenceVerdictOnEveryGoldenFile) {
    const json verdicts = json::parse(contentOf(golden("safetensors/verdicts.json")));
    for (const json& wanted : verdicts.at("cases")) {
        const std::string file = golden("safetensors/" + wanted.at("file").get<std::string>());
        const Said said = cli({"weights", "--json", file});
        SCOPED_TRACE(file);
        if (said.code == 0) {
            EXPECT_EQ(wanted.at("verdict"), "accept");
            EXPECT_EQ(said.json().at("ok"), true);
        } else {
            EXPECT_EQ(said.code, 6);
            EXPECT_TRUE(wanted.at("verdict") == "reject" ||
                        wanted.value("strict_refusal_ok", false));
            EXPECT_EQ(said.json().at("ok"), false);
            EXPECT_EQ(said.err,
                      "thimblerig-cli: " + said.json().at("message").get<std::string>() + "\n");
        }
    }
}

TEST(TraceCheck, AgreesWithTheInterpreterOnEveryGoldenSession) {
    const json sessions = json::parse(contentOf(golden("repl/traces.json")));
    int accepted = 0;
    for (const json& wanted : sessions.at("cases")) {
        const std::string file = golden("repl/" + wanted.at("file").get<std::string>());
        SCOPED_TRACE(file + ": " + wanted.at("why").get<std::string>());
        const Said said = cli({"trace", "check", "--json", file});
        const json verdict = said.json();
        EXPECT_EQ(said.code, verdict.at("ok") == true ? 0 : 6);
        EXPECT_NE(verdict.at("ok") == true ? "refuse" : "accept", wanted.at("expect"));
        if (verdict.at("ok") == false) {
            EXPECT_TRUE(verdict.at("line").is_number_integer());
            EXPECT_TRUE(verdict.at("column").is_number_integer());
            EXPECT_NE(verdict.at("message"), "");
        } else if (wanted.at("in_language") == true) {
            ++accepted;
            const json& steps = wanted.at("steps");
            ASSERT_EQ(verdict.at("steps").size(), steps.size());
            for (std::size_t i = 0; i < steps.size(); ++i) {
                EXPECT_EQ(verdict.at("steps")[i].at("line"), steps[i].at("line"));
                EXPECT_EQ(verdict.at("steps")[i].at("variables"), steps[i].at("variables"));
            }
        }
    }
    EXPECT_EQ(accepted, 19);
}

TEST(TraceCheck, SaysWhereAndWhy) {
    const Said said = cli({"trace", "check", "-"}, ">>> a = 1\n>>> print('a', a)\na 2\n");
    EXPECT_EQ(said.code, 6);
    EXPECT_THAT(said.err, StartsWith("thimblerig-cli: standard input:3:3: "));
    EXPECT_EQ(said.out, "");
    const Said good = cli({"trace", "check", "-"}, ">>> a = 1\n>>> print('a', a)\na 1\n");
    EXPECT_EQ(good.code, 0);
    EXPECT_EQ(good.out, "standard input: a valid transcript of 2 commands\n");
}

TEST(Belief, PrintsOneLineAnEventWithTheEnumeratedPosterior) {
    const json all = json::parse(contentOf(golden("belief/belief.json")));
    for (const json& wanted : all.at("cases")) {
        const Said said = cli({"belief", "-", "--fractions", "--json"}, wanted.dump());
        SCOPED_TRACE(wanted.at("name").get<std::string>());
        const auto lines = said.jsonLines();
        ASSERT_EQ(lines.size(), wanted.at("after").size());
        for (std::size_t i = 0; i < lines.size(); ++i) {
            json line = wanted.at("after")[i];
            for (const char* unsaid : {"joint_norm", "marginals"}) {
                line.erase(unsaid);
            }
            EXPECT_EQ(lines[i], line);
        }
        const bool contradicts = !wanted.at("contradiction_at_event").is_null();
        EXPECT_EQ(said.code, contradicts ? 6 : 0);
        EXPECT_EQ(said.err.empty(), !contradicts);
    }
}

TEST(Belief, ReadsFilesWithSeveralCases) {
    const Said one = cli({"belief", golden("belief/belief.json"), "--case", "reveal_before_move"});
    EXPECT_EQ(one.code, 0);
    EXPECT_EQ(one.out, "# reveal_before_move\nlook_then_swap  probability 0.5   213: 1\n");
    EXPECT_EQ(cli({"belief", golden("belief/belief.json"), "--case", "none"}).code, 2);
    const Said all = cli({"belief", golden("belief/belief.json"), "--json"});
    EXPECT_EQ(all.code, 6);
    EXPECT_THAT(all.err, HasSubstr("contradiction_later: event 4 (see3at1) is impossible"));
    EXPECT_EQ(all.jsonLines().front().at("case"), "cups_2_positions_known_start");
}

TEST(Belief, ReadsASession) {
    const std::string session = ">>> a = 1\n>>> b = 2\n>>> print('a', a)\na 1\n";
    const auto lines =
        cli({"belief", "--watching", "--fractions", "--json", "-"}, session).jsonLines();
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[1], json::parse(R"json({"event": "b = 2", "step_probability": "1",
                                            "belief": {"a=1 b=2": "1/2", "a=2 b=1": "1/2"}})json"));
    EXPECT_EQ(lines[2], json::parse(R"json({"event": "print('a', a)", "step_probability": "1/2",
                                            "belief": {"a=1 b=2": "1"}})json"));
}

TEST(Belief, RefusesWhatIsNeither) {
    const Said said = cli({"belief", "-"}, "{\"states\": 3}");
    EXPECT_EQ(said.code, 6);
    EXPECT_EQ(said.err,
              "thimblerig-cli: standard input: states: must be a list of 1 to 1000 names\n");
    EXPECT_EQ(cli({"belief", "-"}, "hello\n").code, 6);
}

}  // namespace
}  // namespace lab::headless
