// Plain loops over (batch, head), written to be read.
#include "kernels/reference/delta_rule.h"

#include <cmath>
#include <cstddef>

namespace lab::kernels::reference {
namespace {

using Size = std::size_t;

/// One (batch, head): its walk over time with every state on the way.
class Head {
public:
    Head(const DeltaProblem& problem, DeltaAnswer& answer, int b, int h)
        : m_p(problem),
          m_a(answer),
          m_b(b),
          m_h(h),
          m_keys(problem.keyDim),
          m_values(problem.valueDim) {}

    void forward() {
        Numbers state(area(), 0.0);
        for (Size i = 0; i < area() && !m_p.initialState.empty(); ++i) {
            state[i] = m_p.initialState[stateAt() + i];
        }
        for (int t = 0; t < m_p.steps; ++t) {
            m_beforeToken.push_back(state);
            if (!m_p.gate.empty()) {
                for (double& s : state) {
                    s *= std::exp(m_p.gate[tokenAt(t)]);
                }
            }
            for (int j = 0; j < m_p.householders; ++j) {
                m_beforeFactor.push_back(state);
                write(state, t * m_p.householders + j);
            }
            m_afterToken.push_back(state);
            read(state, t);
        }
        for (Size i = 0; i < area(); ++i) {
            m_a.finalState[stateAt() + i] = state[i];
        }
    }

    void backward() {
        Numbers grad(area(), 0.0);
        for (Size i = 0; i < area() && !m_p.gradFinalState.empty(); ++i) {
            grad[i] = m_p.gradFinalState[stateAt() + i];
        }
        for (int t = m_p.steps - 1; t >= 0; --t) {
            readBackward(grad, t);
            for (int j = m_p.householders - 1; j >= 0; --j) {
                writeBackward(grad, t * m_p.householders + j);
            }
            if (!m_p.gate.empty()) {
                const double a = std::exp(m_p.gate[tokenAt(t)]);
                double product = 0.0;
                for (Size i = 0; i < area(); ++i) {
                    product += grad[i] * m_beforeToken[Size(t)][i];
                    grad[i] *= a;
                }
                m_a.gradGate[tokenAt(t)] = a * product;
            }
        }
        for (Size i = 0; i < area(); ++i) {
            m_a.gradInitialState[stateAt() + i] = grad[i];
        }
    }

private:
    [[nodiscard]] Size area() const { return Size(m_keys) * Size(m_values); }
    [[nodiscard]] Size stateAt() const {
        return (Size(m_b) * Size(m_p.heads) + Size(m_h)) * area();
    }
    [[nodiscard]] Size tokenAt(int t) const {
        return (Size(m_b) * Size(m_p.steps) + Size(t)) * Size(m_p.heads) + Size(m_h);
    }
    [[nodiscard]] Size rowAt(int row) const {
        return (Size(m_b) * Size(m_p.steps) * Size(m_p.householders) + Size(row)) *
                   Size(m_p.heads) +
               Size(m_h);
    }
    [[nodiscard]] Size cell(int i, int j) const { return Size(i) * Size(m_values) + Size(j); }

    /// The vector of length n that starts at `at`, as the recurrence uses it.
    [[nodiscard]] Numbers unit(const Numbers& from, Size at) const {
        Numbers x(from.begin() + static_cast<std::ptrdiff_t>(at),
                  from.begin() + static_cast<std::ptrdiff_t>(at) + m_keys);
        if (m_p.normaliseEpsilon >= 0) {
            const double length = lengthOf(x);
            for (double& value : x) {
                value = length > 0 ? value / length : 0.0;
            }
        }
        return x;
    }
    [[nodiscard]] double lengthOf(const Numbers& x) const {
        double square = m_p.normaliseEpsilon;
        for (const double value : x) {
            square += value * value;
        }
        return std::sqrt(square);
    }
    /// Writes the gradient of a raw vector from that of the used one, by the Jacobian
    /// d used_a / d raw_b = (1_ab - used_a used_b) / length.
    void giveRaw(Numbers& to, const Numbers& raw, Size at, const Numbers& gradUsed) const {
        const Numbers used = unit(raw, at);
        const Numbers x(raw.begin() + static_cast<std::ptrdiff_t>(at),
                        raw.begin() + static_cast<std::ptrdiff_t>(at) + m_keys);
        const double length = m_p.normaliseEpsilon >= 0 ? lengthOf(x) : 1.0;
        for (int b = 0; b < m_keys; ++b) {
            double total = 0.0;
            for (int a = 0; a < m_keys; ++a) {
                double slope = a == b ? 1.0 : 0.0;
                if (m_p.normaliseEpsilon >= 0) {
                    slope = length > 0 ? (slope - used[Size(a)] * used[Size(b)]) / length : 0.0;
                }
                total += gradUsed[Size(a)] * slope;
            }
            to[at + Size(b)] = total;
        }
    }

