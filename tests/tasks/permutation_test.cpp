#include "tasks/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace lab::tasks {
namespace {

Permutation fromDigits(const std::string& digits) {
    std::vector<int> images;
    for (const char digit : digits) {
        images.push_back(digit - '1');
    }
    const auto permutation = Permutation::from(images);
    EXPECT_TRUE(permutation) << digits;
    return permutation.value_or(Permutation(1));
}

TEST(Permutation, RanksAreTheOrderOfStdNextPermutation) {
    for (int points = 1; points <= kMaxPoints; ++points) {
        std::vector<int> images(static_cast<std::size_t>(points));
        std::iota(images.begin(), images.end(), 0);
        int rank = 0;
        do {
            const auto p = Permutation::from(images);
            ASSERT_TRUE(p);
            ASSERT_EQ(p->rank(), rank);
            ASSERT_EQ(Permutation::unrank(points, rank), *p);
            ++rank;
        } while (std::next_permutation(images.begin(), images.end()));
        EXPECT_EQ(rank, factorial(points));
    }
}

// From 231: on positions, "a, b = b, a" makes 321; on elements, 1 becomes 2 and 2 becomes 1: 132.
// From the identity the two cannot be told apart.
TEST(Permutation, PositionsAndElementsAreExchangedDifferently) {
    const Permutation exchange = Permutation::exchange(3, 0, 1);
    EXPECT_EQ(actOnPositions(fromDigits("231"), exchange).text(), "321");
    EXPECT_EQ(actOnElements(fromDigits("231"), exchange).text(), "132");
    EXPECT_EQ(actOnPositions(Permutation(3), exchange), actOnElements(Permutation(3), exchange));
}

// Worked with Python: x = (3, 1, 2); a, b, c = b, c, a gives (1, 2, 3).
TEST(Permutation, ActingOnPositionsIsAPythonTupleAssignment) {
    EXPECT_EQ(actOnPositions(fromDigits("312"), fromDigits("231")).text(), "123");
    EXPECT_EQ(actOnPositions(fromDigits("312"), fromDigits("312")).text(), "231");
}

TEST(Permutation, CompositionIsAssociativeWithInversesAndTheTableAgrees) {
    for (int points = 1; points <= 4; ++points) {
        const auto table = compositionTable(points);
        const int order = factorial(points);
        for (int a = 0; a < order; ++a) {
            const Permutation p = Permutation::unrank(points, a);
            EXPECT_EQ(compose(p, p.inverse()), Permutation(points));
            EXPECT_EQ(compose(p.inverse(), p), Permutation(points));
            for (int b = 0; b < order; ++b) {
                const Permutation q = Permutation::unrank(points, b);
                const Permutation pq = compose(p, q);
                EXPECT_EQ(table[static_cast<std::size_t>(a * order + b)], pq.rank());
                EXPECT_EQ(pq.isEven(), p.isEven() == q.isEven());
                for (int c = 0; c < order; ++c) {
                    const Permutation r = Permutation::unrank(points, c);
                    EXPECT_EQ(compose(pq, r), compose(p, compose(q, r)));
                }
            }
        }
    }
}

// Stirling numbers of the first kind, and by search: one exchange changes the number by one.
TEST(Permutation, NeedsAsManyExchangesAsStirlingNumbersSay) {
    std::array<int, 5> counts{};
    for (int rank = 0; rank < 120; ++rank) {
        const Permutation p = Permutation::unrank(5, rank);
        ++counts.at(static_cast<std::size_t>(p.exchangesNeeded()));
        int fewest = 5;
        for (const Permutation& exchange : generatingSet(5, Generators::kSwaps)) {
            fewest = std::min(fewest, compose(p, exchange).exchangesNeeded());
        }
        EXPECT_EQ(fewest, std::max(0, p.exchangesNeeded() - 1));
    }
    EXPECT_EQ(counts, (std::array<int, 5>{1, 10, 35, 50, 24}));
}

TEST(Permutation, RefusesWhatIsNoPermutation) {
    const std::array<std::vector<int>, 6> wrong{{{}, {0, 0}, {1, 2}, {-1, 0}, {0, 2, 3}, {}}};
    for (const auto& images : wrong) {
        EXPECT_FALSE(Permutation::from(images));
    }
    EXPECT_FALSE(Permutation::from(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

// Identity + C(n,2) exchanges; n - 1 neighbours; two three-cycles for each of C(n,3) triples.
TEST(GeneratingSet, HasTheSizesOfCombinatorics) {
    for (int n = 2; n <= 6; ++n) {
        const auto size = [n](Generators set) {
            return static_cast<int>(generatingSet(n, set).size());
        };
        const int pairs = n * (n - 1) / 2;
        EXPECT_EQ(size(Generators::kSwaps), 1 + pairs);
        EXPECT_EQ(size(Generators::kAdjacentSwaps), n);
        EXPECT_EQ(size(Generators::kThreePoints), 1 + pairs + n * (n - 1) * (n - 2) / 3);
        EXPECT_EQ(size(Generators::kPermutations), factorial(n));
    }
}

TEST(GeneratingSet, GeneratesTheWholeGroupFromTheIdentity) {
    for (const Generators set : {Generators::kSwaps, Generators::kAdjacentSwaps,
                                 Generators::kThreePoints, Generators::kPermutations}) {
        const auto generators = generatingSet(5, set);
        EXPECT_EQ(generators.front(), Permutation(5));
        std::vector<bool> reached(120);
        std::vector<Permutation> open{Permutation(5)};
        reached[0] = true;
        while (!open.empty()) {
            const Permutation p = open.back();
            open.pop_back();
            for (const Permutation& generator : generators) {
                const Permutation next = compose(p, generator);
                if (!reached[static_cast<std::size_t>(next.rank())]) {
                    reached[static_cast<std::size_t>(next.rank())] = true;
                    open.push_back(next);
                }
            }
        }
        EXPECT_EQ(std::count(reached.begin(), reached.end(), true), 120);
    }
}

}  // namespace
}  // namespace lab::tasks
