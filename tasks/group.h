// Finite groups by name: S2..S8, A3..A8, Z2..Z120 and direct products such as "A5xZ2".
//
// Elements are numbers from 0, the identity. In S_n they are the permutations by rank, in A_n the
// even ones in the same order, in Z_m the residues; a product numbers pairs with the last factor
// fastest. Multiplication goes from left to right: a * b is "a, then b" in the sense of
// actOnPositions, so in S_n it is compose(a, b).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lab::tasks {

class Group {
public:
    /// Products may have as many elements as S8.
    static constexpr int kLargestOrder = 40320;
    /// Up to this order products are looked up in a table (128 KB at most), above it computed.
    static constexpr int kLargestTable = 256;

    /// Nothing when there is no such group; problemWith says why.
    [[nodiscard]] static std::optional<Group> named(std::string_view name);
    /// Why there is no group of that name, in words; empty when there is one.
    [[nodiscard]] static std::string problemWith(std::string_view name);

    [[nodiscard]] const std::string& name() const noexcept { return m_name; }
    [[nodiscard]] int order() const noexcept { return m_order; }
    [[nodiscard]] int multiply(int a, int b) const;
    [[nodiscard]] int inverse(int a) const;
    /// "231" in S3, "2" in Z3, "231.2" in S3xZ3.
    [[nodiscard]] std::string elementName(int element) const;
    [[nodiscard]] bool isCommutative() const noexcept;
    /// S_n and A_n are from five points on not; those groups are hard for shallow parallel models.
    [[nodiscard]] bool isSolvable() const noexcept;
    /// n where the group is S_n alone, so that Generators apply; else 0.
    [[nodiscard]] int symmetricPoints() const noexcept;

private:
    enum class Family { kSymmetric, kAlternating, kCyclic };
    struct Factor {
        Family family;
        int size;  ///< n of S_n and A_n, m of Z_m
        int order;
    };

    [[nodiscard]] static std::optional<Factor> factorNamed(std::string_view name);
    [[nodiscard]] static int multiplyIn(const Factor& factor, int a, int b);
    [[nodiscard]] static int inverseIn(const Factor& factor, int a);
    [[nodiscard]] static std::string nameIn(const Factor& factor, int element);
    [[nodiscard]] int multiplyFactors(int a, int b) const;

    std::string m_name;
    std::vector<Factor> m_factors;
    int m_order = 1;
    std::shared_ptr<const std::vector<std::uint16_t>> m_table;  // null above kLargestTable
};

}  // namespace lab::tasks
