#include "tasks/permutation.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>
#include <numeric>

namespace lab::tasks {
namespace {

bool belongs(const Permutation& p, Generators generators) {
    const int moved = p.movedPoints();
    switch (generators) {
        case Generators::kSwaps: return moved == 2;
        case Generators::kAdjacentSwaps: {
            int i = 0;
            while (i < p.points() && p[i] == i) {
                ++i;
            }
            return moved == 2 && p[i] == i + 1;
        }
        case Generators::kThreePoints: return moved <= 3;
        case Generators::kPermutations: return true;
    }
    return false;
}

}  // namespace

int factorial(int points) noexcept {
    assert(points >= 0 && points <= 12);
    int product = 1;
    for (int k = 2; k <= points; ++k) {
        product *= k;
    }
    return product;
}

Permutation::Permutation(int points) noexcept : m_points(points) {
    assert(points >= 1 && points <= kMaxPoints);
    std::iota(m_images.begin(), m_images.begin() + points, std::uint8_t{0});
}

std::optional<Permutation> Permutation::from(std::span<const int> images) {
    if (images.empty() || images.size() > kMaxPoints) {
        return std::nullopt;
    }
    const int points = static_cast<int>(images.size());
    Permutation result(points);
    std::array<bool, kMaxPoints> seen{};
    for (std::size_t i = 0; i < images.size(); ++i) {
        const int image = images[i];
        if (image < 0 || image >= points || seen[static_cast<std::size_t>(image)]) {
            return std::nullopt;
        }
        seen[static_cast<std::size_t>(image)] = true;
        result.m_images[i] = static_cast<std::uint8_t>(image);
    }
    return result;
}

Permutation Permutation::unrank(int points, int rank) noexcept {
    assert(rank >= 0 && rank < factorial(points));
    Permutation result(points);
    for (int i = 0; i < points; ++i) {
        const int block = factorial(points - 1 - i);
        std::uint8_t* const at = result.m_images.data() + i;
        // The elements from i on are sorted: bring the right one to the front, keep the others so.
        std::rotate(at, at + rank / block, at + rank / block + 1);
        rank %= block;
    }
    return result;
}

Permutation Permutation::exchange(int points, int first, int second) noexcept {
    assert(first >= 0 && first < points && second >= 0 && second < points);
    Permutation result(points);
    std::swap(result.m_images[static_cast<std::size_t>(first)],
              result.m_images[static_cast<std::size_t>(second)]);
    return result;
}

int Permutation::rank() const noexcept {
    int rank = 0;
    for (int i = 0; i < m_points; ++i) {
        int smallerBehind = 0;
        for (int j = i + 1; j < m_points; ++j) {
            smallerBehind += (*this)[j] < (*this)[i] ? 1 : 0;
        }
        rank = rank * (m_points - i) + smallerBehind;
    }
    return rank;
}

Permutation Permutation::inverse() const noexcept {
    Permutation result(m_points);
    for (int i = 0; i < m_points; ++i) {
        result.m_images[static_cast<std::size_t>((*this)[i])] = static_cast<std::uint8_t>(i);
    }
    return result;
}

int Permutation::movedPoints() const noexcept {
    int moved = 0;
    for (int i = 0; i < m_points; ++i) {
        moved += (*this)[i] != i ? 1 : 0;
    }
    return moved;
}

int Permutation::exchangesNeeded() const noexcept {
    std::array<bool, kMaxPoints> seen{};
    int cycles = 0;
    for (int start = 0; start < m_points; ++start) {
        if (seen[static_cast<std::size_t>(start)]) {
            continue;
        }
        ++cycles;
        for (int i = start; !seen[static_cast<std::size_t>(i)]; i = (*this)[i]) {
            seen[static_cast<std::size_t>(i)] = true;
        }
    }
    return m_points - cycles;
}

bool Permutation::isEven() const noexcept {
    return exchangesNeeded() % 2 == 0;
}

std::string Permutation::text() const {
    std::string result;
    for (int i = 0; i < m_points; ++i) {
        result += static_cast<char>('1' + (*this)[i]);
    }
    return result;
}

Permutation compose(const Permutation& outer, const Permutation& inner) noexcept {
    assert(outer.points() == inner.points());
    Permutation result(outer.points());
    for (int i = 0; i < outer.points(); ++i) {
        result.m_images[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(outer[inner[i]]);
    }
    return result;
}

Permutation actOnPositions(const Permutation& arrangement, const Permutation& move) noexcept {
    return compose(arrangement, move);
}

Permutation actOnElements(const Permutation& arrangement, const Permutation& move) noexcept {
    return compose(move, arrangement);
}

Permutation act(Convention convention, const Permutation& arrangement,
                const Permutation& move) noexcept {
    return convention == Convention::kPositions ? actOnPositions(arrangement, move)
                                                : actOnElements(arrangement, move);
}

std::vector<std::uint16_t> compositionTable(int points) {
    assert(points <= 6);
    const int order = factorial(points);
    std::vector<Permutation> all;
    all.reserve(static_cast<std::size_t>(order));
    for (int rank = 0; rank < order; ++rank) {
        all.push_back(Permutation::unrank(points, rank));
    }
    std::vector<std::uint16_t> table;
    table.reserve(all.size() * all.size());
    for (const Permutation& outer : all) {
        for (const Permutation& inner : all) {
            table.push_back(static_cast<std::uint16_t>(compose(outer, inner).rank()));
        }
    }
    return table;
}

std::vector<Permutation> generatingSet(int points, Generators generators) {
    std::vector<Permutation> result{Permutation(points)};
    for (int rank = 1; rank < factorial(points); ++rank) {
        const Permutation p = Permutation::unrank(points, rank);
        if (belongs(p, generators)) {
            result.push_back(p);
        }
    }
    return result;
}

}  // namespace lab::tasks
