// Sinkhorn's iteration: a matrix of masses as the nearest thing to a doubly stochastic one.
//
// A round divides every row by its sum, then every column by its sum. It converges if and only if
// the positive entries contain a permutation, and only sublinearly where some positive entry lies
// on none: then after m rounds an entry may still be 1/(2m+1). Hence the cap and the residual.
// Source: Sinkhorn, Knopp, "Concerning nonnegative matrices and doubly stochastic matrices" (1967).
#pragma once

#include <vector>

namespace lab::tasks {

struct SinkhornOptions {
    int rounds = 200;          ///< at most
    double tolerance = 1e-12;  ///< stops when the residual is no more than this
};

template <class Number>
struct SinkhornResult {
    std::vector<Number> matrix;  ///< [row * size + column]
    int rounds = 0;              ///< done
    double residual = 0;         ///< largest distance of a row or column sum from one
};

/// Number is double or Fraction. Entries below zero and entries that are no numbers count as zero.
/// Rows and columns of zeros stay zeros, and then the residual is one.
template <class Number>
[[nodiscard]] SinkhornResult<Number> sinkhorn(std::vector<Number> matrix, int size,
                                              SinkhornOptions options = {});

}  // namespace lab::tasks
