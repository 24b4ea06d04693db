// The belief filter of one batch entry: kernels/belief_filter.h has the mathematics.
#pragma once

#include "kernels/cpu/jobs.h"
#include "kernels/cpu/row_kernels.inl"
#include "kernels/simd.h"

namespace lab::kernels {
namespace {

template <class T>
struct BeliefItem {
    const cpu::BeliefJob<T>& job;
    std::int64_t b;

    [[nodiscard]] LAB_INLINE const T* matrix(std::int64_t t) const {
        return job.transition + b * job.transitionBatch + t * job.transitionTime;
    }
    [[nodiscard]] LAB_INLINE T weightOf(std::int64_t t, int m) const {
        return rowOf(job.weights, b, t, 0)[m * job.weights.stride[3]];
    }
    [[nodiscard]] LAB_INLINE T evidenceOf(std::int64_t t, int state) const {
        return job.evidence.data == nullptr
                   ? T(1)
                   : rowOf(job.evidence, b, t, 0)[state * job.evidence.stride[3]];
    }

    /// V vectors of columns, summed over the rows in order.
    template <int V>
    LAB_INLINE void column(T* to, const T* from, const T* rows, int last) const {
        Vec<T> total[V] = {};
        for (int i = 0; i < job.states; ++i) {
            const T* const row = rows + std::int64_t{i} * job.states;
            for (int v = 0; v < V; ++v) {
                const int n = v + 1 == V ? last : kLanes<T>;
                total[v] =
                    fma<T>(broadcast<T>(from[i]), loadLanes<T>(row + v * kLanes<T>, n), total[v]);
            }
        }
        for (int v = 0; v < V; ++v) {
            storeLanes<T>(to + v * kLanes<T>, total[v], v + 1 == V ? last : kLanes<T>);
        }
    }
    /// Where the mass of `from` goes in step t.
    void move(T* to, const T* from, std::int64_t t) const {
        const int states = job.states;
        if (job.permutations == 0) {
            constexpr int kBlock = 4 * kLanes<T>;
            int j = 0;
            for (; j + kBlock <= states; j += kBlock) {
                column<4>(to + j, from, matrix(t) + j, kLanes<T>);
            }
            for (; j < states; j += kLanes<T>) {
                column<1>(to + j, from, matrix(t) + j,
                          states - j < kLanes<T> ? states - j : kLanes<T>);
            }
            return;
        }
        for (int j = 0; j < states; ++j) {
            to[j] = T(0);
        }
        for (int m = 0; m < job.permutations; ++m) {
            const T weight = weightOf(t, m);
            const std::int32_t* const source = job.source + std::int64_t{m} * states;
            for (int j = 0; j < states; ++j) {
                to[j] += weight * from[source[j]];
            }
        }
    }
    /// Takes the evidence of step t into `belief`, in place; returns c.
    T condition(T* belief, std::int64_t t) const {
        if (job.evidence.data != nullptr) {
            for (int j = 0; j < job.states; ++j) {
                belief[j] *= evidenceOf(t, j);
            }
        }
        Vec<T> total{};
        forEachVector<T>(job.states, [&](int i, int n) { total += loadLanes<T>(belief + i, n); });
        const T mass = sum<T>(total);
        const T share = mass > T(0) ? T(1) / mass : T(0);
        forEachVector<T>(job.states, [&](int i, int n) {
            storeLanes<T>(belief + i, loadLanes<T>(belief + i, n) * share, n);
        });
        return mass > T(0) ? mass : T(0);
    }

    void forward() const {
        const T* before = job.initial + b * job.states;
        for (std::int64_t t = 0; t < job.steps; ++t) {
            T* const belief = rowOf(job.belief, b, t, 0);
            move(belief, before, t);
            const T mass = condition(belief, t);
            if (job.mass != nullptr) {
                job.mass[b * job.steps + t] = mass;
            }
            if (job.logEvidence != nullptr) {
                job.logEvidence[b * job.steps + t] =
                    static_cast<T>(__builtin_log(static_cast<double>(mass)));
            }
            before = belief;
        }
    }

