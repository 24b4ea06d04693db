// Tensors for the tests of models and operations: golden files, random numbers, differences.
#pragma once

#include <ATen/ATen.h>

#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include "core/storage/safetensors.h"
#include "tasks/rng.h"

namespace lab::testing {

using Tensors = std::map<std::string, at::Tensor>;

/// The tensors of tests/golden/NAME.safetensors: numbers in float64, indices in int64.
inline Tensors golden(const std::string& name) {
    const auto file =
        storage::Safetensors::read(std::filesystem::path(LAB_GOLDEN_DIR) / (name + ".safetensors"));
    Tensors tensors;
    for (const storage::TensorView& view : file.tensors()) {
        const std::map<storage::Dtype, at::ScalarType> types{{storage::Dtype::kF64, at::kDouble},
                                                             {storage::Dtype::kF32, at::kFloat},
                                                             {storage::Dtype::kI64, at::kLong}};
        if (const auto type = types.find(view.dtype); type != types.end()) {
            const at::Tensor tensor = at::empty(view.shape, type->second);
            std::memcpy(tensor.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
            tensors.emplace(view.name,
                            type->second == at::kFloat ? tensor.to(at::kDouble) : tensor);
        }
    }
    return tensors;
}

/// Standard normal numbers from our own generator; `name` chooses the stream.
inline at::Tensor random(at::IntArrayRef sizes, std::uint64_t name,
                         at::ScalarType type = at::kDouble) {
    tasks::Rng rng(2026, 99, name);
    const at::Tensor x = at::empty(sizes, at::kDouble);
    for (std::int64_t i = 0; i < x.numel(); ++i) {
        x.mutable_data_ptr<double>()[i] = rng.normal();
    }
    return x.to(type);
}

/// Largest |a - b|, relative to the largest |b|.
inline double difference(const at::Tensor& a, const at::Tensor& b) {
    if (!a.defined() || !b.defined() || a.sizes() != b.sizes()) {
        return INFINITY;
    }
    if (b.numel() == 0) {
        return 0;
    }
    const at::Tensor x = a.detach().to(at::kDouble);
    const at::Tensor y = b.detach().to(at::kDouble);
    const double scale = y.abs().max().item<double>();
    const double largest = (x - y).abs().max().item<double>();
    return scale > 0 ? largest / scale : largest;
}

inline bool bitwiseEqual(const at::Tensor& a, const at::Tensor& b) {
    return a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
           std::memcmp(a.contiguous().const_data_ptr(), b.contiguous().const_data_ptr(),
                       a.nbytes()) == 0;
}

/// What two ways of computing the same number may differ by, relative to the largest. fp64: a few
/// hundred roundings of 1e-16, amplified by normalisation. fp32: the same at 6e-8.
constexpr double kDoubleTolerance = 1e-11;
constexpr double kFloatTolerance = 1e-5;

}  // namespace lab::testing
