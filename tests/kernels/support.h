// What the kernel tests share: instruction sets to run, random arrays, strided copies, tolerances.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/cpu_features.h"
#include "kernels/delta_rule.h"
#include "kernels/view.h"

namespace lab::kernels {

inline void PrintTo(Isa isa, std::ostream* out) {
    *out << nameOf(isa);
}

namespace testing {

using Numbers = std::vector<double>;

inline constexpr Isa kEveryIsa[] = {Isa::kGeneric, Isa::kAvx2, Isa::kAvx512};

/// Whatever THIMBLERIG_ISA says: whether this machine runs `isa`.
inline bool canRun(Isa isa) {
    return deltaRulePlan({1, 1, 1, 1, 1, 1}, {}, isa).status == Status::kOk;
}

/// A test over every instruction set; those the machine lacks are skipped with the reason.
class EveryIsa : public ::testing::TestWithParam<Isa> {
protected:
    void SetUp() override {
        if (!canRun(GetParam())) {
            GTEST_SKIP() << "this machine or build has no " << nameOf(GetParam());
        }
    }
};
inline std::string isaName(const ::testing::TestParamInfo<Isa>& info) {
    return nameOf(info.param);
}
#define LAB_FOR_EVERY_ISA(suite)                                                                  \
    using suite = ::lab::kernels::testing::EveryIsa;                                              \
    INSTANTIATE_TEST_SUITE_P(Isa, suite, ::testing::ValuesIn(::lab::kernels::testing::kEveryIsa), \
                             ::lab::kernels::testing::isaName)

/// Allowed error relative to the largest expected number of an array.
///   float  forward   3e-6: 2^-24 a rounding, states of up to 2000 tokens with eigenvalues on the
///                          unit circle; the worst seen in the grids is 1.2e-6
///   float  backward  1e-5: gradients pass the same recurrence twice
///   double           1e-12, for the same walks
template <class T>
constexpr double kForwardTolerance = sizeof(T) == 4 ? 3e-6 : 1e-12;
template <class T>
constexpr double kBackwardTolerance = sizeof(T) == 4 ? 1e-5 : 1e-12;

/// Small and deterministic (splitmix64); distributions need not be fine.
class Random {
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t bits() {
        m_state += 0x9e3779b97f4a7c15U;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31U);
    }
    double uniform(double low, double high) {
        return low + (high - low) * static_cast<double>(bits() >> 11U) * 0x1p-53;
    }
    int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
    /// Values that float holds exactly, so that float and double runs see the same inputs.
    Numbers array(std::size_t count, double low = -1.0, double high = 1.0) {
        Numbers values(count);
        for (double& value : values) {
            value = static_cast<float>(uniform(low, high));
        }
        return values;
    }

private:
    std::uint64_t m_state;
};

template <class T>
std::vector<T> cast(const Numbers& values) {
    return std::vector<T>(values.begin(), values.end());
}
template <class T>
Numbers widen(const std::vector<T>& values) {
    return Numbers(values.begin(), values.end());
}

template <class T>
bool sameBits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Largest difference over the largest expected number, which counts as `floor` at least; NaN and
/// infinity count as 1e300.
template <class T>
double relativeError(const std::vector<T>& actual, const Numbers& expected, double floor = 1e-30) {
    EXPECT_EQ(actual.size(), expected.size());
    double worst = 0.0;
    double largest = floor;
    for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
        const double difference = std::abs(static_cast<double>(actual[i]) - expected[i]);
        worst = std::isfinite(difference) ? std::max(worst, difference) : 1e300;
        largest = std::max(largest, std::abs(expected[i]));
    }
    return worst / largest;
}
#define LAB_EXPECT_CLOSE(actual, expected, tolerance) \
    EXPECT_LE(::lab::kernels::testing::relativeError(actual, expected), tolerance) << #actual

/// How an array [B,T,H,C] lies in memory.
enum class Layout {
    kContiguous,
    kHeadMajor,       ///< [B,H,T,C]
    kSlice,           ///< channels at an odd offset of a wider row: a part of one projection
    kChannelStrided,  ///< [B,C,T,H]: channels far apart (inputs only)
};

struct Extents {
    int batch, steps, heads, channels;
    [[nodiscard]] std::size_t count() const {
        return static_cast<std::size_t>(batch) * static_cast<std::size_t>(steps) *
               static_cast<std::size_t>(heads) * static_cast<std::size_t>(channels);
    }
};

/// An array of its own, filled with NaN where no element lies.
template <class T>
class Placed {
public:
    Placed(Extents extents, Layout layout, const Numbers* values = nullptr) : m_extents(extents) {
        const std::int64_t t = extents.steps, h = extents.heads, c = extents.channels;
        std::size_t offset = 0;
        switch (layout) {
            case Layout::kContiguous: set({t * h * c, h * c, c, 1}, extents.count()); break;
            case Layout::kHeadMajor: set({t * h * c, c, t * c, 1}, extents.count()); break;
            case Layout::kChannelStrided: set({t * h * c, h, 1, t * h}, extents.count()); break;
            case Layout::kSlice:
                offset = 1;
                set({t * (h * c + 3), h * c + 3, c, 1},
                    static_cast<std::size_t>(extents.batch * t * (h * c + 3)) + 1);
                break;
        }
        m_view.data = m_memory.data() + offset;
        if (values != nullptr) {
            std::size_t i = 0;
            forEach([&](T& cell) { cell = static_cast<T>((*values)[i++]); });
        }
    }
    Placed(const Placed&) = delete;
    Placed& operator=(const Placed&) = delete;
    Placed(Placed&&) = default;  // a moved vector keeps its memory
    Placed& operator=(Placed&&) = default;
    ~Placed() = default;

    [[nodiscard]] View<T> out() const { return m_view; }
    [[nodiscard]] View<const T> in() const {
        View<const T> view;
        view.data = m_view.data;
        std::copy(std::begin(m_view.stride), std::end(m_view.stride), std::begin(view.stride));
        return view;
    }
    /// The elements in the order [B,T,H,C].
    [[nodiscard]] std::vector<T> values() const {
        std::vector<T> result;
        result.reserve(m_extents.count());
        forEach([&](T& cell) { result.push_back(cell); });
        return result;
    }
    /// Whether every cell between and around the elements still is NaN.
    [[nodiscard]] bool gapsAreUntouched() const {
        std::size_t written = 0;
        for (const T cell : m_memory) {
            written += std::isnan(cell) ? 0U : 1U;
        }
        return written <= m_extents.count();
    }

private:
    void set(std::initializer_list<std::int64_t> strides, std::size_t size) {
        std::copy(strides.begin(), strides.end(), std::begin(m_view.stride));
        m_memory.assign(std::max<std::size_t>(size, 1), std::numeric_limits<T>::quiet_NaN());
    }
    template <class Visit>
    void forEach(const Visit& visit) const {
        for (int b = 0; b < m_extents.batch; ++b) {
            for (int t = 0; t < m_extents.steps; ++t) {
                for (int h = 0; h < m_extents.heads; ++h) {
                    for (int c = 0; c < m_extents.channels; ++c) {
                        visit(m_view.at(b, t, h)[c * m_view.stride[3]]);
                    }
                }
            }
        }
    }

    Extents m_extents;
    std::vector<T> m_memory;
    View<T> m_view;
};

}  // namespace testing
}  // namespace lab::kernels
