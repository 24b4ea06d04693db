#include "tasks/number_format.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tasks/rng.h"

namespace lab::tasks {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// How a format writes its numbers, from its specification: sign, exponent, fraction.
struct Layout {
    NumberFormat format;
    int exponentBits;
    int fractionBits;
    bool hasInfinities;
};
constexpr Layout kLayouts[] = {
    {NumberFormat::kBf16, 8, 7, true},
    {NumberFormat::kFp16, 5, 10, true},
    {NumberFormat::kFp8E4M3, 4, 3, false},  // only the code of all ones is no number
    {NumberFormat::kFp8E5M2, 5, 2, true},
};

double valueOf(const Layout& layout, int code) {
    const int fractions = 1 << layout.fractionBits;
    const int exponent = code / fractions;
    const int fraction = code % fractions;
    const int bias = (1 << (layout.exponentBits - 1)) - 1;
    return exponent == 0 ? std::ldexp(fraction, 1 - bias - layout.fractionBits)
                         : std::ldexp(fractions + fraction, exponent - bias - layout.fractionBits);
}

/// Every finite number that is not negative, in order: the value of code i is number i.
std::vector<double> finiteNumbers(const Layout& layout) {
    const int fractions = 1 << layout.fractionBits;
    const int exponents = 1 << layout.exponentBits;
    const int codes =
        layout.hasInfinities ? (exponents - 1) * fractions : exponents * fractions - 1;
    std::vector<double> numbers;
    for (int code = 0; code < codes; ++code) {
        numbers.push_back(valueOf(layout, code));
    }
    return numbers;
}

std::string keyOf(NumberFormat format) {
    return std::string(infoOf(format).key);
}

TEST(NumberFormat, EveryNumberOfTheFormatStaysAsItIs) {
    for (const Layout& layout : kLayouts) {
        const Rounding rounding(layout.format);
        const auto numbers = finiteNumbers(layout);
        ASSERT_EQ(numbers.back(), infoOf(layout.format).largest) << keyOf(layout.format);
        for (const double number : numbers) {
            ASSERT_EQ(rounding(number), number) << keyOf(layout.format);
            ASSERT_EQ(rounding(-number), -number) << keyOf(layout.format);
        }
    }
}

// Every gap between two neighbours, at its middle and at the doubles beside its middle: that
// decides where the whole gap goes.
TEST(NumberFormat, EveryGapIsSplitInTheMiddleAndTheMiddleGoesToTheEvenCode) {
    for (const Layout& layout : kLayouts) {
        const Rounding rounding(layout.format);
        const auto numbers = finiteNumbers(layout);
        for (std::size_t code = 0; code + 1 < numbers.size(); ++code) {
            const double low = numbers[code];
            const double high = numbers[code + 1];
            const double middle = low + (high - low) / 2;
            const double even = code % 2 == 0 ? low : high;
            ASSERT_EQ(rounding(middle), even) << keyOf(layout.format) << " " << middle;
            ASSERT_EQ(rounding(std::nextafter(middle, 0.0)), low);
            ASSERT_EQ(rounding(std::nextafter(middle, kInfinity)), high);
            ASSERT_EQ(rounding(-middle), -even);
            ASSERT_EQ(rounding(std::nextafter(low, kInfinity)), low);
            ASSERT_EQ(rounding(std::nextafter(high, 0.0)), high);
        }
    }
}

TEST(NumberFormat, ZeroKeepsItsSign) {
    for (const FormatInfo& info : kFormats) {
        EXPECT_TRUE(std::signbit(Rounding(info.format)(-0.0))) << info.key;
        EXPECT_FALSE(std::signbit(Rounding(info.format)(0.0))) << info.key;
    }
}

// Half a unit beyond the largest number is the middle to the next power of two; it is even there.
TEST(NumberFormat, BeyondTheLargestNumberIsInfinity) {
    struct Case {
        NumberFormat format;
        double middle;
    };
    for (const Case& one :
         {Case{NumberFormat::kFp16, 65520}, Case{NumberFormat::kBf16, 0x1.FFp127},
          Case{NumberFormat::kFp8E5M2, 61440}, Case{NumberFormat::kFp32, 0x1.FFFFFFp127}}) {
        const Rounding rounding(one.format);
        const double largest = infoOf(one.format).largest;
        EXPECT_EQ(rounding(std::nextafter(one.middle, 0.0)), largest) << keyOf(one.format);
        EXPECT_EQ(rounding(one.middle), kInfinity) << keyOf(one.format);
        EXPECT_EQ(rounding(-1e300), -kInfinity) << keyOf(one.format);
        EXPECT_EQ(rounding(kInfinity), kInfinity) << keyOf(one.format);
    }
}

// 448 has an even code; the code above it would be 480 and means "no number".
TEST(NumberFormat, BeyondTheLargestNumberE4M3HasNoNumber) {
    const Rounding rounding(NumberFormat::kFp8E4M3);
    EXPECT_EQ(rounding(464), 448);
    EXPECT_TRUE(std::isnan(rounding(std::nextafter(464.0, kInfinity))));
    EXPECT_TRUE(std::isnan(rounding(-480)));
    EXPECT_TRUE(std::isnan(rounding(1e300)));
    EXPECT_TRUE(std::isnan(rounding(kInfinity)));
}

TEST(NumberFormat, NoNumberStaysNoNumber) {
    for (const FormatInfo& info : kFormats) {
        EXPECT_TRUE(std::isnan(Rounding(info.format)(std::nan("")))) << info.key;
    }
}

// The hardware's own conversion is the second method.
TEST(NumberFormat, Fp32IsTheMachinesFloat) {
    const Rounding rounding(NumberFormat::kFp32);
    Rng rng(3);
    for (int i = 0; i < 200'000; ++i) {
        const double value = std::ldexp(rng.uniform() - 0.5, rng.below(300) - 160);
        ASSERT_EQ(rounding(value), static_cast<double>(static_cast<float>(value))) << value;
    }
    for (const double value : {0x1p-149, 0x1p-150, 0x1.8p-150, 0x1.000001p0, 0x1.000003p0}) {
        EXPECT_EQ(rounding(value), static_cast<double>(static_cast<float>(value))) << value;
    }
}

TEST(NumberFormat, FlushingTakesExactlyTheNumbersBelowTheSmallestNormal) {
    for (const Layout& layout : kLayouts) {
        const Rounding rounding(layout.format, Subnormals::kFlushed);
        const double smallest = std::ldexp(1.0, infoOf(layout.format).smallestExponent);
        for (const double number : finiteNumbers(layout)) {
            ASSERT_EQ(rounding(number), number < smallest ? 0 : number) << keyOf(layout.format);
        }
        EXPECT_TRUE(std::signbit(rounding(-smallest / 2)));
        // Rounded up to it before the look: not flushed.
        EXPECT_EQ(rounding(std::nextafter(smallest, 0.0)), smallest);
    }
    const Rounding fp64(NumberFormat::kFp64, Subnormals::kFlushed);
    EXPECT_EQ(fp64(0x1p-1022), 0x1p-1022);
    EXPECT_EQ(fp64(0x1p-1023), 0);
    EXPECT_EQ(Rounding()(0x1p-1074), 0x1p-1074);
}

TEST(NumberFormat, IsFoundByItsKey) {
    for (const FormatInfo& info : kFormats) {
        EXPECT_EQ(formatNamed(info.key), info.format);
        EXPECT_EQ(infoOf(info.format).key, info.key);
    }
    EXPECT_FALSE(formatNamed("fp12"));
}

}  // namespace
}  // namespace lab::tasks
