#include "widgets/plots/min_max_pyramid.h"

#include <algorithm>
#include <cmath>

namespace lab::widgets {

void MinMaxPyramid::append(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
        return;
    }
    const double last = m_points.empty() ? x : m_points.back().x;
    m_points.push_back({std::max(x, last), y});
    // A block of level k is complete when the count of points is a multiple of 2^(k+1).
    const std::size_t count = m_points.size();
    for (std::size_t level = 0; count % (std::size_t{2} << level) == 0; ++level) {
        Block block;
        if (level == 0) {
            block = {count - 2, count - 2};
            join(block, {count - 1, count - 1});
        } else {
            const auto& below = m_levels[level - 1];
            block = below[below.size() - 2];
            join(block, below.back());
        }
        if (level == m_levels.size()) {
            m_levels.emplace_back();
        }
        m_levels[level].push_back(block);
    }
}

void MinMaxPyramid::clear() {
    m_points.clear();
    m_levels.clear();
}

// The first of equals stays, so the result does not depend on how a range was cut into blocks.
void MinMaxPyramid::join(Block& block, const Block& later) const {
    if (m_points[later.low].y < m_points[block.low].y) {
        block.low = later.low;
    }
    if (m_points[later.high].y > m_points[block.high].y) {
        block.high = later.high;
    }
}

// Extremes of the points [first, last), last > first, from the largest aligned blocks that fit.
MinMaxPyramid::Block MinMaxPyramid::scan(std::size_t first, std::size_t last) const {
    Block result{first, first};
    while (first < last) {
        std::size_t level = 0;  // blocks of 2^level points; level 0 is one point
        while (level < m_levels.size() && first % (std::size_t{2} << level) == 0 &&
               first + (std::size_t{2} << level) <= last) {
            ++level;
        }
        const std::size_t size = std::size_t{1} << level;
        join(result, level == 0 ? Block{first, first} : m_levels[level - 1][first / size]);
        first += size;
    }
    return result;
}

std::size_t MinMaxPyramid::firstAtOrAfter(double x) const {
    const auto found = std::ranges::lower_bound(m_points, x, {}, &CurvePoint::x);
    return static_cast<std::size_t>(found - m_points.begin());
}

std::vector<CurvePoint> MinMaxPyramid::view(double from, double to, int columns) const {
    const auto past = std::ranges::upper_bound(m_points, to, {}, &CurvePoint::x);
    const std::size_t first = firstAtOrAfter(from);
    const auto last = std::max(first, static_cast<std::size_t>(past - m_points.begin()));
    const std::size_t wideFirst = first > 0 ? first - 1 : 0;
    const std::size_t wideLast = std::min(last + 1, m_points.size());
    const auto count = static_cast<std::size_t>(std::max(1, columns));
    if (last - first <= 2 * count) {
        return {m_points.begin() + static_cast<std::ptrdiff_t>(wideFirst),
                m_points.begin() + static_cast<std::ptrdiff_t>(wideLast)};
    }
    std::vector<CurvePoint> shown;
    shown.reserve(2 * count + 2);
    if (wideFirst < first) {
        shown.push_back(m_points[wideFirst]);
    }
    std::size_t begin = first;
    for (std::size_t column = 1; column <= count && begin < last; ++column) {
        const double edge =
            from + (to - from) * static_cast<double>(column) / static_cast<double>(count);
        const std::size_t end =
            column == count ? last : std::clamp(firstAtOrAfter(edge), begin, last);
        if (end == begin) {
            continue;
        }
        const Block block = scan(begin, end);
        const auto [early, late] = std::minmax(block.low, block.high);
        shown.push_back(m_points[early]);
        if (late != early) {
            shown.push_back(m_points[late]);
        }
        begin = end;
    }
    if (wideLast > last) {
        shown.push_back(m_points[last]);
    }
    return shown;
}

MinMaxPyramid::Extent MinMaxPyramid::extent(double from, double to) const {
    const auto past = std::ranges::upper_bound(m_points, to, {}, &CurvePoint::x);
    const std::size_t first = firstAtOrAfter(from);
    const auto last = static_cast<std::size_t>(past - m_points.begin());
    if (first >= last) {
        return {};
    }
    const Block block = scan(first, last);
    return {m_points[block.low].y, m_points[block.high].y};
}

}  // namespace lab::widgets
