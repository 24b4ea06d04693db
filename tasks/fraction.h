// Exact fractions, and the arithmetic that filters need in them as well as in double.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace lab::tasks {

using Fraction = boost::multiprecision::cpp_rational;

/// The value of "2/3", "1" or "0.25": decimal digits without sign, 1,000 characters at most.
/// Nothing for any other text and for a zero denominator.
[[nodiscard]] std::optional<Fraction> fractionFrom(std::string_view text);

/// "2/3", in lowest terms; "1" where the denominator is one.
[[nodiscard]] std::string textOf(const Fraction& value);

[[nodiscard]] double toDouble(double value) noexcept;
/// The nearest double, whatever the lengths of numerator and denominator.
[[nodiscard]] double toDouble(const Fraction& value);

/// Minus infinity at zero. Exact fractions may be far below the smallest double.
[[nodiscard]] double log2Of(double value) noexcept;
[[nodiscard]] double log2Of(const Fraction& value);

/// Whether probabilities that sum to this may count as a distribution: fractions exactly, doubles
/// within 1e-9, since people write 0.333333333.
[[nodiscard]] bool isOne(double sum) noexcept;
[[nodiscard]] bool isOne(const Fraction& sum);

}  // namespace lab::tasks
