#include "tasks/sinkhorn.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "tasks/fraction.h"

namespace lab::tasks {
namespace {

bool isMass(double value) {
    return value > 0 && std::isfinite(value);
}
bool isMass(const Fraction& value) {
    return value > 0;
}

/// `size` entries from `first` on, `stride` apart.
template <class Number>
Number sumOf(const std::vector<Number>& matrix, std::size_t first, std::size_t stride,
             std::size_t size) {
    Number sum(0);
    for (std::size_t i = 0; i < size; ++i) {
        sum += matrix[first + i * stride];
    }
    return sum;
}

template <class Number>
void normalise(std::vector<Number>& matrix, std::size_t first, std::size_t stride,
               std::size_t size) {
    const Number sum = sumOf(matrix, first, stride, size);
    if (sum == 0) {
        return;
    }
    for (std::size_t i = 0; i < size; ++i) {
        matrix[first + i * stride] /= sum;
    }
}

template <class Number>
double residualOf(const std::vector<Number>& matrix, std::size_t size) {
    double worst = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const double row = toDouble(Number(sumOf(matrix, i * size, 1, size) - 1));
        const double column = toDouble(Number(sumOf(matrix, i, size, size) - 1));
        worst = std::max({worst, std::fabs(row), std::fabs(column)});
    }
    return worst;
}

/// So that sums neither overflow nor underflow.
void bringToScale(std::vector<double>& matrix) {
    const double largest = *std::max_element(matrix.begin(), matrix.end());
    if (largest > 0) {
        for (double& entry : matrix) {
            entry /= largest;
        }
    }
}
void bringToScale(std::vector<Fraction>&) {}

}  // namespace

template <class Number>
SinkhornResult<Number> sinkhorn(std::vector<Number> matrix, int size, SinkhornOptions options) {
    const auto n = static_cast<std::size_t>(size);
    assert(size >= 1 && matrix.size() == n * n);
    for (Number& entry : matrix) {
        if (!isMass(entry)) {
            entry = 0;
        }
    }
    double residual = residualOf(matrix, n);
    int round = 0;
    if (residual > options.tolerance) {
        bringToScale(matrix);
    }
    while (residual > options.tolerance && round < options.rounds) {
        for (std::size_t row = 0; row < n; ++row) {
            normalise(matrix, row * n, 1, n);
        }
        for (std::size_t column = 0; column < n; ++column) {
            normalise(matrix, column, n, n);
        }
        residual = residualOf(matrix, n);
        ++round;
    }
    return {std::move(matrix), round, residual};
}

template SinkhornResult<double> sinkhorn(std::vector<double>, int, SinkhornOptions);
template SinkhornResult<Fraction> sinkhorn(std::vector<Fraction>, int, SinkhornOptions);

}  // namespace lab::tasks
