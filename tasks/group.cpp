#include "tasks/group.h"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "tasks/permutation.h"

namespace lab::tasks {
namespace {

// Ranks 2k and 2k + 1 differ by an exchange of the last two elements, so one of the two is even and
// k numbers the even permutations.
Permutation unrankEven(int points, int index) {
    const Permutation candidate = Permutation::unrank(points, 2 * index);
    return candidate.isEven() ? candidate : Permutation::unrank(points, 2 * index + 1);
}

std::vector<std::string_view> split(std::string_view name) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = name.find('x');
        parts.push_back(name.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        name.remove_prefix(end + 1);
    }
}

}  // namespace

std::optional<Group::Factor> Group::factorNamed(std::string_view name) {
    if (name.size() < 2 || name[1] == '0') {
        return std::nullopt;
    }
    int size = 0;
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + 1, end, size);
    if (error != std::errc{} || stop != end) {
        return std::nullopt;
    }
    const auto within = [size](int low, int high) { return size >= low && size <= high; };
    if (name[0] == 'S' && within(2, kMaxPoints)) {
        return Factor{Family::kSymmetric, size, factorial(size)};
    }
    if (name[0] == 'A' && within(3, kMaxPoints)) {
        return Factor{Family::kAlternating, size, factorial(size) / 2};
    }
    if (name[0] == 'Z' && within(2, 120)) {
        return Factor{Family::kCyclic, size, size};
    }
    return std::nullopt;
}

std::string Group::problemWith(std::string_view name) {
    std::int64_t order = 1;
    for (const std::string_view part : split(name)) {
        const auto factor = factorNamed(part);
        if (!factor) {
            return '"' + std::string(part) +
                   "\" is no group here; there are S2 to S8, A3 to A8, Z2 to Z120 and products "
                   "such "
                   "as A5xZ2";
        }
        order *= factor->order;
        if (order > kLargestOrder) {
            return std::string(name) + " has more than " + std::to_string(kLargestOrder) +
                   " elements";
        }
    }
    return {};
}

std::optional<Group> Group::named(std::string_view name) {
    if (!problemWith(name).empty()) {
        return std::nullopt;
    }
    Group group;
    group.m_name = name;
    for (const std::string_view part : split(name)) {
        group.m_factors.push_back(*factorNamed(part));
        group.m_order *= group.m_factors.back().order;
    }
    if (group.m_order <= kLargestTable) {
        std::vector<std::uint16_t> table;
        for (int a = 0; a < group.m_order; ++a) {
            for (int b = 0; b < group.m_order; ++b) {
                table.push_back(static_cast<std::uint16_t>(group.multiplyFactors(a, b)));
            }
        }
        group.m_table = std::make_shared<const std::vector<std::uint16_t>>(std::move(table));
    }
    return group;
}

int Group::multiplyIn(const Factor& factor, int a, int b) {
    const int n = factor.size;
    switch (factor.family) {
        case Family::kSymmetric:
            return compose(Permutation::unrank(n, a), Permutation::unrank(n, b)).rank();
        case Family::kAlternating: return compose(unrankEven(n, a), unrankEven(n, b)).rank() / 2;
        case Family::kCyclic: break;
    }
    return (a + b) % n;
}

int Group::inverseIn(const Factor& factor, int a) {
    const int n = factor.size;
    switch (factor.family) {
        case Family::kSymmetric: return Permutation::unrank(n, a).inverse().rank();
        case Family::kAlternating: return unrankEven(n, a).inverse().rank() / 2;
        case Family::kCyclic: break;
    }
    return (n - a) % n;
}

std::string Group::nameIn(const Factor& factor, int element) {
    switch (factor.family) {
        case Family::kSymmetric: return Permutation::unrank(factor.size, element).text();
        case Family::kAlternating: return unrankEven(factor.size, element).text();
        case Family::kCyclic: break;
    }
    return std::to_string(element);
}

int Group::multiplyFactors(int a, int b) const {
    int result = 0;
    int place = m_order;
    for (const Factor& factor : m_factors) {
        place /= factor.order;
        result += place * multiplyIn(factor, a / place % factor.order, b / place % factor.order);
    }
    return result;
}

int Group::multiply(int a, int b) const {
    assert(a >= 0 && a < m_order && b >= 0 && b < m_order);
    if (m_table) {
        return (*m_table)[static_cast<std::size_t>(a) * static_cast<std::size_t>(m_order) +
                          static_cast<std::size_t>(b)];
    }
    return multiplyFactors(a, b);
}

int Group::inverse(int a) const {
    assert(a >= 0 && a < m_order);
    int result = 0;
    int place = m_order;
    for (const Factor& factor : m_factors) {
        place /= factor.order;
        result += place * inverseIn(factor, a / place % factor.order);
    }
    return result;
}

std::string Group::elementName(int element) const {
    assert(element >= 0 && element < m_order);
    std::string result;
    int place = m_order;
    for (const Factor& factor : m_factors) {
        place /= factor.order;
        result += (result.empty() ? "" : ".") + nameIn(factor, element / place % factor.order);
    }
    return result;
}

bool Group::isCommutative() const noexcept {
    return std::all_of(m_factors.begin(), m_factors.end(), [](const Factor& factor) {
        return factor.family == Family::kCyclic || factor.order <= 3;  // S2, A3
    });
}

bool Group::isSolvable() const noexcept {
    return std::all_of(m_factors.begin(), m_factors.end(), [](const Factor& factor) {
        return factor.family == Family::kCyclic || factor.size <= 4;
    });
}

int Group::symmetricPoints() const noexcept {
    const bool symmetric = m_factors.size() == 1 && m_factors[0].family == Family::kSymmetric;
    return symmetric ? m_factors[0].size : 0;
}

}  // namespace lab::tasks
