// Automata as TOML and as JFLAP saves them: what is read, and where each refusal points.
#include <gmock/gmock.h>

#include "core/files.h"
#include "core/storage/automaton_jff.h"
#include "core/storage/automaton_toml.h"
#include "core/storage/xml_text.h"
#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

using tasks::Fraction;
using testing::HasSubstr;
using testing::StartsWith;
using Fractions = std::vector<Fraction>;

template <class Read>
std::string refusalOf(Read read, const std::string& text) {
    try {
        static_cast<void>(read(text, "file"));
    } catch (const values::LabError& error) {
        return error.what();
    }
    return "accepted";
}

// ---- TOML

constexpr const char* kChain = R"(
name = "absorbing chain"
states = ["1", "2", "3"]
start = { 2 = "1/2", 3 = 0.5 }
events = ["fall", "see", "fall", "see"]
[symbols.fall.kernel]
1 = { 1 = 1 }
2 = { 1 = "1/2", 2 = "1/2" }
3 = { 1 = "1/2", 3 = "1/2" }
[symbols.see]
reveal_set = ["2", "3"]
)";

TEST(AutomatonToml, ReadsStatesStartSymbolsAndEvents) {
    const AutomatonCase one = automatonFromToml(kChain, "file");
    const Fraction half(1, 2);
    EXPECT_EQ(one.name, "absorbing chain");
    EXPECT_EQ(one.automaton.start, (Fractions{0, half, half}));
    ASSERT_EQ(one.automaton.symbols.size(), 2U);
    EXPECT_EQ(one.automaton.symbols[0].kernel, (Fractions{1, 0, 0, half, half, 0, half, 0, half}));
    EXPECT_EQ(one.automaton.symbols[1].possible, (std::vector<bool>{false, true, true}));
    EXPECT_EQ(one.events, (std::vector<int>{0, 1, 0, 1}));
}

TEST(AutomatonToml, TheBeliefCommandReadsIt) {
    const auto cases = posteriorOf(kChain, "chain.toml", {.fractions = true});
    ASSERT_EQ(cases.size(), 1U);
    ASSERT_EQ(cases[0].rows.size(), 4U);
    EXPECT_EQ(cases[0].rows[3].stepFraction, "1/2");
    ASSERT_EQ(cases[0].rows[3].belief.size(), 2U);
    EXPECT_EQ(cases[0].rows[3].belief[1].fraction, "1/2");
}

TEST(AutomatonToml, RefusalsPointAtLineColumnAndField) {
    const auto with = [](const std::string& from, const std::string& to) {
        std::string text = kChain;
        return text.replace(text.find(from), from.size(), to);
    };
    const auto refusal = [](const std::string& text) { return refusalOf(automatonFromToml, text); };
    EXPECT_THAT(refusal(with("2 = { 1 = \"1/2\"", "2 = { 1 = \"1/3\"")),
                StartsWith("file:8:5: symbols.fall.kernel.2: sums to 5/6"));
    EXPECT_THAT(refusal(with("2 = { 1 = \"1/2\"", "2 = { 1 = \"3/2\"")),
                StartsWith("file:8:11: symbols.fall.kernel.2.1: is \"3/2\""));
    EXPECT_THAT(refusal(with("1 = { 1 = 1 }", "")),
                AllOf(StartsWith("file:6:"), HasSubstr("symbols.fall.kernel: must")));
    EXPECT_THAT(refusal(with("reveal_set = [\"2\"", "reveal_set = [\"5\"")),
                StartsWith("file:11:14: symbols.see.reveal_set: there is no state"));
    EXPECT_THAT(refusal(with("events = [\"fall\"", "events = [\"fell\"")),
                StartsWith("file:5:10: events: there is no symbol"));
    EXPECT_THAT(refusal("states = 3\n"), StartsWith("file:1:10: states: must be a list"));
    EXPECT_THAT(refusal(""), StartsWith("file:1:1: states: is missing"));
    EXPECT_THAT(refusal("states = 1979-05-27\n"), HasSubstr("is a date or a time"));
    EXPECT_THAT(refusal("states = [\n"), StartsWith("file:"));
    EXPECT_THAT(refusal("[."), StartsWith("file:1:1: "));
}

// ---- JFLAP

/// Words of a and b with an even number of a.
constexpr const char* kEven = R"(<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!--Created with JFLAP 7.1.--><structure>
  <type>fa</type>
  <automaton>
    <!--The list of states.-->
    <state id="0" name="even"><x>76.0</x><y>93.0</y><initial/><final/></state>
    <state id="7" name="odd &amp; out"><x>200.0</x><y>93.0</y></state>
    <transition><from>0</from><to>7</to><read>a</read></transition>
    <transition><from>7</from><to>0</to><read>a</read></transition>
    <transition><from>0</from><to>0</to><read>b</read></transition>
    <transition><from>7</from><to>7</to><read>b</read></transition>
  </automaton>
</structure>
)";

std::string even(const std::string& from, const std::string& to) {
    std::string text = kEven;
    return text.replace(text.find(from), from.size(), to);
}

TEST(AutomatonJff, ReadsACompleteAutomaton) {
    const JffAutomaton read = automatonFromJff(kEven, "file");
    EXPECT_TRUE(read.complete);
    EXPECT_EQ(read.automaton.states, (std::vector<std::string>{"even", "odd & out"}));
    EXPECT_EQ(read.automaton.start, (Fractions{1, 0}));
    EXPECT_EQ(read.accepting, (std::vector<bool>{true, false}));
    ASSERT_EQ(read.automaton.symbols.size(), 2U);
    EXPECT_EQ(read.automaton.symbols[0].name, "a");
    EXPECT_EQ(read.automaton.symbols[0].kernel, (Fractions{0, 1, 1, 0}));
    EXPECT_EQ(read.automaton.symbols[1].kernel, (Fractions{1, 0, 0, 1}));
    EXPECT_TRUE(problemsIn(read.automaton).empty());
}

