#include "core/bench/op_case.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace lab::bench {

std::vector<OpEntry> everyOp() {
    auto ops = scanOps();
    std::ranges::move(layerOps(), std::back_inserter(ops));
    std::ranges::move(rowOps(), std::back_inserter(ops));
    return ops;
}

double Inputs::uniform(double low, double high) {
    m_state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = m_state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return low + (high - low) * static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}
double Inputs::normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(0, 1)));
    return radius * std::cos(2 * std::numbers::pi * uniform(0, 1));
}
std::vector<float> Inputs::normals(std::size_t count, double factor) {
    std::vector<float> values(count);
    std::ranges::generate(values, [&] { return static_cast<float>(factor * normal()); });
    return values;
}
std::vector<float> Inputs::uniforms(std::size_t count, double low, double high) {
    std::vector<float> values(count);
    std::ranges::generate(values, [&] { return static_cast<float>(uniform(low, high)); });
    return values;
}
std::vector<float> Inputs::units(std::size_t rows, int width) {
    auto values = normals(rows * static_cast<std::size_t>(width));
    for (std::size_t row = 0; row < rows; ++row) {
        float* const numbers = values.data() + row * static_cast<std::size_t>(width);
        double square = 0;
        for (int i = 0; i < width; ++i) {
            square += double{numbers[i]} * numbers[i];
        }
        for (int i = 0; i < width; ++i) {
            numbers[i] = static_cast<float>(numbers[i] / std::sqrt(square));
        }
    }
    return values;
}

double medianOf(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double errorOf(const std::vector<float>& actual, const Numbers& expected) {
    double worst = 0, largest = 1e-30;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const double difference = std::abs(static_cast<double>(actual.at(i)) - expected[i]);
        if (!std::isfinite(difference)) {
            return std::numeric_limits<double>::infinity();
        }
        worst = std::max(worst, difference);
        largest = std::max(largest, std::abs(expected[i]));
    }
    return worst / largest;
}

}  // namespace lab::bench
