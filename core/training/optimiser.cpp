#include "core/training/optimiser.h"

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>

#include <array>
#include <cmath>

namespace lab::training {
namespace {

constexpr double kEpsilon = 1e-8;

/// Eight partial sums, added in a fixed order: the same bits whatever the compiler vectorises.
template <class T>
double sumOfSquares(const T* x, std::int64_t count) {
    constexpr int kLanes = 8;
    std::array<double, kLanes> partial{};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (int lane = 0; lane < kLanes; ++lane) {
            const auto value = static_cast<double>(x[i + lane]);
            partial[static_cast<std::size_t>(lane)] += value * value;
        }
    }
    double sum = 0;
    for (const double one : partial) {
        sum += one;
    }
    for (; i < count; ++i) {
        sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    }
    return sum;
}

double sumOfSquares(const at::Tensor& gradient) {
    const at::Tensor host = gradient.cpu().contiguous();
    return host.scalar_type() == at::kDouble
               ? sumOfSquares(host.const_data_ptr<double>(), host.numel())
               : sumOfSquares(host.const_data_ptr<float>(), host.numel());
}

}  // namespace

AdamW::AdamW(std::vector<models::Parameter> parameters, const values::TrainingSpec& training)
    : m_parameters(std::move(parameters)),
      m_beta1(training.beta1),
      m_beta2(training.beta2),
      m_weightDecay(training.weightDecay) {
    const c10::NoGradGuard noGradient;
    for (const auto& parameter : m_parameters) {
        m_first.push_back(at::zeros_like(parameter.value));
        m_second.push_back(at::zeros_like(parameter.value));
    }
    if (!m_parameters.empty()) {
        m_count = at::full({}, 0.0, m_first.front().options().dtype(at::kFloat));
    }
}

double AdamW::gradientNorm() const {
    double sum = 0;
    for (const auto& parameter : m_parameters) {
        if (const at::Tensor& gradient = parameter.value.grad(); gradient.defined()) {
            sum += sumOfSquares(gradient);
        }
    }
    return std::sqrt(sum);
}

bool AdamW::weightsAreFinite() const {
    double sum = 0;
    for (const auto& parameter : m_parameters) {
        sum += sumOfSquares(parameter.value.detach());
    }
    return std::isfinite(sum);
}

void AdamW::clip(double norm, double limit) {
    if (limit <= 0 || norm <= limit) {
        return;
    }
    const c10::NoGradGuard noGradient;
    for (const auto& parameter : m_parameters) {
        if (at::Tensor gradient = parameter.value.grad(); gradient.defined()) {
            gradient.mul_(limit / norm);
        }
    }
}

void AdamW::step(double rate) {
    const c10::NoGradGuard noGradient;
    ++m_updates;
    m_count.fill_(static_cast<double>(m_updates));
    update(/*decaying=*/true, rate);
    update(/*decaying=*/false, rate);
    for (auto& parameter : m_parameters) {
        parameter.value.mutable_grad().reset();
    }
}

void AdamW::update(bool decaying, double rate) {
    std::vector<at::Tensor> weights, gradients, first, second, counts;
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        const auto& parameter = m_parameters[i];
        if (parameter.decays != decaying || !parameter.value.grad().defined()) {
            continue;
        }
        weights.push_back(parameter.value);
        gradients.push_back(parameter.value.grad());
        first.push_back(m_first[i]);
        second.push_back(m_second[i]);
        counts.push_back(m_count);
    }
    if (!weights.empty()) {
        at::_fused_adamw_(weights, gradients, first, second, /*max_exp_avg_sqs=*/{}, counts, rate,
                          m_beta1, m_beta2, decaying ? m_weightDecay : 0.0, kEpsilon,
                          /*amsgrad=*/false, /*maximize=*/false);
    }
}

void AdamW::restore(std::int64_t updates) {
    m_updates = updates;
}

}  // namespace lab::training
