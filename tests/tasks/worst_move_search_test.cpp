#include "tasks/worst_move_search.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tasks/joint_tracker.h"
#include "tasks/marginal_tracker.h"

namespace lab::tasks {
namespace {

SearchResult search(TrackerKind kind, int cups, const Fraction& p, int depth) {
    const auto moves = std::make_shared<const CupSteps>(candidateMoves(cups, p));
    return worstLine(*starving(moves, makeTracker(kind, *moves)), {.depth = depth, .stop = {}});
}

Fraction starvedMass(const MarginalTracker<Fraction>& tracker, int cups) {
    const auto h = tracker.state();
    Fraction least = 1;
    for (int column = 0; column < cups; ++column) {
        Fraction sum = 0;
        for (int row = 0; row < cups; ++row) {
            sum += h[static_cast<std::size_t>(row * cups + column)];
        }
        least = std::min(least, sum);
    }
    return least;
}

/// Every sequence by its number, each played from the start in exact fractions.
struct Enumeration {
    Fraction least = 1;
    std::int64_t possible = 0;  ///< sequences of 1 to depth moves
};
Enumeration enumerate(int cups, const Fraction& p, int depth) {
    const CupSteps moves = candidateMoves(cups, p);
    Enumeration result;
    std::int64_t sequences = 1;
    for (int length = 1; length <= depth; ++length) {
        sequences *= moves.size();
        for (std::int64_t number = 0; number < sequences; ++number) {
            auto filter = filterFor<Fraction>(moves);
            MarginalTracker<Fraction> tracker(moves, {});
            bool possible = true;
            std::int64_t rest = number;
            for (int i = 0; i < length && possible; ++i, rest /= moves.size()) {
                const CupStep& step = moves.steps[static_cast<std::size_t>(rest % moves.size())];
                possible = std::holds_alternative<Fraction>(take(filter, moves, step));
                tracker.take(step);
            }
            if (possible) {
                ++result.possible;
                result.least = std::min(result.least, starvedMass(tracker, cups));
            }
        }
    }
    return result;
}

TEST(WorstMoveSearch, FindsWhatTryingEverythingInFractionsFinds) {
    for (const Fraction& p : {Fraction(1, 2), Fraction(1, 4)}) {
        const Enumeration expected = enumerate(3, p, 3);
        const SearchResult result = search(TrackerKind::kMarginal, 3, p, 3);
        EXPECT_EQ(result.score, toDouble(expected.least)) << p;
        EXPECT_EQ(result.nodes, expected.possible);
        EXPECT_TRUE(result.finished);
    }
    const Enumeration two = enumerate(2, Fraction(1, 2), 4);
    EXPECT_EQ(search(TrackerKind::kMarginal, 2, Fraction(1, 2), 4).nodes, two.possible);
}

// Two hidden exchanges carry an element along with probability p^2, and one look sees it.
TEST(WorstMoveSearch, TheJointTrackersWorstIsTheLeastLikelyHistory) {
    const SearchResult result = search(TrackerKind::kJoint, 3, Fraction(1, 4), 3);
    EXPECT_EQ(result.score, 1.0 / 16);
    const CupSteps moves = candidateMoves(3, Fraction(1, 4));
    ASSERT_EQ(result.line.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(moves.steps[static_cast<std::size_t>(result.line[i])].kind,
                  i < 2 ? CupStep::Kind::kMix : CupStep::Kind::kReveal);
    }
}

TEST(WorstMoveSearch, PrefersTheShorterOfTwoEquallyBadLines) {
    const SearchResult result = search(TrackerKind::kJoint, 2, Fraction(1, 2), 3);
    EXPECT_EQ(result.score, 0.5) << "a third move adds nothing";
    EXPECT_EQ(result.line, (std::vector<int>{0, 1}));
}

TEST(WorstMoveSearch, StopsWhenAskedAndKeepsTheBestSoFar) {
    const auto moves = std::make_shared<const CupSteps>(candidateMoves(3, Fraction(1, 2)));
    int questions = 0;
    const SearchResult result =
        worstLine(*starving(moves, makeTracker(TrackerKind::kMarginal, *moves)),
                  {.depth = 12, .stop = [&questions] { return ++questions > 5000; }});
    EXPECT_FALSE(result.finished);
    EXPECT_LE(result.nodes, 5000);
    EXPECT_LT(result.score, 1);
}

/// Counts up by its move, modulo 10; the score is another game than cups.
class Counter final : public SearchState {
public:
    explicit Counter(int value) : m_value(value) {}
    [[nodiscard]] int moves() const override { return 3; }
    [[nodiscard]] std::unique_ptr<SearchState> after(int move) const override {
        return move == 0 ? nullptr : std::make_unique<Counter>((m_value + move) % 10);
    }
    [[nodiscard]] double score() const override { return m_value; }

private:
    int m_value;
};

TEST(WorstMoveSearch, SearchesWhateverHasMovesAndAScore) {
    const SearchResult result = worstLine(Counter(7), {.depth = 2, .stop = {}});
    EXPECT_EQ(result.score, 0);
    EXPECT_EQ(result.line, (std::vector<int>{1, 2}));
    EXPECT_EQ(result.nodes, 2 + 4);
    EXPECT_TRUE(worstLine(Counter(0), {.depth = 2, .stop = {}}).line.empty());
}

}  // namespace
}  // namespace lab::tasks
