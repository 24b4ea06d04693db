#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

#include "core/bench.h"
#include "core/bench/lm_step.h"
#include "core/bench/op_case.h"
#include "core/values/lab_error.h"
#include "kernels/thread_pool.h"

namespace lab {
namespace {

using bench::LabShape;
using bench::OpEntry;
using bench::OpMaker;
using values::LabError;

constexpr int kUncounted = 3;
constexpr int kCheckedSteps = 48;  ///< tokens of the run that the oracle checks

OpMaker makerOf(const std::string& name) {
    const auto ops = bench::everyOp();
    const auto found = std::ranges::find(ops, name, &OpEntry::name);
    if (found == ops.end()) {
        throw LabError(LabError::Kind::kInvalidInput,
                       fmt::format("there is no operation '{}'; there are {}", name,
                                   fmt::join(benchOps(), ", ")));
    }
    return found->make;
}

/// The whole-step rows: layers of the language model.
const std::map<std::string, int>& stepOps() {
    static const std::map<std::string, int> kLayers{{"deltanet_lm2", 2}, {"deltanet_lm4", 4}};
    return kLayers;
}

template <class Work>
double millisecondsOf(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - start;
    return taken.count();
}

/// Gradients at the start and the losses of four steps, against the plain operators in double.
double stepError(const LabShape& shape, int layers, int threads) {
    bench::LmStep ours(shape, layers, threads);
    bench::LmStep oracle(shape, layers, threads, bench::Precision::kDouble,
                         bench::Path::kOperators);
    const auto actual = ours.gradients(), expected = oracle.gradients();
    double worst = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const std::vector<float> rounded(actual[i].begin(), actual[i].end());
        worst = std::max(worst, bench::errorOf(rounded, expected[i]));
    }
    for (int step = 0; step < 4; ++step) {
        const double loss = oracle.run();
        worst = std::max(worst, std::abs(ours.run() / loss - 1));
    }
    return worst;
}

OpTiming timeStep(const OpRequest& request, int layers) {
    const LabShape shape{request.batch, request.steps, request.heads, request.dim};
    OpTiming timing;
    timing.request = request;
    timing.relativeError = stepError(
        {2, std::min(shape.steps, kCheckedSteps), shape.heads, shape.dim}, layers, request.threads);
    bench::LmStep step(shape, layers, request.threads);
    std::vector<double> products;
    for (int i = -kUncounted; i < request.samples; ++i) {
        const double taken = millisecondsOf([&] { (void)step.run(); });
        const double floor = millisecondsOf([&] { step.runProducts(); });
        if (i >= 0) {
            timing.samplesMs.push_back(taken);
            products.push_back(floor);
        }
    }
    timing.medianMs = bench::medianOf(timing.samplesMs);
    timing.productsMs = bench::medianOf(products);
    timing.variant = "step";
    return timing;
}

}  // namespace

std::vector<std::string> benchOps() {
    std::vector<std::string> names;
    for (const OpEntry& op : bench::everyOp()) {
        names.push_back(op.name);
    }
    for (const auto& [name, layers] : stepOps()) {
        names.push_back(name);
    }
    return names;
}

OpTiming timeOp(const OpRequest& request) {
    const LabShape shape{request.batch, request.steps, request.heads, request.dim};
    if (request.batch < 1 || request.steps < 1 || request.heads < 1 || request.dim < 1) {
        throw LabError(LabError::Kind::kInvalidInput, "a shape is B,T,H,D, each at least 1");
    }
    const auto step = stepOps().find(request.op);
    const bool isStep = step != stepOps().end();
    if (isStep ? request.pass != "step" : request.pass != "fwd" && request.pass != "fwd_bwd") {
        throw LabError(LabError::Kind::kInvalidInput,
                       fmt::format("there is no pass '{}' of '{}'; {}", request.pass, request.op,
                                   isStep ? "there is step" : "there are fwd, fwd_bwd"));
    }
    if (isStep) {
        return timeStep(request, step->second);
    }
    const OpMaker make = makerOf(request.op);
    const bool backward = request.pass == "fwd_bwd";
    kernels::ThreadPool pool(request.threads);
    const kernels::Exec exec = pool.exec();

    OpTiming timing;
    timing.request = request;
    const auto checked =
        make({1, std::min(shape.steps, kCheckedSteps), shape.heads, shape.dim}, kernels::bestIsa());
    checked->forward(exec, true);
    checked->backward(exec);
    timing.relativeError = checked->error();
    timing.variant = checked->variant();

    const auto op = make(shape, kernels::bestIsa());
    for (int i = -kUncounted; i < request.samples; ++i) {
        const double taken = millisecondsOf([&] {
            op->forward(exec, backward);
            if (backward) {
                op->backward(exec);
            }
        });
        if (i >= 0) {
            timing.samplesMs.push_back(taken);
        }
    }
    timing.medianMs = bench::medianOf(timing.samplesMs);
    return timing;
}

}  // namespace lab
