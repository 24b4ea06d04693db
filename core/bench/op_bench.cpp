#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>

#include "core/bench.h"
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

std::vector<OpEntry> everyOp() {
    auto ops = bench::scanOps();
    std::ranges::move(bench::layerOps(), std::back_inserter(ops));
    return ops;
}

OpMaker makerOf(const std::string& name) {
    const auto ops = everyOp();
    const auto found = std::ranges::find(ops, name, &OpEntry::name);
    if (found == ops.end()) {
        throw LabError(LabError::Kind::kInvalidInput,
                       fmt::format("there is no operation '{}'; there are {}", name,
                                   fmt::join(benchOps(), ", ")));
    }
    return found->make;
}

double medianOf(std::vector<double> values) {
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

std::vector<std::string> benchOps() {
    std::vector<std::string> names;
    for (const OpEntry& op : everyOp()) {
        names.push_back(op.name);
    }
    return names;
}

OpTiming timeOp(const OpRequest& request) {
    const LabShape shape{request.batch, request.steps, request.heads, request.dim};
    if (request.batch < 1 || request.steps < 1 || request.heads < 1 || request.dim < 1) {
        throw LabError(LabError::Kind::kInvalidInput, "a shape is B,T,H,D, each at least 1");
    }
    if (request.pass != "fwd" && request.pass != "fwd_bwd") {
        throw LabError(LabError::Kind::kInvalidInput,
                       fmt::format("there is no pass '{}' of '{}'; there are fwd, fwd_bwd",
                                   request.pass, request.op));
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
        const auto start = std::chrono::steady_clock::now();
        op->forward(exec, backward);
        if (backward) {
            op->backward(exec);
        }
        const std::chrono::duration<double, std::milli> taken =
            std::chrono::steady_clock::now() - start;
        if (i >= 0) {
            timing.samplesMs.push_back(taken.count());
        }
    }
    timing.medianMs = medianOf(timing.samplesMs);
    return timing;
}

}  // namespace lab
