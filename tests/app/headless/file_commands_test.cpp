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

TEST(Weights, ListsTheTensorsOfAFile) {
    const Said said = cli({"weights", "--json", golden("safetensors/lib_metadata.safetensors")});
    EXPECT_EQ(said.code, 0);
    const json listing = said.json();
    EXPECT_EQ(listing.at("ok"), true);
    EXPECT_EQ(listing.at("tensors"),
              json::parse(R"([{"name":"w","dtype":"F32","shape":[2],"bytes":8}])"));
    EXPECT_EQ(listing.at("metadata").at("format"), "pt");
    EXPECT_EQ(cli({"weights", golden("safetensors/lib_metadata.safetensors")}).out,
              "name  dtype  shape  bytes\nw       F32    [2]      8\n");
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

}  // namespace
}  // namespace lab::headless
