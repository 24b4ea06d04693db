// The lab's random source: counter-based, so batch n of seed s is the same on every machine and
// after every resume.
//
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3" (SC
// 2011), section 3.3. A stream is named by (seed, stream, index); draws within it count up.
// Standard distributions are not used: each library's differ, and a seed must name a run.
#pragma once

#include <array>
#include <cstdint>

namespace lab::tasks {

/// The block function: ten rounds. `counter` and `key` little-endian words as in the published test
/// vectors.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                      std::array<std::uint32_t, 2> key) noexcept;

class Rng {
public:
    /// Streams in use: see Stream.
    explicit Rng(std::uint64_t seed, std::uint32_t stream = 0, std::uint64_t index = 0) noexcept;

    [[nodiscard]] std::uint32_t next32() noexcept;
    /// Uniform in [0, bound), without modulo bias. Requires bound >= 1.
    [[nodiscard]] int below(int bound) noexcept;
    /// Uniform in [0, 1), 53 bits.
    [[nodiscard]] double uniform() noexcept;
    /// Standard normal (Box-Muller, both halves used).
    [[nodiscard]] double normal() noexcept;

private:
    std::array<std::uint32_t, 4> m_counter;
    std::array<std::uint32_t, 2> m_key;
    std::array<std::uint32_t, 4> m_block{};
    int m_used = 4;
    double m_spareNormal = 0;
    bool m_hasSpareNormal = false;
};

/// What a stream is for; each use has its own, so none disturbs another.
struct Stream {
    static constexpr std::uint32_t kTraining = 1;    ///< index = step * 2^20 + trace in the batch
    static constexpr std::uint32_t kEvaluation = 2;  ///< index = set * 2^20 + trace
    static constexpr std::uint32_t kWeights = 3;     ///< index = number of the parameter
    static constexpr std::uint32_t kDemonstration = 4;
};

}  // namespace lab::tasks
