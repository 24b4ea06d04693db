#include "tasks/fraction.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lab::tasks {
namespace {

using Integer = boost::multiprecision::cpp_int;

constexpr std::size_t kLongestText = 1000;

std::optional<Integer> digits(std::string_view text) {
    if (text.empty() ||
        !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        return std::nullopt;
    }
    Integer value = 0;
    for (const char c : text) {  // the constructor from text takes a leading zero for octal
        value = value * 10 + (c - '0');
    }
    return value;
}

/// value = mantissa * 2^exponent with a mantissa below 2^64. Requires value > 0.
std::pair<double, int> scaled(const Integer& value) {
    const auto topBit = static_cast<int>(msb(value));
    const int shift = std::max(0, topBit - 63);
    const auto mantissa = static_cast<std::uint64_t>(value >> static_cast<unsigned>(shift));
    return {static_cast<double>(mantissa), shift};
}

}  // namespace

std::optional<Fraction> fractionFrom(std::string_view text) {
    if (text.size() > kLongestText) {
        return std::nullopt;
    }
    if (const std::size_t slash = text.find('/'); slash != std::string_view::npos) {
        const auto numerator = digits(text.substr(0, slash));
        const auto denominator = digits(text.substr(slash + 1));
        if (!numerator || !denominator || *denominator == 0) {
            return std::nullopt;
        }
        return Fraction(*numerator, *denominator);
    }
    if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
        const auto whole = digits(text.substr(0, point));
        const std::string_view places = text.substr(point + 1);
        const auto part = digits(places);
        if (!whole || !part) {
            return std::nullopt;
        }
        Integer scale = 1;
        for (std::size_t i = 0; i < places.size(); ++i) {
            scale *= 10;
        }
        return Fraction(*whole * scale + *part, scale);
    }
    const auto whole = digits(text);
    return whole ? std::optional(Fraction(*whole)) : std::nullopt;
}

std::string textOf(const Fraction& value) {
    return value.str();
}

double toDouble(double value) noexcept {
    return value;
}

double toDouble(const Fraction& value) {
    return value.convert_to<double>();
}

double log2Of(double value) noexcept {
    return std::log2(value);
}

double log2Of(const Fraction& value) {
    if (value == 0) {
        return -std::numeric_limits<double>::infinity();
    }
    const auto [top, topExponent] = scaled(numerator(value));
    const auto [bottom, bottomExponent] = scaled(denominator(value));
    return std::log2(top / bottom) + (topExponent - bottomExponent);
}

bool isOne(double sum) noexcept {
    return std::abs(sum - 1) <= 1e-9;
}

bool isOne(const Fraction& sum) {
    return sum == 1;
}

}  // namespace lab::tasks
