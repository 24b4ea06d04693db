// The number formats that networks are run in, emulated in double: a double is rounded to the
// nearest number of the format, ties to the one whose last significand bit is zero.
//
// Rounding the double result of one +, -, * or / of two numbers of a format gives what the format's
// own operation gives, as double has more than twice their significand and two bits (Figueroa,
// "When is Double Rounding Innocuous?", 1995). Subnormals are kept unless they are to be flushed.
// Sources: IEEE 754-2019 (fp64, fp32, fp16); bf16 as the upper half of fp32; "OCP 8-bit Floating
// Point Specification" 1.0 (fp8).
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace lab::tasks {

enum class NumberFormat { kFp64, kFp32, kBf16, kFp16, kFp8E4M3, kFp8E5M2 };

/// What becomes of a finite number that rounds beyond the largest.
enum class Overflow {
    kInfinity,
    kNaN,  ///< e4m3 has no infinities; this is its cast without saturation
};

/// What becomes of a result below the smallest normal number.
enum class Subnormals {
    kKept,
    kFlushed,  ///< to zero of the same sign, after rounding
};

struct FormatInfo {
    NumberFormat format = NumberFormat::kFp64;
    std::string_view key;          ///< stable: in files and on the command line
    int significandBits = 53;      ///< with the leading one
    int smallestExponent = -1022;  ///< 2 to this is the smallest normal number
    int largestExponent = 1023;
    double largest = std::numeric_limits<double>::max();
    Overflow overflow = Overflow::kInfinity;
};

constexpr std::array<FormatInfo, 6> kFormats{{
    {NumberFormat::kFp64, "fp64"},
    {NumberFormat::kFp32, "fp32", 24, -126, 127, std::numeric_limits<float>::max()},
    {NumberFormat::kBf16, "bf16", 8, -126, 127, 0x1.FEp127},
    {NumberFormat::kFp16, "fp16", 11, -14, 15, 65504},
    {NumberFormat::kFp8E4M3, "fp8-e4m3", 4, -6, 8, 448, Overflow::kNaN},
    {NumberFormat::kFp8E5M2, "fp8-e5m2", 3, -14, 15, 57344},
}};

[[nodiscard]] constexpr const FormatInfo& infoOf(NumberFormat format) noexcept {
    return kFormats[static_cast<std::size_t>(format)];
}
/// Nothing when there is no such key.
[[nodiscard]] std::optional<NumberFormat> formatNamed(std::string_view key) noexcept;

/// Rounds to one format. Cheap: made to be called after every operation.
class Rounding {
public:
    constexpr Rounding() = default;  ///< double itself
    explicit Rounding(NumberFormat format, Subnormals subnormals = Subnormals::kKept) noexcept
        : m_format(format),
          m_subnormals(subnormals),
          m_isDouble(format == NumberFormat::kFp64),
          m_bits(infoOf(format).significandBits),
          m_smallestExponent(infoOf(format).smallestExponent),
          m_smallestNormal(std::ldexp(1.0, infoOf(format).smallestExponent)),
          m_beyond(m_isDouble ? std::numeric_limits<double>::infinity()
                              : std::ldexp(1.0, infoOf(format).largestExponent + 1)),
          m_largest(infoOf(format).largest),
          m_overflow(infoOf(format).overflow == Overflow::kNaN
                         ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity()) {}

    [[nodiscard]] NumberFormat format() const noexcept { return m_format; }
    [[nodiscard]] Subnormals subnormals() const noexcept { return m_subnormals; }

    [[nodiscard]] double operator()(double value) const noexcept {
        const double rounded = m_isDouble ? value : nearest(value);
        if (m_subnormals == Subnormals::kFlushed && std::fabs(rounded) < m_smallestNormal) {
            return std::copysign(0.0, rounded);
        }
        return rounded;
    }

    bool operator==(const Rounding& other) const noexcept {
        return m_format == other.m_format && m_subnormals == other.m_subnormals;
    }

private:
    [[nodiscard]] double nearest(double value) const noexcept {
        const double size = std::fabs(value);
        if (!(size < m_beyond)) {  // too large, infinite or no number
            return std::isnan(value) ? value : std::copysign(m_overflow, value);
        }
        const auto biased = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52U);
        const int exponent = std::max(biased - kBias, m_smallestExponent);
        // Beside 1.5 * 2^52 units there is room for whole units only: the sum rounds.
        const int unit = exponent - (m_bits - 1);
        const auto anchor = std::bit_cast<double>(
            (static_cast<std::uint64_t>(unit + 52 + kBias) << 52U) | (std::uint64_t{1} << 51U));
        const double rounded = (size + anchor) - anchor;
        return std::copysign(rounded > m_largest ? m_overflow : rounded, value);
    }

    static constexpr int kBias = 1023;

    NumberFormat m_format = NumberFormat::kFp64;
    Subnormals m_subnormals = Subnormals::kKept;
    bool m_isDouble = true;
    int m_bits = 53;
    int m_smallestExponent = -1022;
    double m_smallestNormal = std::numeric_limits<double>::min();
    double m_beyond = std::numeric_limits<double>::infinity();
    double m_largest = std::numeric_limits<double>::max();
    double m_overflow = std::numeric_limits<double>::infinity();
};

}  // namespace lab::tasks
