// What every tracker of a belief about cups can do, and what it may be set to.
//
// A linear tracker keeps numbers that each step changes by a linear map that the step alone
// decides, as the state of a linear recurrent network does. Its belief is read out of them. Source:
// arXiv 2602.14814, sections 5.1 to 5.3.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tasks/cup_steps.h"
#include "tasks/number_format.h"
#include "tasks/sinkhorn.h"

namespace lab::tasks {

struct TrackerSettings {
    NumberFormat format = NumberFormat::kFp64;  ///< every operation is rounded to it
    Subnormals subnormals = Subnormals::kKept;
    int normaliseEvery = 0;  ///< steps; not linear; 0: never
    bool inject = true;      ///< reveals write what was seen, besides masking what was not
    int levels = 0;          ///< state kept in so many levels, after each step; not linear; 0: no
    /// Seed of the random orthogonal basis in which the state is kept, for positions (of the joint
    /// tracker: for arrangements) and for elements. Nothing: the plain basis.
    std::optional<std::uint64_t> keyBasis, valueBasis;
    SinkhornOptions readOut;
    bool operator==(const TrackerSettings& other) const {
        return format == other.format && subnormals == other.subnormals &&
               normaliseEvery == other.normaliseEvery && inject == other.inject &&
               levels == other.levels && keyBasis == other.keyBasis &&
               valueBasis == other.valueBasis && readOut.rounds == other.readOut.rounds &&
               readOut.tolerance == other.readOut.tolerance;
    }
};

enum class TrackerKind { kJoint, kMarginal, kLog };

/// Every reason why the settings do not fit so many cups; empty when they do.
[[nodiscard]] std::vector<std::string> problemsIn(TrackerKind kind, const TrackerSettings& settings,
                                                  int cups);

/// What a tracker says, in double.
struct TrackerReading {
    /// [position * cups + element]; rows of zeros where it says nothing any more.
    std::vector<double> marginals;
    double log2Norm1 = 0;    ///< of the state in the plain basis; minus infinity when it is zero
    double log2Norm2 = 0;    ///< sum of squares instead of absolute values
    double residual = 0;     ///< of the read-out, see SinkhornResult
    int rounds = 0;          ///< of the read-out
    double starvedMass = 1;  ///< what is left for the element that has least; joint: of everything
    bool lost = false;       ///< all zero, or not all numbers: no step can bring it back by itself
};

class CupTracker {
public:
    virtual ~CupTracker() = default;
    virtual void take(const CupStep& step) = 0;
    [[nodiscard]] virtual TrackerReading read() const = 0;
    /// As read().starvedMass, without the read-out.
    [[nodiscard]] virtual double starvedMass() const = 0;
    [[nodiscard]] virtual std::unique_ptr<CupTracker> clone() const = 0;

protected:
    CupTracker() = default;
    CupTracker(const CupTracker&) = default;
    CupTracker& operator=(const CupTracker&) = default;
};

/// Before the first step. It may be given any step of `steps`, in any order, and keeps none of it.
/// Requires problemsIn to be empty.
[[nodiscard]] std::unique_ptr<CupTracker> makeTracker(TrackerKind kind, const CupSteps& steps,
                                                      const TrackerSettings& settings = {});

/// Half the sum of the distances between two rows of probabilities, each row by itself.
[[nodiscard]] std::vector<double> totalVariations(const std::vector<double>& a,
                                                  const std::vector<double>& b, int cups);

}  // namespace lab::tasks
