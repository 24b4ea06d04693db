#include "core/bench/lm_step.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <string>

#include "core/ops/cross_entropy.h"
#include "core/ops/delta_rule.h"
#include "core/ops/delta_rule_peers.h"
#include "core/ops/rms_norm.h"
#include "core/ops/short_conv.h"
#include "core/ops/silu_gate.h"
#include "core/training/optimiser.h"
#include "kernels/thread_pool.h"

namespace lab::bench {
namespace {

constexpr std::int64_t kVocabulary = 64, kConvWidth = 4;
constexpr double kEpsilon = 1e-5, kUnitEpsilon = 1e-12, kRate = 1e-3;

struct Block {
    at::Tensor normIn, qkv, conv, convBias, beta, normHead, out, normMlp, up, down;
};

values::TrainingSpec adamSpec() {
    values::TrainingSpec spec;
    spec.beta1 = 0.9;
    spec.beta2 = 0.999;
    spec.weightDecay = 0.01;
    return spec;
}

/// Sets LibTorch's threads while it lives.
class TorchThreads {
public:
    explicit TorchThreads(int threads) : m_before(at::get_num_threads()) {
        at::set_num_threads(threads);
    }
    TorchThreads(const TorchThreads&) = delete;
    TorchThreads& operator=(const TorchThreads&) = delete;
    ~TorchThreads() { at::set_num_threads(m_before); }

private:
    int m_before;
};

}  // namespace

struct LmStep::Parts {
    LabShape shape;
    int threads;
    ops::Execution execution;
    at::TensorOptions options;
    Inputs inputs{17};
    std::vector<models::Parameter> parameters;
    std::vector<Block> blocks;
    at::Tensor embedding, norm, head, tokens, targets, ones;
    std::unique_ptr<training::AdamW> optimiser;
    std::vector<std::pair<at::Tensor, at::Tensor>> products;  ///< [rows, in], [out, in]

    at::Tensor add(const std::string& name, at::IntArrayRef sizes, double bound,
                   double centre = 0) {
        std::int64_t count = 1;
        for (const std::int64_t size : sizes) {
            count *= size;
        }
        const auto drawn =
            inputs.uniforms(static_cast<std::size_t>(count), centre - bound, centre + bound);
        const at::Tensor value = at::tensor(drawn).view(sizes).to(options);
        value.requires_grad_(true);
        parameters.push_back({name, value, true});
        return value;
    }
    at::Tensor matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
        const std::int64_t tokenRows = std::int64_t{shape.batch} * shape.steps;
        products.emplace_back(at::ones({tokenRows, columns}, options),
                              at::ones({rows, columns}, options));
        return add(name, {rows, columns}, 1 / std::sqrt(static_cast<double>(columns)));
    }
    at::Tensor logits() const;
    at::Tensor mixed(const Block& block, const at::Tensor& h) const;
    at::Tensor loss() const {
        return ops::weightedCrossEntropy(logits(), targets, ones, execution).loss;
    }
};

LmStep::LmStep(const LabShape& shape, int layers, int threads, Precision precision, Path path)
    : m(std::make_unique<Parts>()) {
    m->shape = shape;
    m->threads = threads;
    m->execution.plain = path == Path::kOperators;
    if (threads > 1) {
        m->execution.pool = std::make_shared<kernels::ThreadPool>(threads);
    }
    m->options =
        at::TensorOptions().dtype(precision == Precision::kDouble ? at::kDouble : at::kFloat);
    const std::int64_t d = shape.width(), rows = std::int64_t{shape.batch} * shape.steps;
    const std::int64_t hidden = 32 * std::lround(static_cast<double>(d) / 12);
    m->embedding = m->add("embed", {kVocabulary, d}, 1.7);
    for (int i = 0; i < layers; ++i) {
        const std::string at = std::to_string(i) + ".";
        m->blocks.push_back({.normIn = m->add(at + "norm_in", {d}, 0, 1),
                             .qkv = m->matrix(at + "qkv", 3 * d, d),
                             .conv = m->add(at + "conv", {3 * d, kConvWidth}, 0.5),
                             .convBias = m->add(at + "conv_bias", {3 * d}, 0),
                             .beta = m->matrix(at + "beta", shape.heads, d),
                             .normHead = m->add(at + "norm_head", {shape.dim}, 0, 1),
                             .out = m->matrix(at + "out", d, d),
                             .normMlp = m->add(at + "norm_mlp", {d}, 0, 1),
                             .up = m->matrix(at + "up", 2 * hidden, d),
                             .down = m->matrix(at + "down", d, hidden)});
    }
    m->norm = m->add("norm", {d}, 0, 1);
    m->head = m->matrix("head", kVocabulary, d);
    const auto token = [&] {
        return static_cast<std::int64_t>(m->inputs.uniform(0, kVocabulary)) % kVocabulary;
    };
    m->tokens = at::empty({rows}, at::kLong);
    m->targets = at::empty({rows}, at::kLong);
    for (std::int64_t i = 0; i < rows; ++i) {
        m->tokens.mutable_data_ptr<std::int64_t>()[i] = token();
        m->targets.mutable_data_ptr<std::int64_t>()[i] = token();
    }
    m->ones = at::ones({rows}, m->options);
    m->optimiser = std::make_unique<training::AdamW>(m->parameters, adamSpec(), m->execution);
}

