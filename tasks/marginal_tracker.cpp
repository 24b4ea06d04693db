#include "tasks/marginal_tracker.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "tasks/cell.h"
#include "tasks/orthogonal_basis.h"

namespace lab::tasks {
namespace {

template <class Number>
Number numberOf(const Fraction& value) {
    if constexpr (std::is_same_v<Number, double>) {
        return toDouble(value);
    } else {
        return value;
    }
}

/// P of H <- P H where positions move, of H <- H P where elements do.
template <class Number>
std::vector<Number> meanMove(const Mixture& mixture, int cups) {
    const auto n = static_cast<std::size_t>(cups);
    if (mixture.terms.empty()) {
        return std::vector<Number>(n * n, Number(1) / cups);
    }
    std::vector<Number> mean(n * n, Number(0));
    for (const MixTerm& term : mixture.terms) {
        for (int i = 0; i < cups; ++i) {
            // Either way entry [i][m(i)]: position i takes what stood at m(i); element i becomes
            // element m(i).
            mean[cellOf(i, cups, term.move[i])] += numberOf<Number>(term.probability);
        }
    }
    return mean;
}

template <class Number>
std::vector<Number> transposedOf(const std::vector<Number>& matrix, int cups) {
    std::vector<Number> result(matrix.size());
    for (int i = 0; i < cups; ++i) {
        for (int j = 0; j < cups; ++j) {
            result[cellOf(j, cups, i)] = matrix[cellOf(i, cups, j)];
        }
    }
    return result;
}

/// I - e_i e_i^T
template <class Number>
std::vector<Number> maskOf(int index, int cups) {
    std::vector<Number> mask(cellOf(cups, cups, 0), Number(0));
    for (int i = 0; i < cups; ++i) {
        mask[cellOf(i, cups, i)] = i == index ? 0 : 1;
    }
    return mask;
}

}  // namespace

template <class Number>
struct MarginalTracker<Number>::Maps {
    int cups;
    Convention convention;
    std::vector<double> keys, values;               // empty: the plain basis
    std::vector<SparseMatrix<Number>> mixing;       // by mixture; of elements: transposed
    std::vector<SparseMatrix<Number>> rowMasks;     // by position
    std::vector<SparseMatrix<Number>> columnMasks;  // by element; symmetric
    std::vector<std::vector<Number>> written;       // [position * cups + element]

    Maps(const CupSteps& steps, const TrackerSettings& settings, const Rounding& rounding)
        : cups(steps.cups), convention(steps.convention) {
        if (settings.keyBasis) {
            keys = randomOrthogonal(cups, *settings.keyBasis);
        }
        if (settings.valueBasis) {
            // Another stream than the keys', should the seeds be equal.
            values = randomOrthogonal(cups, ~*settings.valueBasis);
        }
        const auto sparse = [&](const std::vector<Number>& plain,
                                const std::vector<double>& basis) {
            return SparseMatrix<Number>::from(conjugated(plain, basis), cups, rounding);
        };
        for (const Mixture& mixture : steps.mixtures) {
            const auto mean = meanMove<Number>(mixture, cups);
            mixing.push_back(convention == Convention::kPositions
                                 ? sparse(mean, keys)
                                 : sparse(transposedOf(mean, cups), values));
        }
        for (int i = 0; i < cups; ++i) {
            rowMasks.push_back(sparse(maskOf<Number>(i, cups), keys));
            columnMasks.push_back(sparse(maskOf<Number>(i, cups), values));
        }
        for (int cell = 0; cell < cups * cups; ++cell) {
            std::vector<Number> one(cellOf(cups, cups, 0), Number(0));
            one[static_cast<std::size_t>(cell)] = 1;
            one = inBasis(std::move(one));
            for (Number& entry : one) {
                entry = roundedBy(rounding, entry);
            }
            written.push_back(std::move(one));
        }
    }

