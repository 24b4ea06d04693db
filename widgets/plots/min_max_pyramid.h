// Thins a curve for the screen without losing a spike: minimum and maximum over blocks of 2^k
// points.
//
// Points come in order of x (equal x allowed). Appending costs O(1) amortised; a look costs
// O(columns log points).
#pragma once

#include <cstddef>
#include <vector>

namespace lab::widgets {

struct CurvePoint {
    double x = 0, y = 0;
    bool operator==(const CurvePoint&) const = default;
};

class MinMaxPyramid {
public:
    /// NaN values are left out. An x before the last one is moved up to it.
    void append(double x, double y);
    void clear();
    [[nodiscard]] std::size_t size() const { return m_points.size(); }
    [[nodiscard]] const std::vector<CurvePoint>& points() const { return m_points; }

    /// What to draw of [from, to] in `columns` columns: every point when there are at most two a
    /// column, else first the lower and higher of each column in the order in which they come. One
    /// more point on each side keeps lines whole at the edges.
    [[nodiscard]] std::vector<CurvePoint> view(double from, double to, int columns) const;

    /// Lowest and highest y of the points in [from, to]; {0, -1} when there are none.
    struct Extent {
        double low = 0, high = -1;
    };
    [[nodiscard]] Extent extent(double from, double to) const;

private:
    struct Block {
        std::size_t low = 0, high = 0;  // indices of the points with the least and greatest y
    };
    [[nodiscard]] Block scan(std::size_t first, std::size_t last) const;
    void join(Block& block, const Block& later) const;
    [[nodiscard]] std::size_t firstAtOrAfter(double x) const;

    std::vector<CurvePoint> m_points;
    std::vector<std::vector<Block>> m_levels;  // level k: blocks of 2^(k+1) points, complete ones
};

}  // namespace lab::widgets