    /// Gradients through the move: of the belief before, of the matrix or the weights.
    void moveBack(T* gradBefore, const T* before, const T* gradMoved, std::int64_t t) const {
        const int states = job.states;
        if (job.permutations == 0) {
            const bool shared = job.transitionBatch == 0 && job.transitionTime == 0;
            T* const into = job.gradTransition == nullptr
                                ? nullptr
                                : job.gradTransition + (shared ? b : b * job.steps + t) *
                                                           std::int64_t{states} * states;
            for (int i = 0; i < states; ++i) {
                const T* const row = matrix(t) + std::int64_t{i} * states;
                const Vec<T> mass = broadcast<T>(before[i]);
                Vec<T> total{};
                forEachVector<T>(states, [&](int j, int n) {
                    const Vec<T> g = loadLanes<T>(gradMoved + j, n);
                    total = fma<T>(loadLanes<T>(row + j, n), g, total);
                    if (into != nullptr) {
                        T* const at = into + std::int64_t{i} * states + j;
                        storeLanes<T>(at, fma<T>(mass, g, shared ? loadLanes<T>(at, n) : Vec<T>{}),
                                      n);
                    }
                });
                gradBefore[i] = sum<T>(total);
            }
            return;
        }
        for (int i = 0; i < states; ++i) {
            gradBefore[i] = T(0);
        }
        for (int m = 0; m < job.permutations; ++m) {
            const T weight = weightOf(t, m);
            const std::int32_t* const source = job.source + std::int64_t{m} * states;
            T along = T(0);
            for (int j = 0; j < states; ++j) {
                gradBefore[source[j]] += weight * gradMoved[j];
                along += before[source[j]] * gradMoved[j];
            }
            if (job.gradWeights.data != nullptr) {
                rowOf(job.gradWeights, b, t, 0)[m] = along;
            }
        }
    }

    void backward(T* scratch) const {
        const int states = job.states;
        const std::int64_t row =
            static_cast<std::int64_t>(cpu::beliefScratch(kLanes<T>, states)) / 4;
        T* const moved = scratch;
        T* const gradMoved = scratch + row;
        T* const carried = scratch + 2 * row;
        T* const before = scratch + 3 * row;
        for (int i = 0; i < states; ++i) {
            carried[i] = T(0);
        }
        for (std::int64_t t = job.steps - 1; t >= 0; --t) {
            for (int i = 0; i < states; ++i) {
                before[i] = t > 0
                                ? rowOf(job.savedBelief, b, t - 1, 0)[i * job.savedBelief.stride[3]]
                                : job.initial[b * states + i];
            }
            const T* const belief = rowOf(job.savedBelief, b, t, 0);
            const T mass = job.savedMass[b * job.steps + t];
            const T share = mass > T(0) ? T(1) / mass : T(0);
            T along = T(0);
            for (int i = 0; i < states; ++i) {
                if (job.gradBelief.data != nullptr) {
                    carried[i] += rowOf(job.gradBelief, b, t, 0)[i * job.gradBelief.stride[3]];
                }
                along += carried[i] * belief[i * job.savedBelief.stride[3]];
            }
            const T up =
                job.gradLogEvidence == nullptr ? T(0) : job.gradLogEvidence[b * job.steps + t];
            const bool wantsEvidence = job.gradEvidence.data != nullptr;
            if (wantsEvidence) {
                move(moved, before, t);
            }
            for (int i = 0; i < states; ++i) {
                // dn = (db - <db, b> + dl) / c; zero where the evidence was impossible
                const T gradN = mass > T(0) ? (carried[i] - along + up) * share : T(0);
                gradMoved[i] = gradN * evidenceOf(t, i);
                if (wantsEvidence) {
                    rowOf(job.gradEvidence, b, t, 0)[i] = gradN * moved[i];
                }
            }
            moveBack(carried, before, gradMoved, t);
        }
        for (int i = 0; job.gradInitial != nullptr && i < states; ++i) {
            job.gradInitial[b * states + i] = carried[i];
        }
    }
};

template <class T>
void beliefForwardItem(const cpu::BeliefJob<T>& job, std::int64_t item) {
    const FlushDenormals flush;
    BeliefItem<T>{job, item}.forward();
}
template <class T>
void beliefBackwardItem(const cpu::BeliefJob<T>& job, std::int64_t item, T* scratch) {
    const FlushDenormals flush;
    BeliefItem<T>{job, item}.backward(scratch);
}

}  // namespace
}  // namespace lab::kernels
