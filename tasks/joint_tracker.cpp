#include "tasks/joint_tracker.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <utility>

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

/// T by rows: for every arrangement, where its mass comes from.
template <class Number>
SparseMatrix<Number> mixingMap(const Mixture& mixture, int cups, Convention convention,
                               const Rounding& rounding) {
    const int order = factorial(cups);
    std::vector<std::map<int, Number>> rows(static_cast<std::size_t>(order));
    for (int rank = 0; rank < order; ++rank) {
        const Permutation from = Permutation::unrank(cups, rank);
        for (const MixTerm& term : mixture.terms) {
            const int to = act(convention, from, term.move).rank();
            rows[static_cast<std::size_t>(to)][rank] += numberOf<Number>(term.probability);
        }
    }
    SparseMatrix<Number> map;
    for (const auto& row : rows) {
        for (const auto& [from, probability] : row) {
            if (probability != 0) {
                map.add(from, roundedBy(rounding, probability));
            }
        }
        map.endRow();
    }
    return map;
}

std::vector<double> denseMixing(const Mixture& mixture, int cups, Convention convention) {
    const int order = factorial(cups);
    const auto size = static_cast<std::size_t>(order);
    if (mixture.terms.empty()) {
        std::vector<double> even(size * size, 1.0 / order);
        return even;
    }
    std::vector<double> dense(size * size, 0.0);
    for (int rank = 0; rank < order; ++rank) {
        for (const MixTerm& term : mixture.terms) {
            const int to = act(convention, Permutation::unrank(cups, rank), term.move).rank();
            dense[cellOf(to, order, rank)] += toDouble(term.probability);
        }
    }
    return dense;
}

}  // namespace

template <class Number>
struct JointTracker<Number>::Maps {
    int cups = 3;
    std::vector<Permutation> arrangements;                        // by rank
    std::vector<double> basis;                                    // empty: the plain one
    std::vector<SparseMatrix<Number>> mixing;                     // by mixture
    std::vector<bool> uniform;                                    // by mixture; plain basis only
    std::map<std::pair<int, int>, SparseMatrix<Number>> reveals;  // in another basis only

    [[nodiscard]] int order() const { return static_cast<int>(arrangements.size()); }

    Maps(const CupSteps& steps, const TrackerSettings& settings, const Rounding& rounding)
        : cups(steps.cups) {
        for (int rank = 0; rank < factorial(cups); ++rank) {
            arrangements.push_back(Permutation::unrank(cups, rank));
        }
        if constexpr (std::is_same_v<Number, double>) {
            if (settings.keyBasis) {
                basis = randomOrthogonal(order(), *settings.keyBasis);
                addRotated(steps, rounding);
                return;
            }
        }
        for (const Mixture& mixture : steps.mixtures) {
            uniform.push_back(mixture.terms.empty());
            mixing.push_back(mixture.terms.empty()
                                 ? SparseMatrix<Number>()
                                 : mixingMap<Number>(mixture, cups, steps.convention, rounding));
        }
    }

    void addRotated(const CupSteps& steps, const Rounding& rounding) {
        const auto inBasis = [&](const std::vector<double>& plain) {
            const auto rotated =
                product(product(basis, plain, order()), transposed(basis, order()), order());
            const std::vector<Number> numbers(rotated.begin(), rotated.end());
            return SparseMatrix<Number>::from(numbers, order(), rounding);
        };
        for (const Mixture& mixture : steps.mixtures) {
            uniform.push_back(false);
            mixing.push_back(inBasis(denseMixing(mixture, cups, steps.convention)));
        }
        for (const CupStep& step : steps.steps) {
            const std::pair<int, int> key{step.position, step.element};
            if (step.kind == CupStep::Kind::kReveal && !reveals.contains(key)) {
                const auto size = static_cast<std::size_t>(order());
                std::vector<double> mask(size * size, 0.0);
                for (std::size_t rank = 0; rank < size; ++rank) {
                    mask[rank * size + rank] = arrangements[rank][key.first] == key.second ? 1 : 0;
                }
                reveals.emplace(key, inBasis(mask));
            }
        }
    }
};

template <class Number>
JointTracker<Number>::JointTracker(const CupSteps& steps, const TrackerSettings& settings)
    : m_settings(settings), m_rounding(settings.format, settings.subnormals) {
    assert(problemsIn(TrackerKind::kJoint, settings, steps.cups).empty());
    m_maps = std::make_shared<const Maps>(steps, settings, m_rounding);
    const int order = m_maps->order();
    std::vector<Number> start(static_cast<std::size_t>(order), Number(0));
    if (steps.start) {
        start[static_cast<std::size_t>(steps.start->rank())] = 1;
    } else {
        std::fill(start.begin(), start.end(), Number(1) / order);
    }
    store(std::move(start));
}

/// Keeps a state that is given in the plain basis.
template <class Number>
void JointTracker<Number>::store(std::vector<Number> plain) {
    if constexpr (std::is_same_v<Number, double>) {
        if (!m_maps->basis.empty()) {
            const std::size_t size = plain.size();
            std::vector<double> rotated(size, 0.0);
            for (std::size_t i = 0; i < size; ++i) {
                for (std::size_t k = 0; k < size; ++k) {
                    rotated[i] += m_maps->basis[i * size + k] * plain[k];
                }
            }
            plain = std::move(rotated);
        }
    }
    for (Number& entry : plain) {
        entry = roundedBy(m_rounding, entry);
    }
    m_state = std::move(plain);
}

