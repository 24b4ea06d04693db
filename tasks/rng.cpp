#include "tasks/rng.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace lab::tasks {
namespace {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

// Multipliers and Weyl constants of Philox4x32 (Salmon et al., table 2 and section 3.3).
constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // golden ratio
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // sqrt(3) - 1
constexpr int kRounds = 10;

constexpr std::uint32_t low(std::uint64_t x) {
    return static_cast<std::uint32_t>(x);
}

constexpr std::uint32_t high(std::uint64_t x) {
    return static_cast<std::uint32_t>(x >> 32U);
}

Block round(const Block& x, const Key& key) {
    const std::uint64_t product0 = std::uint64_t{kMultiplier0} * x[0];
    const std::uint64_t product1 = std::uint64_t{kMultiplier1} * x[2];
    return {high(product1) ^ x[1] ^ key[0], low(product1), high(product0) ^ x[3] ^ key[1],
            low(product0)};
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) noexcept {
    for (int i = 0; i < kRounds; ++i) {
        counter = round(counter, key);
        key[0] += kWeyl0;
        key[1] += kWeyl1;
    }
    return counter;
}

// The counter is (block number, index low, index high, stream): 2^34 draws a stream and index.
Rng::Rng(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) noexcept
    : m_counter{0, low(index), high(index), stream}, m_key{low(seed), high(seed)} {}

std::uint32_t Rng::next32() noexcept {
    if (m_used == 4) {
        m_block = philox4x32(m_counter, m_key);
        ++m_counter[0];
        m_used = 0;
    }
    return m_block[static_cast<std::size_t>(m_used++)];
}

// Lemire, "Fast Random Integer Generation in an Interval" (2019), algorithm 5: the high word of
// draw * bound is uniform once the draws whose low word falls below 2^32 mod bound are rejected.
int Rng::below(int bound) noexcept {
    assert(bound >= 1);
    const auto range = static_cast<std::uint32_t>(bound);
    const std::uint32_t rejectBelow = (0U - range) % range;
    std::uint64_t product = 0;
    do {
        product = std::uint64_t{next32()} * range;
    } while (low(product) < rejectBelow);
    return static_cast<int>(high(product));
}

double Rng::uniform() noexcept {
    const std::uint64_t top = next32() >> 5U;     // 27 bits
    const std::uint64_t bottom = next32() >> 6U;  // 26 bits
    return static_cast<double>((top << 26U) | bottom) * 0x1p-53;
}

double Rng::normal() noexcept {
    if (m_hasSpareNormal) {
        m_hasSpareNormal = false;
        return m_spareNormal;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));  // 1 - u is in (0, 1]
    const double angle = 2.0 * std::numbers::pi * uniform();
    m_spareNormal = radius * std::sin(angle);
    m_hasSpareNormal = true;
    return radius * std::cos(angle);
}

}  // namespace lab::tasks
