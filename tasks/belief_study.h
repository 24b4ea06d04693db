// Two measurements of what linear trackers lose: under ordinary reveals, and in number formats.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tasks/cup_tracker.h"

namespace lab::tasks {

constexpr int kStudyRounds = 50;

/// Pairs drawn and mixed with `probability`, then a look at a position drawn uniformly: one cycle.
struct DecayRequest {
    int cups = 3;
    Fraction probability = Fraction(1, 2);
    int cycles = 200;
    int runs = 8;
    std::uint64_t seed = 1;
};
struct DecayMeasurement {
    double log2NormPerCycle = 0;   ///< joint, double: its slope
    double revealEntropyBits = 0;  ///< of a look given all before, the mean
    double fp32Cycles = 0;         ///< until the joint tracker is all zero: median of the runs
    /// Marginal, double, kStudyRounds rounds of Sinkhorn: read-out against exact, the mean over the
    /// rows; of this the mean over all cycles, and the worst cycle of eight runs (the median over
    /// the groups of eight).
    double meanTotalVariation = 0;
    double worstTotalVariation = 0;
};
/// `stop` is asked once a run; true gives what the runs so far say.
[[nodiscard]] DecayMeasurement measureDecay(const DecayRequest& request,
                                            const std::function<bool()>& stop = {});

/// Whether the state's rows or columns are kept in random bases.
struct Rotation {
    bool keys = false, values = false;
    bool operator==(const Rotation&) const = default;
};
struct HorizonRequest {
    NumberFormat format = NumberFormat::kFp64;
    Subnormals subnormals = Subnormals::kKept;
    Rotation rotation;
    int bases = 31;  ///< random bases; the plain one is measured once
    std::uint64_t seed = 1;
};
struct Horizon {
    int median = 0, least = 0, most = 0;
    int bases = 1;  ///< that were measured
};
/// Cycles of "mix 2 and 3 evenly, see 2 at 2" until element 3 is lost: the first after which its
/// column of the marginal tracker is zero or less than nine tenths of it stand at position 3.
[[nodiscard]] Horizon measureHorizon(const HorizonRequest& request);

}  // namespace lab::tasks
