#include "tasks/orthogonal_basis.h"

#include <cmath>

#include "tasks/rng.h"

namespace lab::tasks {
namespace {

double dot(const double* a, const double* b, std::size_t size) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/// Takes from `row` what it has of the rows before it; once more for precision.
void orthogonalise(std::vector<double>& matrix, std::size_t row, std::size_t size) {
    double* const mine = &matrix[row * size];
    for (int pass = 0; pass < 2; ++pass) {
        for (std::size_t other = 0; other < row; ++other) {
            const double* const theirs = &matrix[other * size];
            const double share = dot(mine, theirs, size);
            for (std::size_t i = 0; i < size; ++i) {
                mine[i] -= share * theirs[i];
            }
        }
    }
    const double length = std::sqrt(dot(mine, mine, size));
    for (std::size_t i = 0; i < size; ++i) {
        mine[i] /= length;
    }
}

}  // namespace

std::vector<double> randomOrthogonal(int size, std::uint64_t seed) {
    const auto n = static_cast<std::size_t>(size);
    Rng rng(seed, Stream::kWeights, n);
    std::vector<double> matrix(n * n);
    for (double& entry : matrix) {
        entry = rng.normal();
    }
    for (std::size_t row = 0; row < n; ++row) {
        orthogonalise(matrix, row, n);
    }
    return matrix;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, int size) {
    const auto n = static_cast<std::size_t>(size);
    std::vector<double> result(n * n, 0.0);
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t column = 0; column < n; ++column) {
                result[row * n + column] += a[row * n + k] * b[k * n + column];
            }
        }
    }
    return result;
}

std::vector<double> transposed(const std::vector<double>& a, int size) {
    const auto n = static_cast<std::size_t>(size);
    std::vector<double> result(n * n);
    for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t column = 0; column < n; ++column) {
            result[column * n + row] = a[row * n + column];
        }
    }
    return result;
}

}  // namespace lab::tasks
