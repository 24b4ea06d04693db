#include "tasks/group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tasks/permutation.h"
#include "tasks/rng.h"

namespace lab::tasks {
namespace {

using nlohmann::json;

Group groupNamed(const std::string& name) {
    auto group = Group::named(name);
    EXPECT_TRUE(group) << Group::problemWith(name);
    return *group;
}

/// The subgroup that `elements` generate, as membership flags. By breadth: slow and plain.
std::vector<bool> closure(const Group& group, const std::vector<bool>& elements) {
    std::vector<bool> member(static_cast<std::size_t>(group.order()));
    std::vector<int> open{0};
    member[0] = true;
    while (!open.empty()) {
        const int a = open.back();
        open.pop_back();
        for (int b = 0; b < group.order(); ++b) {
            if (!elements[static_cast<std::size_t>(b)]) {
                continue;
            }
            const auto next = static_cast<std::size_t>(group.multiply(a, b));
            if (!member[next]) {
                member[next] = true;
                open.push_back(static_cast<int>(next));
            }
        }
    }
    return member;
}

/// By the definition: the series of commutator subgroups ends at the identity.
bool hasTrivialDerivedSeries(const Group& group) {
    std::vector<bool> member(static_cast<std::size_t>(group.order()), true);
    while (true) {
        std::vector<bool> commutators(member.size());
        for (int a = 0; a < group.order(); ++a) {
            for (int b = 0; b < group.order(); ++b) {
                if (member[static_cast<std::size_t>(a)] && member[static_cast<std::size_t>(b)]) {
                    const int c = group.multiply(group.multiply(group.inverse(a), group.inverse(b)),
                                                 group.multiply(a, b));
                    commutators[static_cast<std::size_t>(c)] = true;
                }
            }
        }
        const std::vector<bool> derived = closure(group, commutators);
        const auto size = std::count(derived.begin(), derived.end(), true);
        if (size == 1 || derived == member) {
            return size == 1;
        }
        member = derived;
    }
}

TEST(Group, ObeysTheGroupLaws) {
    for (const char* name :
         {"S2", "S3", "S4", "A3", "A4", "A5", "Z2", "Z7", "Z2xZ2", "S3xZ4", "A5xZ2"}) {
        const Group group = groupNamed(name);
        Rng rng(1);
        for (int a = 0; a < group.order(); ++a) {
            EXPECT_EQ(group.multiply(a, 0), a);
            EXPECT_EQ(group.multiply(0, a), a);
            EXPECT_EQ(group.multiply(a, group.inverse(a)), 0);
            EXPECT_EQ(group.multiply(group.inverse(a), a), 0);
            for (int trial = 0; trial < 50; ++trial) {
                const int b = rng.below(group.order());
                const int c = rng.below(group.order());
                EXPECT_EQ(group.multiply(group.multiply(a, b), c),
                          group.multiply(a, group.multiply(b, c)));
            }
        }
    }
}

TEST(Group, OrdersAreFactorialsHalvesAndProducts) {
    EXPECT_EQ(groupNamed("S5").order(), 120);
    EXPECT_EQ(groupNamed("S8").order(), 40320);
    EXPECT_EQ(groupNamed("A5").order(), 60);
    EXPECT_EQ(groupNamed("Z120").order(), 120);
    EXPECT_EQ(groupNamed("A5xZ2").order(), 120);
    EXPECT_EQ(groupNamed("S3xZ2xZ5").order(), 60);
}

TEST(Group, CommutativityAndSolvabilityFollowFromTheirDefinitions) {
    for (const char* name :
         {"S2", "S3", "S4", "S5", "A3", "A4", "A5", "Z6", "Z60", "S3xZ2", "A4xZ5", "A5xZ2"}) {
        const Group group = groupNamed(name);
        bool commutes = true;
        for (int a = 0; a < group.order(); ++a) {
            for (int b = 0; b < a; ++b) {
                commutes = commutes && group.multiply(a, b) == group.multiply(b, a);
            }
        }
        EXPECT_EQ(group.isCommutative(), commutes) << name;
        EXPECT_EQ(group.isSolvable(), hasTrivialDerivedSeries(group)) << name;
    }
}

TEST(Group, ComputedProductsOfALargeGroupAgreeWithItsPermutations) {
    const Group group = groupNamed("S8");
    Rng rng(2);
    for (int trial = 0; trial < 500; ++trial) {
        const int a = rng.below(group.order());
        const int b = rng.below(group.order());
        const Permutation product = compose(Permutation::unrank(8, a), Permutation::unrank(8, b));
        EXPECT_EQ(group.multiply(a, b), product.rank());
        EXPECT_EQ(group.elementName(group.multiply(a, b)), product.text());
    }
}

TEST(Group, AProductMultipliesItsFactorsApart) {
    const Group pair = groupNamed("S3xZ4");
    const Group left = groupNamed("S3");
    for (int a = 0; a < 24; ++a) {
        for (int b = 0; b < 24; ++b) {
            const int product = pair.multiply(a, b);
            EXPECT_EQ(product / 4, left.multiply(a / 4, b / 4));
            EXPECT_EQ(product % 4, (a + b) % 4);
        }
    }
    EXPECT_EQ(pair.elementName(5), "132.1");
}

TEST(Group, SaysWhyANameIsNoGroup) {
    for (const char* name : {"", "S", "S1", "S9", "S03", "A2", "A9", "Z1", "Z121", "Z", "Q8", "S3x",
                             "xS3", "S3x x", "s3", "S3 ", "S8xZ2", "S999999999999"}) {
        EXPECT_FALSE(Group::named(name)) << name;
        EXPECT_FALSE(Group::problemWith(name).empty()) << name;
    }
}

// tests/golden/permutation_groups: running products from sympy, in the order "old, then new".
TEST(Group, RunningProductsAgreeWithSympy) {
    std::ifstream in(LAB_GOLDEN_DIR "/permutation_groups/permutation_groups.json");
    const json golden = json::parse(in);
    for (const json& entry : golden.at("cases")) {
        const std::string name = entry.at("group");
        const Group group = groupNamed(name);
        const auto elementOf = [&](const json& images) {
            if (name[0] == 'Z') {
                return images.at(0).get<int>();
            }
            const int rank = Permutation::from(images.get<std::vector<int>>()).value().rank();
            return name[0] == 'A' ? rank / 2 : rank;
        };
        EXPECT_EQ(group.order(), entry.at("order"));
        EXPECT_EQ(group.isSolvable(), entry.at("is_solvable")) << name;
        EXPECT_EQ(group.isCommutative(), entry.at("is_abelian")) << name;
        int product = 0;
        for (std::size_t t = 0; t < entry.at("sequence").size(); ++t) {
            product = group.multiply(product, elementOf(entry.at("sequence")[t]));
            EXPECT_EQ(product, elementOf(entry.at("old_after_new")[t])) << name << " " << t;
        }
    }
}

}  // namespace
}  // namespace lab::tasks