    void write(Numbers& state, int row) {
        const Numbers k = unit(m_p.k, rowAt(row) * Size(m_keys));
        for (int j = 0; j < m_values; ++j) {
            double r = m_p.v[rowAt(row) * Size(m_values) + Size(j)];
            for (int i = 0; i < m_keys; ++i) {
                r -= state[cell(i, j)] * k[Size(i)];
            }
            m_a.residual[rowAt(row) * Size(m_values) + Size(j)] = r;
            for (int i = 0; i < m_keys; ++i) {
                state[cell(i, j)] += m_p.beta[rowAt(row)] * k[Size(i)] * r;
            }
        }
    }
    void read(const Numbers& state, int t) {
        const Numbers q = unit(m_p.q, tokenAt(t) * Size(m_keys));
        double square = 0.0;
        for (int j = 0; j < m_values; ++j) {
            double o = 0.0;
            for (int i = 0; i < m_keys; ++i) {
                o += state[cell(i, j)] * q[Size(i)];
                square += state[cell(i, j)] * state[cell(i, j)];
            }
            m_a.o[tokenAt(t) * Size(m_values) + Size(j)] = m_p.scale * o;
        }
        m_a.stateNorm[tokenAt(t)] = std::sqrt(square);
    }
    void readBackward(Numbers& grad, int t) {
        const Numbers q = unit(m_p.q, tokenAt(t) * Size(m_keys));
        Numbers gradQ(Size(m_keys), 0.0);
        for (int j = 0; j < m_values && !m_p.gradO.empty(); ++j) {
            const double upstream = m_p.scale * m_p.gradO[tokenAt(t) * Size(m_values) + Size(j)];
            for (int i = 0; i < m_keys; ++i) {
                gradQ[Size(i)] += upstream * m_afterToken[Size(t)][cell(i, j)];
                grad[cell(i, j)] += upstream * q[Size(i)];
            }
        }
        giveRaw(m_a.gradQ, m_p.q, tokenAt(t) * Size(m_keys), gradQ);
    }
    void writeBackward(Numbers& grad, int row) {
        const Numbers& before = m_beforeFactor[Size(row)];
        const Numbers k = unit(m_p.k, rowAt(row) * Size(m_keys));
        const double beta = m_p.beta[rowAt(row)];
        Numbers gradK(Size(m_keys), 0.0);
        double gradBeta = 0.0;
        for (int j = 0; j < m_values; ++j) {
            const double r = m_a.residual[rowAt(row) * Size(m_values) + Size(j)];
            double seen = 0.0;  // k^T grad
            for (int i = 0; i < m_keys; ++i) {
                seen += k[Size(i)] * grad[cell(i, j)];
            }
            gradBeta += seen * r;
            m_a.gradV[rowAt(row) * Size(m_values) + Size(j)] = beta * seen;
            for (int i = 0; i < m_keys; ++i) {
                gradK[Size(i)] += beta * (grad[cell(i, j)] * r - before[cell(i, j)] * seen);
                grad[cell(i, j)] -= beta * k[Size(i)] * seen;
            }
        }
        m_a.gradBeta[rowAt(row)] = gradBeta;
        giveRaw(m_a.gradK, m_p.k, rowAt(row) * Size(m_keys), gradK);
    }

    const DeltaProblem& m_p;
    DeltaAnswer& m_a;
    int m_b, m_h, m_keys, m_values;
    std::vector<Numbers> m_beforeToken, m_beforeFactor, m_afterToken;
};

}  // namespace

DeltaAnswer deltaRule(const DeltaProblem& p) {
    DeltaAnswer answer;
    const Size tokens = Size(p.batch) * Size(p.steps) * Size(p.heads);
    const Size rows = tokens * Size(p.householders);
    const Size states = Size(p.batch) * Size(p.heads) * Size(p.keyDim) * Size(p.valueDim);
    answer.o.resize(tokens * Size(p.valueDim));
    answer.finalState.resize(states);
    answer.residual.resize(rows * Size(p.valueDim));
    answer.stateNorm.resize(tokens);
    answer.gradQ.resize(tokens * Size(p.keyDim));
    answer.gradK.resize(rows * Size(p.keyDim));
    answer.gradV.resize(rows * Size(p.valueDim));
    answer.gradBeta.resize(rows);
    answer.gradGate.resize(p.gate.empty() ? 0 : tokens);
    answer.gradInitialState.resize(states);
    for (int b = 0; b < p.batch; ++b) {
        for (int h = 0; h < p.heads; ++h) {
            Head head(p, answer, b, h);
            head.forward();
            head.backward();
        }
    }
    return answer;
}

}  // namespace lab::kernels::reference
