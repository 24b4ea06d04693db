#include "core/training/optimiser.h"

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <cmath>
#include <numeric>

#include "kernels/adamw.h"
#include "kernels/thread_pool.h"

namespace lab::training {
namespace {

constexpr double kEpsilon = 1e-8;

kernels::Exec execOf(const ops::Execution& execution) {
    return execution.pool ? execution.pool->exec() : kernels::Exec{};
}

void require(kernels::Status status) {
    TORCH_CHECK(status == kernels::Status::kOk, "AdamW: ", kernels::describe(status));
}

template <class T>
double sumOfSquares(const std::vector<at::Tensor>& tensors, const kernels::Exec& exec) {
    std::vector<const T*> data;
    std::vector<std::int64_t> counts;
    for (const at::Tensor& tensor : tensors) {
        data.push_back(tensor.const_data_ptr<T>());
        counts.push_back(tensor.numel());
    }
    std::vector<double> sums(data.size());
    require(kernels::sumsOfSquares<T>(data.data(), counts.data(), static_cast<int>(data.size()),
                                      sums.data(), kernels::bestIsa(), exec));
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

double sumOfSquares(std::vector<at::Tensor> tensors, const ops::Execution& execution) {
    for (at::Tensor& tensor : tensors) {
        tensor = tensor.cpu().contiguous();
    }
    if (tensors.empty()) {
        return 0.0;
    }
    return tensors.front().scalar_type() == at::kDouble
               ? sumOfSquares<double>(tensors, execOf(execution))
               : sumOfSquares<float>(tensors, execOf(execution));
}

}  // namespace

AdamW::AdamW(std::vector<models::Parameter> parameters, const values::TrainingSpec& training,
             ops::Execution execution)
    : m_parameters(std::move(parameters)),
      m_execution(std::move(execution)),
      m_beta1(training.beta1),
      m_beta2(training.beta2),
      m_weightDecay(training.weightDecay) {
    const c10::NoGradGuard noGradient;
    for (const auto& parameter : m_parameters) {
        TORCH_CHECK(parameter.value.is_contiguous(), "AdamW: ", parameter.name,
                    " is not contiguous");
        m_first.push_back(at::zeros_like(parameter.value));
        m_second.push_back(at::zeros_like(parameter.value));
    }
}

double AdamW::gradientNorm() const {
    std::vector<at::Tensor> gradients;
    for (const auto& parameter : m_parameters) {
        if (const at::Tensor& gradient = parameter.value.grad(); gradient.defined()) {
            gradients.push_back(gradient);
        }
    }
    return std::sqrt(sumOfSquares(std::move(gradients), m_execution));
}

bool AdamW::weightsAreFinite() const {
    std::vector<at::Tensor> weights;
    for (const auto& parameter : m_parameters) {
        weights.push_back(parameter.value.detach());
    }
    return std::isfinite(sumOfSquares(std::move(weights), m_execution));
}

double clippingScale(double norm, double limit) {
    return limit <= 0 || norm <= limit ? 1.0 : limit / norm;
}

void AdamW::step(double rate, double gradientScale) {
    const c10::NoGradGuard noGradient;
    ++m_updates;
    if (m_parameters.empty()) {
        return;
    }
    if (const at::Tensor& first = m_parameters.front().value; !first.is_cpu()) {
        updateOnDevice(/*decaying=*/true, rate, gradientScale);
        updateOnDevice(/*decaying=*/false, rate, gradientScale);
    } else if (first.scalar_type() == at::kDouble) {
        updateHere<double>(rate, gradientScale);
    } else {
        updateHere<float>(rate, gradientScale);
    }
    for (auto& parameter : m_parameters) {
        parameter.value.mutable_grad().reset();
    }
}

template <class T>
void AdamW::updateHere(double rate, double gradientScale) {
    std::vector<kernels::ParameterSpan<T>> spans;
    std::vector<at::Tensor> gradients;  // packed, and alive until the update is done
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        const auto& parameter = m_parameters[i];
        if (const at::Tensor& gradient = parameter.value.grad(); gradient.defined()) {
            gradients.push_back(gradient.contiguous());
            spans.push_back({.weight = parameter.value.mutable_data_ptr<T>(),
                             .gradient = gradients.back().const_data_ptr<T>(),
                             .first = m_first[i].mutable_data_ptr<T>(),
                             .second = m_second[i].mutable_data_ptr<T>(),
                             .count = parameter.value.numel(),
                             .decays = parameter.decays});
        }
    }
    require(kernels::adamwStep<T>(spans.data(), static_cast<int>(spans.size()),
                                  {.rate = rate,
                                   .beta1 = m_beta1,
                                   .beta2 = m_beta2,
                                   .epsilon = kEpsilon,
                                   .weightDecay = m_weightDecay,
                                   .gradientScale = gradientScale,
                                   .update = m_updates},
                                  kernels::bestIsa(), execOf(m_execution)));
}

void AdamW::updateOnDevice(bool decaying, double rate, double gradientScale) {
    std::vector<at::Tensor> weights, gradients, first, second, counts;
    for (std::size_t i = 0; i < m_parameters.size(); ++i) {
        const auto& parameter = m_parameters[i];
        if (parameter.decays != decaying || !parameter.value.grad().defined()) {
            continue;
        }
        if (counts.empty()) {
            counts.push_back(at::full({}, static_cast<double>(m_updates),
                                      m_first[i].options().dtype(at::kFloat)));
        }
        weights.push_back(parameter.value);
        gradients.push_back(parameter.value.grad().mul_(gradientScale));
        first.push_back(m_first[i]);
        second.push_back(m_second[i]);
    }
    if (weights.empty()) {
        return;
    }
    counts.resize(weights.size(), counts.front());
    at::_fused_adamw_(weights, gradients, first, second, /*max_exp_avg_sqs=*/{}, counts, rate,
                      m_beta1, m_beta2, decaying ? m_weightDecay : 0.0, kEpsilon,
                      /*amsgrad=*/false, /*maximize=*/false);
}

void AdamW::restore(std::int64_t updates) {
    m_updates = updates;
}

}  // namespace lab::training
