// Matrices of few entries, multiplied in a number format: every product and every sum is rounded.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tasks/cell.h"
#include "tasks/fraction.h"
#include "tasks/number_format.h"

namespace lab::tasks {

/// Fractions are exact: nothing is rounded.
template <class Number>
[[nodiscard]] Number roundedBy(const Rounding& rounding, Number value) {
    if constexpr (std::is_same_v<Number, double>) {
        return rounding(value);
    } else {
        return value;
    }
}

template <class Number>
class SparseMatrix {
public:
    /// Rows are filled one after the other.
    void add(int column, Number value) {
        m_columns.push_back(column);
        m_values.push_back(std::move(value));
    }
    void endRow() { m_ends.push_back(static_cast<std::int32_t>(m_columns.size())); }

    /// Of a square matrix; entries of zero are left out.
    [[nodiscard]] static SparseMatrix from(std::span<const Number> dense, int size,
                                           const Rounding& rounding) {
        SparseMatrix result;
        for (int row = 0; row < size; ++row) {
            for (int column = 0; column < size; ++column) {
                const Number& value = dense[cellOf(row, size, column)];
                if (value != 0) {
                    result.add(column, roundedBy(rounding, value));
                }
            }
            result.endRow();
        }
        return result;
    }

    [[nodiscard]] int rows() const noexcept { return static_cast<int>(m_ends.size()); }

    /// Entry `row` of this times the vector x[first], x[first + stride], ...; summed from the left.
    [[nodiscard]] Number rowTimes(int row, const std::vector<Number>& x, int first, int stride,
                                  const Rounding& rounding) const {
        const auto at = static_cast<std::size_t>(row);
        const std::int32_t begin = row == 0 ? 0 : m_ends[at - 1];
        Number sum(0);
        for (std::int32_t i = begin; i < m_ends[at]; ++i) {
            const auto entry = static_cast<std::size_t>(i);
            const auto from = cellOf(m_columns[entry], stride, first);
            sum = roundedBy(rounding,
                            Number(sum + roundedBy(rounding, Number(m_values[entry] * x[from]))));
        }
        return sum;
    }

private:
    std::vector<std::int32_t> m_ends;  // of each row, in m_columns
    std::vector<std::int32_t> m_columns;
    std::vector<Number> m_values;
};

}  // namespace lab::tasks