LmStep::~LmStep() = default;

at::Tensor LmStep::Parts::mixed(const Block& block, const at::Tensor& h) const {
    const std::int64_t d = shape.width();
    const auto qkv =
        ops::shortConv(at::mm(h, block.qkv.t()).view({shape.batch, shape.steps, 3 * d}), block.conv,
                       block.convBias, {}, ops::ConvActivation::kSilu, execution)
            .view({shape.batch, shape.steps, 3, shape.heads, shape.dim})
            .unbind(2);
    const at::Tensor beta =
        2 * at::sigmoid(at::mm(h, block.beta.t())).view({shape.batch, shape.steps, shape.heads});
    const ops::DeltaArguments in{
        .q = qkv[0], .k = qkv[1], .v = qkv[2], .beta = beta, .normaliseEpsilon = kUnitEpsilon};
    const at::Tensor o = execution.plain ? ops::deltaRuleLoop(in, ops::LoopForm::kSum).o
                                         : ops::deltaRule(in, execution).o;
    return ops::rmsNorm(o.reshape({-1, shape.dim}), block.normHead, kEpsilon, execution)
        .view({h.size(0), d});
}

at::Tensor LmStep::Parts::logits() const {
    at::Tensor x = at::embedding(embedding, tokens);
    for (const Block& block : blocks) {
        const at::Tensor h = ops::rmsNorm(x, block.normIn, kEpsilon, execution);
        x = at::addmm(x, mixed(block, h), block.out.t());
        const at::Tensor both =
            at::mm(ops::rmsNorm(x, block.normMlp, kEpsilon, execution), block.up.t());
        x = at::addmm(x, ops::siluGate(both, execution), block.down.t());
    }
    return at::mm(ops::rmsNorm(x, norm, kEpsilon, execution), head.t());
}

double LmStep::run() {
    const TorchThreads threads(m->threads);
    const at::Tensor loss = m->loss();
    loss.backward();
    m->optimiser->step(kRate);
    return loss.item<double>();
}

void LmStep::runProducts() {
    const TorchThreads threads(m->threads);
    const c10::NoGradGuard noGrad;
    for (const auto& [x, w] : m->products) {
        const at::Tensor y = at::mm(x, w.t());
        (void)at::mm(y, w);
        (void)at::mm(y.t(), x);
    }
}

double LmStep::productFlops() const {
    double flops = 0;
    for (const auto& [x, w] : m->products) {
        flops += 6.0 * static_cast<double>(x.size(0)) * static_cast<double>(w.numel());
    }
    return flops;
}

std::vector<Numbers> LmStep::gradients() {
    const TorchThreads threads(m->threads);
    std::vector<at::Tensor> leaves;
    for (const auto& parameter : m->parameters) {
        leaves.push_back(parameter.value);
    }
    std::vector<Numbers> all;
    for (const at::Tensor& gradient : torch::autograd::grad({m->loss()}, leaves)) {
        const at::Tensor wide = gradient.to(at::kDouble).contiguous();
        const auto* const data = wide.const_data_ptr<double>();
        all.emplace_back(data, data + wide.numel());
    }
    return all;
}

}  // namespace lab::bench
