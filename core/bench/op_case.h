// One operation of the kernels on random inputs of a lab shape: what is timed, and its error.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/plan.h"
#include "kernels/view.h"

namespace lab::bench {

/// Batch, tokens, heads, width of a head; the model's width is heads * dim.
struct LabShape {
    int batch = 0, steps = 0, heads = 0, dim = 0;
    [[nodiscard]] int width() const { return heads * dim; }
};

/// Float inputs, outputs and gradients of an operation, with everything allocated beforehand.
class OpCase {
public:
    OpCase() = default;
    OpCase(const OpCase&) = delete;
    OpCase& operator=(const OpCase&) = delete;
    virtual ~OpCase() = default;

    virtual void forward(const kernels::Exec& exec, bool keepForBackward) = 0;
    virtual void backward(const kernels::Exec& exec) = 0;
    /// Largest difference of any output or gradient from the float64 oracle, over that array's
    /// largest entry. After forward and backward.
    [[nodiscard]] virtual double error() const = 0;
    [[nodiscard]] virtual std::string variant() const = 0;
    [[nodiscard]] virtual kernels::Cost cost(bool backwardToo) const = 0;
};

using OpMaker = std::function<std::unique_ptr<OpCase>(const LabShape&, kernels::Isa)>;
struct OpEntry {
    std::string name;
    OpMaker make;
};
/// delta, gated_delta, delta_product2, gla, ssd, s6.
[[nodiscard]] std::vector<OpEntry> scanOps();
/// lstm, gru, rnn, slstm, attention, conv.
[[nodiscard]] std::vector<OpEntry> layerOps();
/// rms_norm, layer_norm, swiglu, adamw, belief, belief_mixture, gemm.
[[nodiscard]] std::vector<OpEntry> rowOps();
[[nodiscard]] std::vector<OpEntry> everyOp();

// ---- what the cases are made of

using Numbers = std::vector<double>;

/// Numbers that float holds exactly; splitmix64 from a seed of the name.
class Inputs {
public:
    explicit Inputs(std::uint64_t seed) : m_state(seed) {}
    [[nodiscard]] double uniform(double low, double high);
    [[nodiscard]] double normal();
    [[nodiscard]] std::vector<float> normals(std::size_t count, double factor = 1.0);
    [[nodiscard]] std::vector<float> uniforms(std::size_t count, double low, double high);
    /// Rows of unit length.
    [[nodiscard]] std::vector<float> units(std::size_t rows, int width);

private:
    std::uint64_t m_state;
};

[[nodiscard]] inline Numbers widened(const std::vector<float>& values) {
    return {values.begin(), values.end()};
}
[[nodiscard]] double medianOf(std::vector<double> values);
/// Largest difference over the largest expected entry; infinite for NaN.
[[nodiscard]] double errorOf(const std::vector<float>& actual, const Numbers& expected);

template <class T>
[[nodiscard]] kernels::View<T> viewOf(T* data, std::int64_t steps, std::int64_t heads,
                                      std::int64_t channels) {
    return {data, {steps * heads * channels, heads * channels, channels, 1}};
}

}  // namespace lab::bench
