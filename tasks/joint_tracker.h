// The joint linear tracker: a number for each of the n! arrangements.
//
//   h <- T h  for a mixing,   h <- Z h  for a reveal,   h <- e_s  for a full reveal (injection)
// The belief is h / |h|_1. |h|_1 is the probability of everything revealed so far: the state loses
// one bit of norm for each bit of information. Source: arXiv 2602.14814, section 5.1.
#pragma once

#include <memory>
#include <vector>

#include "tasks/cup_tracker.h"
#include "tasks/sparse_matrix.h"

namespace lab::tasks {

/// The most cups whose joint tracker can be kept in another basis: its maps are dense there.
constexpr int kMostJointBasisCups = 5;

/// Number is double, or Fraction for exact arithmetic in the plain basis, up to five cups.
template <class Number>
class JointTracker final : public CupTracker {
public:
    /// Requires problemsIn(kJoint, settings, cups) to be empty.
    JointTracker(const CupSteps& steps, const TrackerSettings& settings);

    void take(const CupStep& step) override;
    [[nodiscard]] TrackerReading read() const override;
    [[nodiscard]] double starvedMass() const override;
    [[nodiscard]] std::unique_ptr<CupTracker> clone() const override {
        return std::make_unique<JointTracker>(*this);
    }

    /// By rank, in the plain basis.
    [[nodiscard]] std::vector<Number> state() const;
    [[nodiscard]] Number norm1() const;
    /// By rank; all zero when the state is.
    [[nodiscard]] std::vector<Number> belief() const;

private:
    struct Maps;

    void applyMix(int mixture);
    void applyReveal(int position, int element);
    void applyRevealAll(int rank);
    void multiply(const SparseMatrix<Number>& map);
    void store(std::vector<Number> plain);
    void normalise();
    void discretise();

    std::shared_ptr<const Maps> m_maps;
    TrackerSettings m_settings;
    Rounding m_rounding;
    std::vector<Number> m_state;  // in the basis of the maps
    int m_steps = 0;
};

}  // namespace lab::tasks
