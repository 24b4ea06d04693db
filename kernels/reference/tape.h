// Reverse-mode differentiation of plain formulas in float64: every operation is written down, then
// the list is walked backwards. The oracles need no hand-made gradient, so none can be wrong twice.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace lab::kernels::reference {

using Numbers = std::vector<double>;

/// What happened so far. One a thread, used by one differentiation at a time.
class Tape {
public:
    struct Entry {
        std::size_t left, right;
        double leftSlope, rightSlope;
    };
    static Tape& current() {
        static thread_local Tape tape;
        return tape;
    }
    std::size_t add(const Entry& entry) {
        m_entries.push_back(entry);
        return m_entries.size() - 1;
    }
    void clear() { m_entries.assign(1, {0, 0, 0.0, 0.0}); }  // entry 0: constants
    /// Adjoints of every entry, from those that are set in `adjoint`.
    void walkBack(Numbers& adjoint) const {
        for (std::size_t i = m_entries.size(); i-- > 1;) {
            const Entry& entry = m_entries[i];
            adjoint[entry.left] += entry.leftSlope * adjoint[i];
            adjoint[entry.right] += entry.rightSlope * adjoint[i];
        }
    }
    [[nodiscard]] std::size_t size() const { return m_entries.size(); }

private:
    std::vector<Entry> m_entries{{0, 0, 0.0, 0.0}};
};

/// A number that remembers how it came about.
class Traced {
public:
    Traced(double value = 0.0) : m_value(value) {}  // NOLINT(google-explicit-constructor)
    static Traced input(double value) { return {value, Tape::current().add({0, 0, 0.0, 0.0})}; }
    [[nodiscard]] double value() const { return m_value; }
    [[nodiscard]] std::size_t entry() const { return m_entry; }

    friend Traced operator+(const Traced& a, const Traced& b) {
        return of(a.m_value + b.m_value, a, 1.0, b, 1.0);
    }
    friend Traced operator-(const Traced& a, const Traced& b) {
        return of(a.m_value - b.m_value, a, 1.0, b, -1.0);
    }
    friend Traced operator*(const Traced& a, const Traced& b) {
        return of(a.m_value * b.m_value, a, b.m_value, b, a.m_value);
    }
    friend Traced operator/(const Traced& a, const Traced& b) {
        const double quotient = a.m_value / b.m_value;
        return of(quotient, a, 1.0 / b.m_value, b, -quotient / b.m_value);
    }
    Traced& operator+=(const Traced& b) { return *this = *this + b; }
    /// A function of one number, with its slope there.
    static Traced function(double value, const Traced& of, double slope) {
        return Traced::of(value, of, slope, {}, 0.0);
    }

private:
    Traced(double value, std::size_t entry) : m_value(value), m_entry(entry) {}
    static Traced of(double value, const Traced& a, double slopeA, const Traced& b, double slopeB) {
        return {value, Tape::current().add({a.m_entry, b.m_entry, slopeA, slopeB})};
    }

    double m_value;
    std::size_t m_entry = 0;
};

inline Traced exp(const Traced& x) {
    const double y = std::exp(x.value());
    return Traced::function(y, x, y);
}
inline Traced log(const Traced& x) {
    return Traced::function(std::log(x.value()), x, 1.0 / x.value());
}
inline Traced sqrt(const Traced& x) {
    const double y = std::sqrt(x.value());
    return Traced::function(y, x, 0.5 / y);
}
inline Traced tanh(const Traced& x) {
    const double y = std::tanh(x.value());
    return Traced::function(y, x, 1.0 - y * y);
}
inline Traced sigmoid(const Traced& x) {
    const double y = 1.0 / (1.0 + std::exp(-x.value()));
    return Traced::function(y, x, y * (1.0 - y));
}
inline Traced softplus(const Traced& x) {
    const double v = x.value();
    return Traced::function(std::fmax(v, 0.0) + std::log1p(std::exp(-std::fabs(v))), x,
                            1.0 / (1.0 + std::exp(-v)));
}

using Arrays = std::vector<std::vector<Traced>>;

struct Answer {
    std::vector<Numbers> outputs;
    std::vector<Numbers> gradients;  ///< of each input; loss = sum over outputs <output, upstream>
};

/// Runs formula(inputs) -> outputs, arrays of numbers each; an empty upstream array counts as zero.
template <class Formula>
Answer differentiate(const Formula& formula, const std::vector<Numbers>& inputs,
                     const std::vector<Numbers>& upstream) {
    Tape& tape = Tape::current();
    tape.clear();
    Arrays traced;
    for (const Numbers& input : inputs) {
        traced.emplace_back();
        for (const double value : input) {
            traced.back().push_back(Traced::input(value));
        }
    }
    const Arrays outputs = formula(traced);
    Numbers adjoint(tape.size(), 0.0);
    Answer answer;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        answer.outputs.emplace_back();
        for (std::size_t j = 0; j < outputs[i].size(); ++j) {
            answer.outputs.back().push_back(outputs[i][j].value());
            if (i < upstream.size() && !upstream[i].empty()) {
                adjoint[outputs[i][j].entry()] += upstream[i].at(j);
            }
        }
    }
    tape.walkBack(adjoint);
    for (const auto& input : traced) {
        answer.gradients.emplace_back();
        for (const Traced& number : input) {
            answer.gradients.back().push_back(adjoint[number.entry()]);
        }
    }
    tape.clear();
    return answer;
}

}  // namespace lab::kernels::reference
