// Where an entry of a matrix lies among its numbers, row by row.
#pragma once

#include <cstddef>

namespace lab::tasks {

[[nodiscard]] constexpr std::size_t cellOf(int row, int columns, int column) noexcept {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
}

}  // namespace lab::tasks
