// The marginal linear tracker: n x n numbers, H[i][j] for "position i holds element j".
//
//   mixing positions:  H <- P H,  P the mean of the moves;  mixing elements:  H <- H P
//   reveal (i, j):     H <- (I - e_i e_i^T) H (I - e_j e_j^T) + e_i e_j^T
//   full reveal:       H <- the permutation matrix
// The belief is read out by Sinkhorn's iteration, outside the recurrence. Marginals drop the
// correlations between cups, so it may be wrong in exact arithmetic.
// Source: arXiv 2602.14814, section 5.2.
#pragma once

#include <memory>
#include <vector>

#include "tasks/cup_tracker.h"
#include "tasks/sparse_matrix.h"

namespace lab::tasks {

/// Number is double, or Fraction for exact arithmetic in the plain basis.
template <class Number>
class MarginalTracker final : public CupTracker {
public:
    /// Requires problemsIn(kMarginal, settings, cups) to be empty.
    MarginalTracker(const CupSteps& steps, const TrackerSettings& settings);

    void take(const CupStep& step) override;
    [[nodiscard]] TrackerReading read() const override;
    [[nodiscard]] double starvedMass() const override;
    [[nodiscard]] std::unique_ptr<CupTracker> clone() const override {
        return std::make_unique<MarginalTracker>(*this);
    }

    /// [position * cups + element], in the plain basis.
    [[nodiscard]] std::vector<Number> state() const;
    /// The state after the read-out.
    [[nodiscard]] SinkhornResult<Number> readOut() const;

private:
    struct Maps;

    void multiplyLeft(const SparseMatrix<Number>& map);
    void multiplyRight(const SparseMatrix<Number>& transposedMap);
    void applyReveal(int position, int element);
    void applyRevealAll(int rank);
    void store(std::vector<Number> plain);
    void normaliseColumns();
    void discretise();

    std::shared_ptr<const Maps> m_maps;
    TrackerSettings m_settings;
    Rounding m_rounding;
    std::vector<Number> m_state;  // keys * H * values^T
    int m_steps = 0;
};

}  // namespace lab::tasks