TEST(AutomatonJff, AMissingMoveLeadsToADeadState) {
    const JffAutomaton read = automatonFromJff(
        even("    <transition><from>7</from><to>7</to><read>b</read></transition>\n", ""), "file");
    EXPECT_FALSE(read.complete);
    EXPECT_EQ(read.automaton.states.back(), "(dead)");
    EXPECT_EQ(read.automaton.symbols[1].kernel, (Fractions{1, 0, 0, 0, 0, 1, 0, 0, 1}));
    EXPECT_TRUE(problemsIn(read.automaton).empty());
}

TEST(AutomatonJff, TheBeliefCommandFollowsEventsThroughIt) {
    const auto cases = posteriorOf(kEven, "even.jff", {.events = {"a", "b", "a", "a"}});
    ASSERT_EQ(cases.at(0).rows.size(), 4U);
    EXPECT_EQ(cases[0].rows[1].belief.at(0).state, "odd & out");
    EXPECT_EQ(cases[0].rows[2].belief.at(0).state, "even");
    try {
        static_cast<void>(posteriorOf(kEven, "even.jff", {.events = {"c"}}));
        ADD_FAILURE();
    } catch (const values::LabError& error) {
        EXPECT_THAT(error.what(), HasSubstr("there is no symbol called \"c\""));
    }
}

TEST(AutomatonJff, RefusalsPointAtLineAndField) {
    const auto refusal = [](const std::string& text) { return refusalOf(automatonFromJff, text); };
    EXPECT_THAT(refusal(even("<type>fa", "<type>pda")), StartsWith("file:3: type: is \"pda\""));
    EXPECT_THAT(refusal(even("<to>7", "<to>8")),
                StartsWith("file:8: transition.to: there is no state with the id \"8\""));
    EXPECT_THAT(refusal(even("<read>a</read>", "<read/>")),
                StartsWith("file:8: transition.read: is empty"));
    EXPECT_THAT(refusal(even("<to>0</to><read>b", "<to>7</to><read>a") +
                        ""),  // line 10: out of 0 with a, to 7 again: the same way twice is one
                "accepted");
    EXPECT_THAT(
        refusal(even("<to>0</to><read>b", "<to>0</to><read>a")),
        StartsWith("file:10: transition.read: \"a\" has two ways out of the state \"even\""));
    EXPECT_THAT(refusal(even("<initial/>", "")), HasSubstr("no state is the initial one"));
    EXPECT_THAT(refusal(even("93.0</y></state>", "93.0</y><initial/></state>")),
                StartsWith("file:7: state.initial: is the second"));
    EXPECT_THAT(refusal(even("id=\"7\"", "id=\"0\"")),
                StartsWith("file:7: state.id: \"0\" stands"));
    EXPECT_THAT(refusal(even("id=\"7\"", "")), StartsWith("file:7: state.id: is missing"));
    EXPECT_THAT(refusal("<html/>"), StartsWith("file:1: structure: the file begins with <html>"));
}

// ---- XML

TEST(XmlText, ReadsEntitiesCommentsAndCdata) {
    const XmlElement root = parseXml(
        "<a k='1 &lt; 2' l=\"&#65;&#x20AC;\">  x<!-- no --> &amp; "
        "<![CDATA[<y>]]><b/>\n<c>2</c></a>",
        "file");
    EXPECT_EQ(*root.attribute("k"), "1 < 2");
    EXPECT_EQ(*root.attribute("l"), "A\xE2\x82\xAC");
    EXPECT_EQ(root.text, "x & <y>");
    ASSERT_EQ(root.children.size(), 2U);
    EXPECT_EQ(root.child("c")->line, 2);
    EXPECT_EQ(root.attribute("m"), nullptr);
}

TEST(XmlText, RefusesWhatIsNotWellFormedWithItsLine) {
    const auto refusal = [](const std::string& text) { return refusalOf(parseXml, text); };
    for (const char* text :
         {"", "x", "<a>\n", "<a>\n</b>", "<a", "<a b>\n</a>", "<a b=1></a>", "<a b='1></a>",
          "<a>&x;</a>", "<a>&</a>", "<a>&#0;</a>", "<a>&#xD800;</a>", "<a>&#;</a>", "<a></a><b/>",
          "<!DOCTYPE a><a/>", "<a><!-- </a>", "<a></a", "< a/>", "<a>&#99999999999;</a>"}) {
        EXPECT_THAT(refusal(text), StartsWith("file:")) << text;
    }
    EXPECT_THAT(refusal("<a>\n<b>\n</a>"),
                StartsWith("file:3: expected </b>, which closes line 2"));
    std::string deep;
    for (int i = 0; i < 100'000; ++i) {
        deep += "<a>";
    }
    EXPECT_THAT(refusal(deep), HasSubstr("more than 64 deep"));
}

TEST(XmlText, EveryBeginningOfAFileIsRefusedInOrder) {
    const std::string text(kEven);
    for (std::size_t length = 0; length + 1 < text.size(); ++length) {
        EXPECT_THAT(refusalOf(automatonFromJff, text.substr(0, length)), StartsWith("file:"));
    }
}

}  // namespace
}  // namespace lab::storage
