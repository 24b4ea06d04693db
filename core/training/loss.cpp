#include "core/training/loss.h"

#include <ATen/ops/from_blob.h>

#include <limits>

#include "core/ops/cross_entropy.h"

namespace lab::training {
namespace {

/// A view of a vector that nobody writes through: from_blob takes no const pointer.
template <class T>
at::Tensor viewOf(const std::vector<T>& values, at::IntArrayRef shape, at::ScalarType dtype) {
    return at::from_blob(const_cast<T*>(values.data()), shape, dtype);  // NOLINT
}

template <class T>
std::vector<T> hostCopy(const at::Tensor& tensor) {
    const at::Tensor host = tensor.detach().cpu().contiguous();
    const T* begin = host.const_data_ptr<T>();
    return {begin, begin + host.numel()};
}

}  // namespace

at::Tensor tokensOf(const data::Batch& batch) {
    return viewOf(batch.tokens, {batch.traces, batch.steps}, at::kLong);
}

BatchLoss batchLoss(const at::Tensor& logits, const data::Batch& batch,
                    const ops::Execution& execution) {
    const auto rows = static_cast<std::int64_t>(batch.targets.size());
    const auto result = ops::weightedCrossEntropy(
        logits.reshape({rows, logits.size(-1)}),
        viewOf(batch.targets, {rows}, at::kLong).to(logits.device()),
        viewOf(batch.weights, {rows}, at::kFloat).to(logits.options()), execution);
    return {
        result.loss,
        {hostCopy<float>(result.byToken.to(at::kFloat)), hostCopy<std::uint8_t>(result.correct)}};
}

KindMeans meansByKind(const data::Batch& batch, const TokenLosses& losses) {
    KindMeans means;
    std::array<std::int64_t, values::kTokenKindCount> count{};
    for (std::size_t i = 0; i < batch.targets.size(); ++i) {
        if (batch.targets[i] >= 0) {
            const auto kind = static_cast<std::size_t>(batch.kinds[i]);
            ++count.at(kind);
            means.loss.at(kind) += static_cast<double>(losses.nats[i]);
            means.accuracy.at(kind) += losses.correct[i];
        }
    }
    for (std::size_t kind = 0; kind < count.size(); ++kind) {
        const double total = count[kind] > 0 ? static_cast<double>(count[kind])
                                             : std::numeric_limits<double>::quiet_NaN();
        means.loss[kind] /= total;
        means.accuracy[kind] /= total;
    }
    return means;
}

}  // namespace lab::training
