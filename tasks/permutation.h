// Permutations of up to eight points, and the sets of them that commands draw from.
//
// A permutation is its one-line form from 0: p[i] is the element at position i. There are two ways
// for a move m to act on an arrangement p, and they agree only from the identity:
//   actOnPositions(p, m)[i] = p[m[i]]   what stood at position m[i] now stands at i;
//                                       a command "a, b = b, a" is this one
//   actOnElements(p, m)[i]  = m[p[i]]   element e becomes m[e] wherever it stands
// From 231, exchanging the positions 1 and 2 gives 321; exchanging the elements 1 and 2 gives 132.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lab::tasks {

constexpr int kMaxPoints = 8;

/// points!, for points in [0, 12].
[[nodiscard]] int factorial(int points) noexcept;

class Permutation {
public:
    /// The identity. Requires 1 <= points <= kMaxPoints.
    explicit Permutation(int points) noexcept;
    /// The permutation with p[i] = images[i], or nothing when that is none.
    [[nodiscard]] static std::optional<Permutation> from(std::span<const int> images);
    /// The permutation of lexicographic rank `rank`, in [0, points!); rank 0 is the identity.
    [[nodiscard]] static Permutation unrank(int points, int rank) noexcept;
    [[nodiscard]] static Permutation exchange(int points, int first, int second) noexcept;

    [[nodiscard]] int points() const noexcept { return m_points; }
    [[nodiscard]] int operator[](int position) const noexcept {
        return m_images[static_cast<std::size_t>(position)];
    }
    [[nodiscard]] int rank() const noexcept;
    [[nodiscard]] Permutation inverse() const noexcept;
    [[nodiscard]] int movedPoints() const noexcept;
    [[nodiscard]] bool isEven() const noexcept;
    /// The fewest exchanges that it is a product of: points less cycles. Drawn uniformly from S_n
    /// it has mean n - H_n, 2.717 for five points.
    [[nodiscard]] int exchangesNeeded() const noexcept;
    /// One-line form from 1, such as "231".
    [[nodiscard]] std::string text() const;

    bool operator==(const Permutation&) const = default;

private:
    friend Permutation compose(const Permutation& outer, const Permutation& inner) noexcept;

    std::array<std::uint8_t, kMaxPoints> m_images{};  // zero beyond m_points
    int m_points;
};

/// (outer o inner)[i] = outer[inner[i]]. Requires equal numbers of points.
[[nodiscard]] Permutation compose(const Permutation& outer, const Permutation& inner) noexcept;

/// How a move acts; see the top of this file.
enum class Convention { kPositions, kElements };
[[nodiscard]] Permutation actOnPositions(const Permutation& arrangement,
                                         const Permutation& move) noexcept;
[[nodiscard]] Permutation actOnElements(const Permutation& arrangement,
                                        const Permutation& move) noexcept;
[[nodiscard]] Permutation act(Convention convention, const Permutation& arrangement,
                              const Permutation& move) noexcept;

/// table[a * order + b] = rank of compose(unrank(a), unrank(b)). Requires points <= 6: 720^2 cells.
[[nodiscard]] std::vector<std::uint16_t> compositionTable(int points);

enum class Generators {
    kSwaps,          ///< exchanges of two points
    kAdjacentSwaps,  ///< exchanges of neighbours
    kThreePoints,    ///< at most three points moved: exchanges and three-cycles
    kPermutations,   ///< all
};

/// The identity first, then the rest of the set in rank order.
[[nodiscard]] std::vector<Permutation> generatingSet(int points, Generators generators);

}  // namespace lab::tasks