    [[nodiscard]] std::vector<Number> conjugated(const std::vector<Number>& plain,
                                                 const std::vector<double>& basis) const {
        if constexpr (std::is_same_v<Number, double>) {
            if (!basis.empty()) {
                return product(product(basis, plain, cups), transposed(basis, cups), cups);
            }
        }
        return plain;
    }
    [[nodiscard]] std::vector<Number> inBasis(std::vector<Number> plain) const {
        if constexpr (std::is_same_v<Number, double>) {
            if (!keys.empty()) {
                plain = product(keys, plain, cups);
            }
            if (!values.empty()) {
                plain = product(plain, transposed(values, cups), cups);
            }
        }
        return plain;
    }
    [[nodiscard]] std::vector<Number> outOfBasis(std::vector<Number> kept) const {
        if constexpr (std::is_same_v<Number, double>) {
            if (!keys.empty()) {
                kept = product(transposed(keys, cups), kept, cups);
            }
            if (!values.empty()) {
                kept = product(kept, values, cups);
            }
        }
        return kept;
    }
};

template <class Number>
MarginalTracker<Number>::MarginalTracker(const CupSteps& steps, const TrackerSettings& settings)
    : m_settings(settings), m_rounding(settings.format, settings.subnormals) {
    assert(problemsIn(TrackerKind::kMarginal, settings, steps.cups).empty());
    m_maps = std::make_shared<const Maps>(steps, settings, m_rounding);
    const int cups = steps.cups;
    std::vector<Number> start(cellOf(cups, cups, 0), Number(0));
    if (steps.start) {
        for (int i = 0; i < cups; ++i) {
            start[cellOf(i, cups, (*steps.start)[i])] = 1;
        }
    } else {
        std::fill(start.begin(), start.end(), Number(1) / cups);
    }
    store(std::move(start));
}

template <class Number>
void MarginalTracker<Number>::store(std::vector<Number> plain) {
    m_state = m_maps->inBasis(std::move(plain));
    for (Number& entry : m_state) {
        entry = roundedBy(m_rounding, entry);
    }
}

template <class Number>
std::vector<Number> MarginalTracker<Number>::state() const {
    return m_maps->outOfBasis(m_state);
}

template <class Number>
void MarginalTracker<Number>::take(const CupStep& step) {
    switch (step.kind) {
        case CupStep::Kind::kWait: break;
        case CupStep::Kind::kMix: {
            const auto& map = m_maps->mixing[static_cast<std::size_t>(step.index)];
            m_maps->convention == Convention::kPositions ? multiplyLeft(map) : multiplyRight(map);
            break;
        }
        case CupStep::Kind::kReveal: applyReveal(step.position, step.element); break;
        case CupStep::Kind::kRevealAll: applyRevealAll(step.index); break;
    }
    ++m_steps;
    if (m_settings.normaliseEvery > 0 && m_steps % m_settings.normaliseEvery == 0) {
        normaliseColumns();
    }
    if (m_settings.levels > 0) {
        discretise();
    }
}

template <class Number>
void MarginalTracker<Number>::multiplyLeft(const SparseMatrix<Number>& map) {
    const int cups = m_maps->cups;
    std::vector<Number> next(m_state.size());
    for (int row = 0; row < cups; ++row) {
        for (int column = 0; column < cups; ++column) {
            next[cellOf(row, cups, column)] = map.rowTimes(row, m_state, column, cups, m_rounding);
        }
    }
    m_state = std::move(next);
}

template <class Number>
void MarginalTracker<Number>::multiplyRight(const SparseMatrix<Number>& transposedMap) {
    const int cups = m_maps->cups;
    std::vector<Number> next(m_state.size());
    for (int row = 0; row < cups; ++row) {
        for (int column = 0; column < cups; ++column) {
            next[cellOf(row, cups, column)] =
                transposedMap.rowTimes(column, m_state, row * cups, 1, m_rounding);
        }
    }
    m_state = std::move(next);
}

template <class Number>
void MarginalTracker<Number>::applyReveal(int position, int element) {
    multiplyLeft(m_maps->rowMasks[static_cast<std::size_t>(position)]);
    multiplyRight(m_maps->columnMasks[static_cast<std::size_t>(element)]);
    if (!m_settings.inject) {
        return;
    }
    const auto& written = m_maps->written[cellOf(position, m_maps->cups, element)];
    for (std::size_t i = 0; i < m_state.size(); ++i) {
        m_state[i] = roundedBy(m_rounding, Number(m_state[i] + written[i]));
    }
}

template <class Number>
void MarginalTracker<Number>::applyRevealAll(int rank) {
    const int cups = m_maps->cups;
    const Permutation arrangement = Permutation::unrank(cups, rank);
    std::vector<Number> seen(m_state.size(), Number(0));
    if (m_settings.inject) {
        for (int i = 0; i < cups; ++i) {
            seen[cellOf(i, cups, arrangement[i])] = 1;
        }
    }
    store(std::move(seen));
}

template <class Number>
void MarginalTracker<Number>::normaliseColumns() {
    const auto n = static_cast<std::size_t>(m_maps->cups);
    std::vector<Number> plain = state();
    for (std::size_t column = 0; column < n; ++column) {
        Number sum(0);
        for (std::size_t row = 0; row < n; ++row) {
            sum = roundedBy(m_rounding, Number(sum + plain[row * n + column]));
        }
        for (std::size_t row = 0; row < n && sum != 0; ++row) {
            plain[row * n + column] /= sum;
        }
    }
    store(std::move(plain));
}

/// Columns as probabilities, to the nearest of so many levels from 0 to 1.
template <class Number>
void MarginalTracker<Number>::discretise() {
    if constexpr (std::is_same_v<Number, double>) {
        const auto n = static_cast<std::size_t>(m_maps->cups);
        const double top = m_settings.levels - 1;
        std::vector<double> plain = state();
        for (std::size_t column = 0; column < n; ++column) {
            double sum = 0;
            for (std::size_t row = 0; row < n; ++row) {
                sum += std::max(plain[row * n + column], 0.0);
            }
            for (std::size_t row = 0; row < n && sum > 0; ++row) {
                double& entry = plain[row * n + column];
                entry = std::nearbyint(std::max(entry, 0.0) / sum * top) / top;
            }
        }
        store(std::move(plain));
    }
}

template <class Number>
double MarginalTracker<Number>::starvedMass() const {
    const auto n = static_cast<std::size_t>(m_maps->cups);
    const std::vector<Number> plain = state();
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t column = 0; column < n; ++column) {
        double sum = 0;
        for (std::size_t row = 0; row < n; ++row) {
            sum += std::fabs(toDouble(plain[row * n + column]));
        }
        least = std::min(least, sum);
    }
    return least;
}

template <class Number>
SinkhornResult<Number> MarginalTracker<Number>::readOut() const {
    return sinkhorn(state(), m_maps->cups, m_settings.readOut);
}

template <class Number>
TrackerReading MarginalTracker<Number>::read() const {
    TrackerReading reading;
    const std::vector<Number> plain = state();
    Number sum(0);
    Number squares(0);
    for (const Number& entry : plain) {
        sum += entry < 0 ? Number(-entry) : entry;
        squares += entry * entry;
    }
    reading.log2Norm1 = log2Of(sum);
    reading.log2Norm2 = 0.5 * log2Of(squares);
    const SinkhornResult<Number> result = readOut();
    for (const Number& entry : result.matrix) {
        reading.marginals.push_back(toDouble(entry));
    }
    reading.rounds = result.rounds;
    reading.residual = result.residual;
    reading.starvedMass = starvedMass();
    reading.lost = !(reading.starvedMass > 0) || !std::isfinite(reading.log2Norm1);
    return reading;
}

template class MarginalTracker<double>;
template class MarginalTracker<Fraction>;

}  // namespace lab::tasks