template <class Number>
std::vector<Number> JointTracker<Number>::state() const {
    if constexpr (std::is_same_v<Number, double>) {
        if (!m_maps->basis.empty()) {
            const std::size_t size = m_state.size();
            std::vector<double> plain(size, 0.0);
            for (std::size_t i = 0; i < size; ++i) {
                for (std::size_t k = 0; k < size; ++k) {
                    plain[k] += m_maps->basis[i * size + k] * m_state[i];
                }
            }
            return plain;
        }
    }
    return m_state;
}

template <class Number>
void JointTracker<Number>::take(const CupStep& step) {
    switch (step.kind) {
        case CupStep::Kind::kWait: break;
        case CupStep::Kind::kMix: applyMix(step.index); break;
        case CupStep::Kind::kReveal: applyReveal(step.position, step.element); break;
        case CupStep::Kind::kRevealAll: applyRevealAll(step.index); break;
    }
    ++m_steps;
    if (m_settings.normaliseEvery > 0 && m_steps % m_settings.normaliseEvery == 0) {
        normalise();
    }
    if (m_settings.levels > 0) {
        discretise();
    }
}

template <class Number>
void JointTracker<Number>::multiply(const SparseMatrix<Number>& map) {
    std::vector<Number> next(m_state.size());
    for (int row = 0; row < map.rows(); ++row) {
        next[static_cast<std::size_t>(row)] = map.rowTimes(row, m_state, 0, 1, m_rounding);
    }
    m_state = std::move(next);
}

template <class Number>
void JointTracker<Number>::applyMix(int mixture) {
    const auto index = static_cast<std::size_t>(mixture);
    if (!m_maps->uniform[index]) {
        multiply(m_maps->mixing[index]);
        return;
    }
    // Every row of T is the same: one sum is all of them.
    const Number weight = roundedBy(m_rounding, Number(Number(1) / m_maps->order()));
    Number sum(0);
    for (const Number& entry : m_state) {
        sum = roundedBy(m_rounding, Number(sum + roundedBy(m_rounding, Number(weight * entry))));
    }
    std::fill(m_state.begin(), m_state.end(), sum);
}

template <class Number>
void JointTracker<Number>::applyReveal(int position, int element) {
    if (!m_maps->basis.empty()) {
        multiply(m_maps->reveals.at({position, element}));
        return;
    }
    for (std::size_t rank = 0; rank < m_state.size(); ++rank) {
        if (m_maps->arrangements[rank][position] != element) {
            m_state[rank] = 0;
        }
    }
}

template <class Number>
void JointTracker<Number>::applyRevealAll(int rank) {
    std::vector<Number> seen(m_state.size(), Number(0));
    const auto at = static_cast<std::size_t>(rank);
    seen[at] = m_settings.inject ? Number(1) : state()[at];
    store(std::move(seen));
}

template <class Number>
void JointTracker<Number>::normalise() {
    std::vector<Number> plain = state();
    Number sum(0);
    for (const Number& entry : plain) {
        sum = roundedBy(m_rounding, Number(sum + entry));
    }
    if (sum == 0) {
        return;
    }
    for (Number& entry : plain) {
        entry /= sum;
    }
    store(std::move(plain));
}

/// In units of the largest entry, to the nearest of so many levels from 0 to 1.
template <class Number>
void JointTracker<Number>::discretise() {
    if constexpr (std::is_same_v<Number, double>) {
        std::vector<double> plain = state();
        const double largest = *std::max_element(plain.begin(), plain.end());
        if (!(largest > 0)) {
            return;
        }
        const double top = m_settings.levels - 1;
        for (double& entry : plain) {
            entry = std::nearbyint(std::max(entry, 0.0) / largest * top) / top;
        }
        store(std::move(plain));
    }
}

template <class Number>
Number JointTracker<Number>::norm1() const {
    Number sum(0);
    for (const Number& entry : state()) {
        sum += entry < 0 ? Number(-entry) : entry;
    }
    return sum;
}

template <class Number>
double JointTracker<Number>::starvedMass() const {
    return toDouble(norm1());
}

template <class Number>
std::vector<Number> JointTracker<Number>::belief() const {
    std::vector<Number> belief = state();
    // In double the sum of the smallest subnormals may be far from exact: bring them up first.
    Number largest(0);
    for (const Number& entry : belief) {
        largest = std::max(largest, entry);
    }
    if (!(largest > 0)) {
        return std::vector<Number>(belief.size(), Number(0));
    }
    Number sum(0);
    for (Number& entry : belief) {
        entry = entry > 0 ? Number(entry / largest) : Number(0);
        sum += entry;
    }
    for (Number& entry : belief) {
        entry /= sum;
    }
    return belief;
}

template <class Number>
TrackerReading JointTracker<Number>::read() const {
    TrackerReading reading;
    const std::vector<Number> mine = belief();
    const auto cups = static_cast<std::size_t>(m_maps->cups);
    reading.marginals.assign(cups * cups, 0.0);
    double squares = 0;
    for (std::size_t rank = 0; rank < mine.size(); ++rank) {
        const double mass = toDouble(mine[rank]);
        squares += mass * mass;
        if (mass == 0) {
            continue;
        }
        for (std::size_t position = 0; position < cups; ++position) {
            const int element = m_maps->arrangements[rank][static_cast<int>(position)];
            reading.marginals[position * cups + static_cast<std::size_t>(element)] += mass;
        }
    }
    const Number norm = norm1();
    reading.log2Norm1 = log2Of(norm);
    reading.log2Norm2 = reading.log2Norm1 + 0.5 * log2Of(squares);
    reading.starvedMass = toDouble(norm);
    reading.lost = squares == 0 || !std::isfinite(reading.log2Norm1);
    return reading;
}

template class JointTracker<double>;
template class JointTracker<Fraction>;

}  // namespace lab::tasks
