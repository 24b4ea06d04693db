// Plain loops, written to be read.
#include "kernels/reference/elementary.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace lab::kernels::reference {
namespace {

using Size = std::size_t;

/// The inputs of one channel with the carried ones in front, and the gradient they receive.
struct Channel {
    Numbers inputs, grads;
};

double logistic(double x) {
    return 1.0 / (1.0 + std::exp(-x));
}

}  // namespace

ConvAnswer shortConv(const ConvProblem& p) {
    const auto carried = Size(p.width - 1), steps = Size(p.steps), width = Size(p.width);
    const auto channels = Size(p.channels);
    ConvAnswer a;
    a.y.resize(Size(p.batch) * steps * channels);
    a.gradX = a.y;
    a.finalState.resize(Size(p.batch) * channels * carried);
    a.gradInitialState = a.finalState;
    a.gradWeight.resize(channels * width);
    a.gradBias.resize(channels);
    for (Size b = 0; b < Size(p.batch); ++b) {
        for (Size c = 0; c < channels; ++c) {
            const Size state = (b * channels + c) * carried;
            const auto at = [&](Size t) { return (b * steps + t) * channels + c; };
            Channel line;
            for (Size w = 0; w < carried; ++w) {
                line.inputs.push_back(p.initialState.empty() ? 0.0 : p.initialState[state + w]);
            }
            for (Size t = 0; t < steps; ++t) {
                line.inputs.push_back(p.x[at(t)]);
            }
            line.grads.resize(line.inputs.size());
            for (Size w = 0; w < carried; ++w) {
                a.finalState[state + w] = line.inputs[steps + w];
                line.grads[steps + w] +=
                    p.gradFinalState.empty() ? 0.0 : p.gradFinalState[state + w];
            }
            for (Size t = 0; t < steps; ++t) {
                double sum = p.bias.empty() ? 0.0 : p.bias[c];
                for (Size w = 0; w < width; ++w) {
                    sum += p.weight[c * width + w] * line.inputs[t + w];
                }
                const double s = logistic(sum);
                a.y[at(t)] = p.silu ? sum * s : sum;
                const double slope = p.silu ? s + sum * s * (1.0 - s) : 1.0;
                const double grad = (p.gradY.empty() ? 0.0 : p.gradY[at(t)]) * slope;
                a.gradBias[c] += grad;
                for (Size w = 0; w < width; ++w) {
                    a.gradWeight[c * width + w] += grad * line.inputs[t + w];
                    line.grads[t + w] += grad * p.weight[c * width + w];
                }
            }
            for (Size w = 0; w < carried; ++w) {
                a.gradInitialState[state + w] = line.grads[w];
            }
            for (Size t = 0; t < steps; ++t) {
                a.gradX[at(t)] = line.grads[carried + t];
            }
        }
    }
    return a;
}

NormAnswer rmsNorm(const NormProblem& p) {
    const auto rows = Size(p.rows), width = Size(p.width);
    NormAnswer a;
    a.y.resize(rows * width);
    a.inverse.resize(rows);
    a.gradX.resize(rows * width);
    a.gradWeight.resize(width);
    for (Size row = 0; row < rows; ++row) {
        const double* const x = p.x.data() + row * width;
        double square = 0.0;
        for (Size i = 0; i < width; ++i) {
            square += x[i] * x[i];
        }
        const double length = std::sqrt(square / p.width + p.epsilon);
        a.inverse[row] = 1.0 / length;
        for (Size i = 0; i < width; ++i) {
            const double weight = p.weight.empty() ? 1.0 : p.weight[i];
            const double upstream = p.gradY.empty() ? 0.0 : p.gradY[row * width + i];
            a.y[row * width + i] = x[i] / length * weight;
            a.gradWeight[i] += upstream * x[i] / length;
            for (Size j = 0; j < width; ++j) {  // d (x_i / length) / d x_j
                const double slope = (i == j ? 1.0 / length : 0.0) -
                                     x[i] * x[j] / (p.width * length * length * length);
                a.gradX[row * width + j] += upstream * weight * slope;
            }
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
