// Plain loops, written to be read.
#include "kernels/reference/elementary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lab::kernels::reference {
namespace {

using Size = std::size_t;

double logistic(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

/// One channel of one batch entry, its carried inputs in front of the others.
class Channel {
public:
    Channel(const ConvProblem& problem, Size b, Size c)
        : m_p(problem),
          m_c(c),
          m_width(Size(problem.width)),
          m_steps(Size(problem.steps)),
          m_state((b * Size(problem.channels) + c) * (m_width - 1)),
          m_first(b * m_steps * Size(problem.channels) + c),
          m_inputs(m_width - 1 + m_steps),
          m_grads(m_inputs.size()) {
        for (Size w = 0; w + 1 < m_width; ++w) {
            m_inputs[w] = m_p.initialState.empty() ? 0.0 : m_p.initialState[m_state + w];
        }
        for (Size t = 0; t < m_steps; ++t) {
            m_inputs[m_width - 1 + t] = m_p.x[at(t)];
        }
    }
    void convolve(ConvAnswer& a) {
        for (Size t = 0; t < m_steps; ++t) {
            double sum = m_p.bias.empty() ? 0.0 : m_p.bias[m_c];
            for (Size w = 0; w < m_width; ++w) {
                sum += m_p.weight[m_c * m_width + w] * m_inputs[t + w];
            }
            const double s = logistic(sum);
            a.y[at(t)] = m_p.silu ? sum * s : sum;
            const double slope = m_p.silu ? s + sum * s * (1.0 - s) : 1.0;
            const double grad = (m_p.gradY.empty() ? 0.0 : m_p.gradY[at(t)]) * slope;
            a.gradBias[m_c] += grad;
            for (Size w = 0; w < m_width; ++w) {
                a.gradWeight[m_c * m_width + w] += grad * m_inputs[t + w];
                m_grads[t + w] += grad * m_p.weight[m_c * m_width + w];
            }
        }
    }
    void carry(ConvAnswer& a) {
        for (Size w = 0; w + 1 < m_width; ++w) {
            a.finalState[m_state + w] = m_inputs[m_steps + w];
            m_grads[m_steps + w] +=
                m_p.gradFinalState.empty() ? 0.0 : m_p.gradFinalState[m_state + w];
        }
        for (Size w = 0; w + 1 < m_width; ++w) {
            a.gradInitialState[m_state + w] = m_grads[w];
        }
        for (Size t = 0; t < m_steps; ++t) {
            a.gradX[at(t)] = m_grads[m_width - 1 + t];
        }
    }

private:
    [[nodiscard]] Size at(Size t) const { return m_first + t * Size(m_p.channels); }

    const ConvProblem& m_p;
    Size m_c, m_width, m_steps, m_state, m_first;
    Numbers m_inputs, m_grads;
};

}  // namespace

ConvAnswer shortConv(const ConvProblem& p) {
    ConvAnswer a;
    a.y.resize(Size(p.batch) * Size(p.steps) * Size(p.channels));
    a.gradX = a.y;
    a.finalState.resize(Size(p.batch) * Size(p.channels) * Size(p.width - 1));
    a.gradInitialState = a.finalState;
    a.gradWeight.resize(Size(p.channels) * Size(p.width));
    a.gradBias.resize(Size(p.channels));
    for (Size b = 0; b < Size(p.batch); ++b) {
        for (Size c = 0; c < Size(p.channels); ++c) {
            Channel channel(p, b, c);
            channel.convolve(a);
            channel.carry(a);
        }
    }
    return a;
}

CrossEntropyAnswer crossEntropy(int classes, const Numbers& x,
                                const std::vector<std::int64_t>& target, const Numbers& weight) {
    CrossEntropyAnswer a;
    a.gradX.resize(x.size());
    for (Size row = 0; row < target.size(); ++row) {
        if (target[row] < 0) {
            a.loss.push_back(0.0);
            a.correct.push_back(0);
            continue;
        }
        const auto first = x.begin() + static_cast<std::ptrdiff_t>(row * Size(classes));
        const auto top = std::max_element(first, first + classes);
        double mass = 0.0;
        for (auto logit = first; logit != first + classes; ++logit) {
            mass += std::exp(*logit - *top);
        }
        a.loss.push_back(std::log(mass) - (*(first + target[row]) - *top));
        a.correct.push_back(top - first == target[row] ? 1 : 0);
        for (int c = 0; c < classes; ++c) {
            const double probability = std::exp(*(first + c) - *top) / mass;
            a.gradX[row * Size(classes) + Size(c)] = (weight.empty() ? 1.0 : weight[row]) *
                                                     (probability - (c == target[row] ? 1.0 : 0.0));
        }
    }
    return a;
}

}  // namespace lab::kernels::reference
