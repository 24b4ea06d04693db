#include "tasks/belief_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tasks/automaton.h"
#include "tasks/rng.h"

namespace lab::tasks {
namespace {

// Every number in these cases is a dyadic fraction or a small third, so doubles are compared
// closely and fractions exactly.
void expectSame(double ours, double theirs) {
    EXPECT_NEAR(ours, theirs, 1e-15);
}
void expectSame(const Fraction& ours, const Fraction& theirs) {
    EXPECT_EQ(ours, theirs);
}

int rankOf(const std::string& digits) {
    std::vector<int> images;
    for (const char digit : digits) {
        images.push_back(digit - '1');
    }
    return Permutation::from(images).value().rank();
}

template <class Number>
class BeliefFilterOf : public testing::Test {
protected:
    static Number half() { return Number(1) / 2; }

    static Number massOf(const BeliefFilter<Number>& filter, const std::string& digits) {
        return filter.posterior().belief().at(static_cast<std::size_t>(rankOf(digits)));
    }

    /// Applies an event that must be possible; gives its probability.
    static Number see(BeliefFilter<Number>& filter, const CupEvent<Number>& event) {
        const auto step = filter.apply(event);
        EXPECT_TRUE(std::holds_alternative<Number>(step));
        return std::holds_alternative<Number>(step) ? std::get<Number>(step) : Number(-1);
    }
};
using Numbers = testing::Types<double, Fraction>;
TYPED_TEST_SUITE(BeliefFilterOf, Numbers);

// Two cups, a hidden coin, a look: what was unsure is sure, at the price of one bit.
TYPED_TEST(BeliefFilterOf, AHiddenCoinIsUndoneByALook) {
    using Event = CupEvent<TypeParam>;
    BeliefFilter<TypeParam> filter{Permutation(2)};
    expectSame(this->see(filter, Event::hiddenSwap(2, 0, 1, this->half())), 1);
    expectSame(this->massOf(filter, "12"), this->half());
    expectSame(this->massOf(filter, "21"), this->half());
    expectSame(this->see(filter, Event::shown(0, {0})), this->half());
    expectSame(this->massOf(filter, "12"), 1);
    EXPECT_DOUBLE_EQ(filter.posterior().log2Evidence(), -1);
}

// Source: arXiv 2602.14814, appendix B.1.
TYPED_TEST(BeliefFilterOf, ThreeCupsWithTwoHiddenSwapsAndOneLook) {
    using Event = CupEvent<TypeParam>;
    for (const Convention convention : {Convention::kPositions, Convention::kElements}) {
        BeliefFilter<TypeParam> filter(Permutation(3), convention);
        const Event mix{std::nullopt,
                        {{this->half(), Permutation::exchange(3, 0, 1)},
                         {this->half(), Permutation::exchange(3, 0, 2)}}};
        expectSame(this->see(filter, mix), 1);
        expectSame(this->massOf(filter, "213"), this->half());
        expectSame(this->massOf(filter, "321"), this->half());
        expectSame(this->see(filter, Event::shown(0, {2})), this->half());
        expectSame(this->massOf(filter, "321"), 1);
        expectSame(filter.posterior().evidence(), this->half());
    }
}

// The same mix from 231: elements go to 213 and 132, positions to 321 and 132.
TYPED_TEST(BeliefFilterOf, SwappedElementsAndSwappedPositionsDifferFrom231) {
    using Event = CupEvent<TypeParam>;
    const Event mix{std::nullopt,
                    {{this->half(), Permutation::exchange(3, 0, 1)},
                     {this->half(), Permutation::exchange(3, 0, 2)}}};
    const Permutation start = Permutation::unrank(3, rankOf("231"));
    BeliefFilter<TypeParam> positions(start, Convention::kPositions);
    BeliefFilter<TypeParam> elements(start, Convention::kElements);
    this->see(positions, mix);
    this->see(elements, mix);
    expectSame(this->massOf(positions, "321"), this->half());
    expectSame(this->massOf(positions, "132"), this->half());
    expectSame(this->massOf(elements, "213"), this->half());
    expectSame(this->massOf(elements, "132"), this->half());
}

// A uniform shuffle and a look that finds element 1 at position 1, again and again: a factor of a
// third each time, and the other two cups stay unknown.
TYPED_TEST(BeliefFilterOf, AShuffleAndALookCostLog2OfThreeBitsACycle) {
    using Event = CupEvent<TypeParam>;
    BeliefFilter<TypeParam> filter{Permutation(3)};
    Event shuffle;
    for (const Permutation& p : generatingSet(3, Generators::kPermutations)) {
        shuffle.mixture.push_back({TypeParam(1) / 6, p});
    }
    TypeParam expected(1);
    for (int cycle = 1; cycle <= 12; ++cycle) {
        this->see(filter, shuffle);
        expectSame(this->see(filter, Event::shown(0, {0})), TypeParam(1) / 3);
        expected /= 3;
        expectSame(filter.posterior().evidence(), expected);
        const auto marginals = filter.marginals();
        const std::vector<TypeParam> known{
            1, 0, 0, 0, this->half(), this->half(), 0, this->half(), this->half()};
        for (std::size_t i = 0; i < known.size(); ++i) {
            expectSame(marginals[i], known[i]);
        }
    }
    EXPECT_NEAR(filter.posterior().log2Evidence(), -12 * std::log2(3.0), 1e-12);
}

TYPED_TEST(BeliefFilterOf, AContradictoryRevealIsATypedResultAndStays) {
    using Event = CupEvent<TypeParam>;
    BeliefFilter<TypeParam> filter{Permutation(3)};
    this->see(filter, Event::hiddenSwap(3, 0, 1, this->half()));
    const auto step = filter.apply(Event::shown(0, {2}));
    ASSERT_TRUE(std::holds_alternative<Contradiction>(step));
    EXPECT_EQ(std::get<Contradiction>(step).event, 2);
    EXPECT_TRUE(filter.posterior().contradicted());
    EXPECT_TRUE(filter.marginals().empty());
    EXPECT_EQ(filter.posterior().evidence(), 0);
    EXPECT_TRUE(std::isinf(filter.posterior().log2Evidence()));
    const auto later = filter.apply(Event::certain(Permutation::exchange(3, 0, 1)));
    EXPECT_EQ(std::get<Contradiction>(later), Contradiction{2});
}

TYPED_TEST(BeliefFilterOf, SaysWhyAnEventDoesNotFit) {
    using Event = CupEvent<TypeParam>;
    EXPECT_EQ(problemWith(Event::hiddenSwap(3, 0, 2, TypeParam(1) / 3), 3), "");
    EXPECT_NE(problemWith(Event::hiddenSwap(4, 0, 2, this->half()), 3), "");
    EXPECT_NE(problemWith(Event::hiddenSwap(3, 0, 2, TypeParam(3) / 2), 3), "");
    EXPECT_NE(problemWith(Event{std::nullopt, {{this->half(), Permutation(3)}}}, 3), "");
    EXPECT_NE(problemWith(Event::shown(3, {0}), 3), "");
    EXPECT_NE(problemWith(Event::shown(0, {3}), 3), "");
    EXPECT_NE(problemWith(Event::shown(0, {}), 3), "");
}

// The evidence of a long session leaves the range of doubles; its logarithm does not.
TEST(BeliefFilter, LogarithmsOfTheEvidenceSurviveUnderflow) {
    BeliefFilter<double> filter{Permutation(2)};
    for (int cycle = 0; cycle < 2000; ++cycle) {
        ASSERT_TRUE(std::holds_alternative<double>(
            filter.apply(CupEvent<double>::hiddenSwap(2, 0, 1, 0.5))));
        ASSERT_TRUE(std::holds_alternative<double>(filter.apply(CupEvent<double>::shown(0, {0}))));
    }
    EXPECT_EQ(filter.posterior().evidence(), 0.0);
    EXPECT_DOUBLE_EQ(filter.posterior().log2Evidence(), -2000);
    EXPECT_FALSE(filter.posterior().contradicted());
}

TEST(BeliefFilter, EightCupsAreFollowedWithCertainty) {
    BeliefFilter<double> filter{Permutation(8)};
    Permutation truth(8);
    Rng rng(31);
    for (int t = 0; t < 50; ++t) {
        const Permutation move = Permutation::unrank(8, rng.below(factorial(8)));
        truth = actOnPositions(truth, move);
        ASSERT_TRUE(std::holds_alternative<double>(filter.apply(CupEvent<double>::certain(move))));
        EXPECT_EQ(filter.posterior().belief().at(static_cast<std::size_t>(truth.rank())), 1.0);
    }
}

/// A fraction in (0, 1).
Fraction randomFraction(Rng& rng) {
    const int denominator = 2 + rng.below(6);
    return Fraction(1 + rng.below(denominator - 1), denominator);
}

/// A path's weight by the definition: the sum over all branches, one after the other.
void sumPaths(const std::vector<CupEvent<Fraction>>& events, std::size_t t,
              const Permutation& state, const Fraction& weight, std::vector<Fraction>& sums) {
    if (t == events.size()) {
        sums[static_cast<std::size_t>(state.rank())] += weight;
        return;
    }
    if (const auto& reveal = events[t].reveal) {
        bool possible = false;
        for (const int element : reveal->elements) {
            possible = possible || state[reveal->position] == element;
        }
        if (!possible) {
            return;
        }
    }
    if (events[t].mixture.empty()) {
        sumPaths(events, t + 1, state, weight, sums);
    }
    for (const auto& branch : events[t].mixture) {
        std::vector<int> next;
        for (int i = 0; i < state.points(); ++i) {
            next.push_back(state[branch.move[i]]);
        }
        sumPaths(events, t + 1, Permutation::from(next).value(), weight * branch.probability, sums);
    }
}

CupEvent<Fraction> randomEvent(int n, Rng& rng) {
    CupEvent<Fraction> event;
    if (rng.below(2) == 0) {
        event.reveal = {rng.below(n), {rng.below(n)}};
        if (rng.below(2) == 0) {
            event.reveal->elements.push_back(rng.below(n));
        }
    }
    if (rng.below(3) > 0) {
        const Fraction p = randomFraction(rng);
        event.mixture = {{p, Permutation::unrank(n, rng.below(factorial(n)))},
                         {1 - p, Permutation::unrank(n, rng.below(factorial(n)))}};
    }
    return event;
}

TEST(BeliefFilter, IsTheSumOverAllPathsForRandomScripts) {
    Rng rng(32);
    int contradictions = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const int n = 2 + rng.below(4);
        const Permutation start = Permutation::unrank(n, rng.below(factorial(n)));
        BeliefFilter<Fraction> exact(start);
        std::vector<CupEvent<Fraction>> events;
        for (int t = 0; t < 6 && !exact.posterior().contradicted(); ++t) {
            events.push_back(randomEvent(n, rng));
            const auto step = exact.apply(events.back());
            std::vector<Fraction> sums(static_cast<std::size_t>(factorial(n)));
            sumPaths(events, 0, start, 1, sums);
            Fraction total(0);
            for (const Fraction& sum : sums) {
                total += sum;
            }
            ASSERT_EQ(total, exact.posterior().evidence());
            ASSERT_EQ(total == 0, std::holds_alternative<Contradiction>(step));
            if (total == 0) {
                ++contradictions;
                break;
            }
            for (std::size_t i = 0; i < sums.size(); ++i) {
                ASSERT_EQ(exact.posterior().belief()[i], sums[i] / total);
            }
        }
    }
    EXPECT_GT(contradictions, 20);
    EXPECT_LT(contradictions, 280);
}

TEST(AutomatonFilter, TheRevealActsBeforeTheMove) {
    // Two states that trade places; the symbol says "in the first", then moves.
    AutomatonFilter<double> filter({{"p", "q"}, {0.5, 0.5}, {{"x", {true, false}, {0, 1, 1, 0}}}});
    EXPECT_EQ(std::get<double>(filter.read(0)), 0.5);
    EXPECT_EQ(filter.posterior().belief(), (std::vector<double>{0, 1}));
    EXPECT_EQ(std::get<Contradiction>(filter.read(0)), Contradiction{2});
}

TEST(AutomatonFilter, EveryProblemOfAnAutomatonIsNamed) {
    const Automaton<double> wrong{
        {"p", "q"}, {0.5, 0.6}, {{"x", {true}, {}}, {"y", {}, {1, 0, 0.5, 0.4}}, {"z", {}, {1}}}};
    EXPECT_EQ(problemsIn(wrong).size(), 4U);
    const Automaton<Fraction> exact{{"p"}, {Fraction(999, 1000)}, {}};
    EXPECT_EQ(problemsIn(exact).size(), 1U);
    EXPECT_EQ(problemsIn(Automaton<double>{}).size(), 2U);
}

TEST(Fraction, ReadsFractionsIntegersAndDecimals) {
    EXPECT_EQ(fractionFrom("2/6"), Fraction(1, 3));
    EXPECT_EQ(fractionFrom("010"), Fraction(10));  // decimal, not octal
    EXPECT_EQ(fractionFrom("0.125"), Fraction(1, 8));
    EXPECT_EQ(textOf(Fraction(2, 6)), "1/3");
    EXPECT_EQ(textOf(Fraction(4, 2)), "2");
    for (const char* text : {"", "/", "1/", "/2", "1/0", "-1", "+1", "1.", ".5", "1e3", "0x1", " 1",
                             "1/2/3", "1.5/2"}) {
        EXPECT_FALSE(fractionFrom(text)) << text;
    }
    EXPECT_FALSE(fractionFrom(std::string(1001, '1')));
}

TEST(Fraction, LogarithmsReachBelowTheSmallestDouble) {
    Fraction tiny(1);
    for (int i = 0; i < 2000; ++i) {
        tiny *= Fraction(2, 3);
    }
    EXPECT_NEAR(log2Of(tiny), 2000 * std::log2(2.0 / 3.0), 1e-9);
    EXPECT_TRUE(std::isinf(log2Of(Fraction(0))));
    EXPECT_DOUBLE_EQ(toDouble(Fraction(1, 3)), 1.0 / 3.0);
}

// 1 -x-> 2; 3 leads to 2 but nothing leads to 3, for the way from 2 needs to be in 4.
TEST(AutomatonFilter, UnreachableStatesAndRevealsThatAlwaysContradictAreTold) {
    Automaton<Fraction> automaton;
    automaton.states = {"1", "2", "3", "4"};
    automaton.start = {1, 0, 0, 0};
    automaton.symbols.push_back({"x", {}, {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1}});
    automaton.symbols.push_back({"only from 4",
                                 {false, false, false, true},
                                 {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0}});
    automaton.symbols.push_back({"is 2", {false, true, false, false}, {}});
    ASSERT_TRUE(problemsIn(automaton).empty());
    EXPECT_EQ(
        warningsIn(automaton),
        (std::vector<std::string>{
            "state \"3\": nothing reaches it from the start",
            "state \"4\": nothing reaches it from the start",
            "symbol \"only from 4\": its reveal set holds no state that is ever reached, so it "
            "contradicts every belief"}));
    automaton.start = {Fraction(1, 2), 0, 0, Fraction(1, 2)};
    EXPECT_TRUE(warningsIn(automaton).empty());
}

}  // namespace
}  // namespace lab::tasks
