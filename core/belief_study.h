// The belief study: what linear trackers of a hidden state lose, measured and judged. Part of the
// door to core that needs no LibTorch.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace lab {

struct BeliefStudyOptions {
    int runs = 32;   ///< of 200 cycles, for each row of the decay
    int bases = 31;  ///< random bases, for each cell of the horizons
    std::uint64_t seed = 4;
    std::function<void(const std::string& line)> progress;
    std::function<bool()> stop;  ///< asked between measurements; true: LabError{kStopped}
};

/// A number beside the one that is known.
struct StudiedNumber {
    double measured = 0;
    double expected = 0;
    bool met = false;
};

/// Random pairs are mixed with `probability`, a position drawn uniformly is shown.
struct DecayRow {
    int cups = 0;
    double probability = 0;
    StudiedNumber log2NormPerStep;      ///< of the joint tracker; within 0.03
    StudiedNumber revealEntropyBits;    ///< within 0.03
    StudiedNumber fp32Steps;            ///< until the joint tracker is zero; within 1 in 17.5
    StudiedNumber meanTotalVariation;   ///< of the marginal read-out; within a factor of two
    StudiedNumber worstTotalVariation;  ///< worst step of eight runs; likewise
};

/// Cycles of the adversary that halves the starved pair, until it is lost.
struct HorizonRow {
    std::string format;  ///< "bf16"
    std::string basis;   ///< "plain", "keys", "values", "both", "plain, flushed"
    int bases = 1;       ///< that were measured
    int least = 0, most = 0;
    StudiedNumber median;  ///< within one cycle
};

struct BeliefStudy {
    BeliefStudyOptions options;
    std::vector<DecayRow> decay;
    std::vector<HorizonRow> horizons;
    [[nodiscard]] bool pass() const;  ///< every number is met
};

[[nodiscard]] BeliefStudy runBeliefStudy(const BeliefStudyOptions& options);

}  // namespace lab
