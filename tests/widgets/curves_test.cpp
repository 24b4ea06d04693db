#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "widgets/plots/min_max_pyramid.h"
#include "widgets/plots/series.h"

namespace lab::widgets {
namespace {

// Steps of x are sometimes zero, so that points share a place.
std::vector<CurvePoint> walk(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::vector<CurvePoint> points;
    points.reserve(count);
    double x = 0;
    for (std::size_t i = 0; i < count; ++i) {
        x += static_cast<double>(engine() % 3);
        points.push_back({x, static_cast<double>(engine() % 2001) - 1000});
    }
    return points;
}

MinMaxPyramid pyramidOf(const std::vector<CurvePoint>& points) {
    MinMaxPyramid pyramid;
    for (const CurvePoint& point : points) {
        pyramid.append(point.x, point.y);
    }
    return pyramid;
}

TEST(MinMaxPyramid, FindsTheExtremesThatALoopOverAllPointsFinds) {
    for (const std::size_t count : {1, 2, 3, 7, 64, 65, 1000, 4097}) {
        const auto points = walk(count, static_cast<unsigned>(count));
        const MinMaxPyramid pyramid = pyramidOf(points);
        std::mt19937 engine(5);
        const auto last = static_cast<unsigned>(points.back().x) + 4;
        for (int trial = 0; trial < 200; ++trial) {
            const double from = static_cast<double>(engine() % last) - 1.5;
            const double to = from + static_cast<double>(engine() % last);
            double low = 1e9;
            double high = -1e9;
            for (const CurvePoint& point : points) {
                if (point.x >= from && point.x <= to) {
                    low = std::min(low, point.y);
                    high = std::max(high, point.y);
                }
            }
            const auto extent = pyramid.extent(from, to);
            if (low > high) {
                EXPECT_GT(extent.low, extent.high);
            } else {
                EXPECT_EQ(extent.low, low);
                EXPECT_EQ(extent.high, high);
            }
        }
    }
}

TEST(MinMaxPyramid, ShowsTheLowestAndHighestPointOfEveryColumnAndNoOther) {
    const auto points = walk(20'000, 3);
    const MinMaxPyramid pyramid = pyramidOf(points);
    constexpr int kColumns = 137;
    const double from = 1234.5;
    const double to = 9876.25;
    std::vector<CurvePoint> expected;
    const auto before = std::ranges::lower_bound(points, from, {}, &CurvePoint::x) - 1;
    expected.push_back(*before);
    for (int column = 0; column < kColumns; ++column) {
        const double left = from + (to - from) * column / kColumns;
        const double right = from + (to - from) * (column + 1) / kColumns;
        const CurvePoint* low = nullptr;
        const CurvePoint* high = nullptr;
        for (const CurvePoint& point : points) {
            const bool inside =
                point.x >= left && (column == kColumns - 1 ? point.x <= to : point.x < right);
            if (inside) {
                low = low == nullptr || point.y < low->y ? &point : low;
                high = high == nullptr || point.y > high->y ? &point : high;
            }
        }
        if (low != nullptr) {
            expected.push_back(*std::min(low, high));
            if (low != high) {
                expected.push_back(*std::max(low, high));
            }
        }
    }
    expected.push_back(*std::ranges::upper_bound(points, to, {}, &CurvePoint::x));
    EXPECT_EQ(pyramid.view(from, to, kColumns), expected);
}

TEST(MinMaxPyramid, ShowsAMillionPointsWithTwoPerColumnAndLosesNoSpike) {
    MinMaxPyramid pyramid;
    for (int i = 0; i < 1'000'000; ++i) {
        pyramid.append(i, i == 765'432 ? 50.0 : std::sin(i * 0.01));
    }
    const auto shown = pyramid.view(-10, 2e6, 800);
    EXPECT_LE(shown.size(), 2U * 800 + 2);
    EXPECT_EQ(std::ranges::max(shown, {}, &CurvePoint::y), (CurvePoint{765'432, 50.0}));
}

TEST(MinMaxPyramid, ShowsEveryPointWhereThereAreFew) {
    const auto points = walk(50, 9);
    EXPECT_EQ(pyramidOf(points).view(-1, 1e6, 40), points);
}

TEST(MinMaxPyramid, LeavesOutWhatIsNoNumber) {
    MinMaxPyramid pyramid;
    pyramid.append(1, std::nan(""));
    pyramid.append(2, INFINITY);
    pyramid.append(3, 4);
    EXPECT_EQ(pyramid.points(), (std::vector<CurvePoint>{{3, 4}}));
}

TEST(Series, SmoothsAConstantCurveIntoItself) {
    Series series(QStringLiteral("loss"), 0, 0);
    series.setSmoothing(0.97);
    for (int i = 0; i < 500; ++i) {
        series.append({static_cast<double>(i), i * 0.1, 0.7});
    }
    for (const CurvePoint& point : series.smooth(XAxis::kStep).points()) {
        EXPECT_NEAR(point.y, 0.7, 1e-12);
    }
}

TEST(Series, GivesTheSameMeansWhetherSmoothedAsItGrowsOrAfterwards) {
    Series growing(QStringLiteral("a"), 0, 0);
    Series later(QStringLiteral("a"), 0, 0);
    growing.setSmoothing(0.5);
    for (const CurvePoint& point : walk(100, 4)) {
        growing.append({point.x, point.x / 10, point.y});
        later.append({point.x, point.x / 10, point.y});
    }
    later.setSmoothing(0.5);
    EXPECT_EQ(growing.smooth(XAxis::kCpuSeconds).points(),
              later.smooth(XAxis::kCpuSeconds).points());
    // By hand, strength 1/2: (1/2 * 1/2 * y0 + 1/2 * y1) / (3/4) for the second point.
    const auto& raw = later.raw(XAxis::kStep).points();
    EXPECT_NEAR(later.smooth(XAxis::kStep).points()[1].y, (raw[0].y + 2 * raw[1].y) / 3, 1e-12);
}

}  // namespace
}  // namespace lab::widgets
