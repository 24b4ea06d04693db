// Checks, plans and spreads LSTM, GRU, tanh RNN and sLSTM; the arithmetic is in
// kernels/cpu/recurrent.inl.
#include "kernels/recurrent.h"

#include <iterator>

#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/jobs.h"
#include "kernels/gemm.h"

namespace lab::kernels {
namespace {

std::size_t index(Cell cell) {
    return static_cast<std::size_t>(cell);
}

bool isValid(const RecurrentShape& s) {
    return s.batch >= 0 && s.steps >= 0 && s.hidden >= 1 && s.hidden <= (1 << 20) &&
           (static_cast<double>(s.batch) + 1) * (static_cast<double>(s.steps) + 1) *
                   (static_cast<double>(s.hidden) + 16) * 8 <
               0x1p56;
}

/// Where things lie in the workspace, in elements from an aligned base.
struct Room {
    std::size_t panels = 0, hidden = 0, cell = 0, before = 0, gradRec = 0, product = 0, size = 0;
};

GemmPlan weightProduct(const RecurrentPlan& plan) {
    const RecurrentShape& s = plan.shape;
    return gemmPlan(
        {std::int64_t{gatesOf(plan.cell)} * s.hidden, s.hidden, std::int64_t{s.batch} * s.steps},
        plan.isa, plan.doublePrecision);
}

Room roomFor(const RecurrentPlan& plan, bool backward) {
    const RecurrentShape& s = plan.shape;
    const int lanes = cpu::lanesOf(plan);
    const auto count = [](std::int64_t n) { return static_cast<std::size_t>((n + 15) / 16 * 16); };
    const std::int64_t gates = gatesOf(plan.cell), hidden = s.hidden;
    const std::int64_t width = cpu::paddedTo(lanes, s.hidden);
    const std::int64_t panelWidth = cpu::paddedTo(lanes * cpu::kGemmVectors, s.hidden);
    const std::int64_t tokens = std::int64_t{s.batch} * s.steps;
    Room room;
    const auto take = [&room](std::size_t n) {
        const std::size_t start = room.size;
        room.size += n;
        return start;
    };
    room.panels = take(count(gates * hidden * (backward ? panelWidth : width)));
    room.hidden = take(count(std::int64_t{2} * s.batch * width));
    room.cell = take(count(std::int64_t{cellStatesOf(plan.cell)} * s.batch * width));
    if (backward) {
        room.before = take(count(tokens * hidden));
        room.gradRec = take(plan.cell == Cell::kGru ? count(tokens * gates * hidden) : 0);
        room.product = take(count(static_cast<std::int64_t>(
            weightProduct(plan).forwardWorkspaceBytes / (plan.doublePrecision ? 8 : 4) + 1)));
    }
    return room;
}

std::size_t bytesFor(const RecurrentPlan& plan, bool backward) {
    return roomFor(plan, backward).size * (plan.doublePrecision ? sizeof(double) : sizeof(float)) +
           cpu::kAlignment;
}

template <class T>
Status check(const RecurrentPlan& plan, const RecurrentInputs<T>& in) {
    if (plan.status != Status::kOk) {
        return plan.status;
    }
    if (plan.doublePrecision != (sizeof(T) == sizeof(double))) {
        return Status::kWorkspaceTooSmall;
    }
    const auto given = std::count_if(std::begin(in.initialCell), std::end(in.initialCell),
                                     [](const T* state) { return state != nullptr; });
    if (plan.cell == Cell::kSlstm && given != 0 && given != cellStatesOf(plan.cell)) {
        return Status::kMissingArgument;
    }
    const bool empty = plan.shape.batch == 0 || plan.shape.steps == 0;
    return empty || (in.pre != nullptr && in.r != nullptr) ? Status::kOk : Status::kMissingArgument;
}

template <class T>
cpu::RecurrentJob<T> jobFor(const RecurrentPlan& plan, const RecurrentInputs<T>& in, T* base,
                            const Room& room) {
    cpu::RecurrentJob<T> job{};
    job.batch = plan.shape.batch;
    job.steps = plan.shape.steps;
    job.hidden = plan.shape.hidden;
    job.width = cpu::paddedTo(cpu::lanesOf(plan), plan.shape.hidden);
    job.pre = in.pre;
    job.r = in.r;
    job.bias = in.bias;
    job.initialH = in.initialH;
    std::copy(std::begin(in.initialCell), std::end(in.initialCell), job.initialCell);
    job.panels = base + room.panels;
    job.hidden2 = base + room.hidden;
    job.cell = base + room.cell;
    return job;
}

/// h_{t-1} for every token, batch by batch.
template <class T>
void copyBefore(const RecurrentPlan& plan, const T* h, const T* initial, T* to) {
    const std::int64_t hidden = plan.shape.hidden, steps = plan.shape.steps;
    for (std::int64_t b = 0; b < plan.shape.batch && steps > 0; ++b) {
        T* const rows = to + b * steps * hidden;
        if (initial == nullptr) {
            std::fill(rows, rows + hidden, T(0));
        } else {
            std::copy(initial + b * hidden, initial + (b + 1) * hidden, rows);
        }
        std::copy(h + b * steps * hidden, h + (b * steps + steps - 1) * hidden, rows + hidden);
    }
}

}  // namespace

RecurrentPlan recurrentPlan(Cell cell, RecurrentShape shape, Isa isa,
                            bool doublePrecision) noexcept {
    constexpr const char* kNames[] = {"lstm", "gru", "tanh", "slstm"};
    RecurrentPlan plan;
    plan.isa = isa;
    plan.doublePrecision = doublePrecision;
    plan.cell = cell;
    plan.shape = shape;
    if (!isValid(shape)) {
        return plan;
    }
    cpu::choose(plan, kNames[index(cell)], 0, "");
    plan.savedElements = static_cast<std::size_t>(shape.batch) *
                         static_cast<std::size_t>(shape.steps) *
                         static_cast<std::size_t>(savedRowsOf(cell)) *
                         static_cast<std::size_t>(cpu::paddedTo(cpu::lanesOf(plan), shape.hidden));
    plan.forwardWorkspaceBytes = bytesFor(plan, false);
    plan.backwardWorkspaceBytes = bytesFor(plan, true);
    return plan;
}

template <class T>
Status recurrentForward(const RecurrentPlan& plan, const RecurrentInputs<T>& in,
                        const RecurrentOutputs<T>& out, void* workspace,
                        const Exec& exec) noexcept {
    if (const Status status = check(plan, in); status != Status::kOk) {
        return status;
    }
    if (plan.shape.batch == 0) {
        return Status::kOk;
    }
    if (workspace == nullptr || (plan.shape.steps > 0 && out.h == nullptr)) {
        return Status::kMissingArgument;
    }
    auto job = jobFor(plan, in, cpu::aligned<T>(workspace), roomFor(plan, false));
    job.h = out.h;
    job.finalH = out.finalH;
    std::copy(std::begin(out.finalCell), std::end(out.finalCell), job.finalCell);
    job.saved = out.saved;
    const auto* const table = cpu::tableFor<T>(plan.isa);
    const std::size_t cell = index(plan.cell);
    if (in.r != nullptr) {
        cpu::spread(exec, job.width / table->lanes, [&](int, std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = begin; block < end; ++block) {
                table->recurrentPack[cell](job, block);
            }
        });
    }
    cpu::spread(exec, job.batch, [&](int, std::int64_t begin, std::int64_t end) {
        table->recurrentForward[cell](job, begin, end);
    });
    return Status::kOk;
}

template <class T>
Status recurrentBackward(const RecurrentPlan& plan, const RecurrentInputs<T>& in, const T* h,
                         const T* saved, const RecurrentGradients<T>& grad, void* workspace,
                         const Exec& exec) noexcept {
    if (const Status status = check(plan, in); status != Status::kOk) {
        return status;
    }
    const RecurrentShape& s = plan.shape;
    const bool empty = s.batch == 0 || s.steps == 0;
    if ((s.batch > 0 && workspace == nullptr) ||
        (!empty && (h == nullptr || saved == nullptr || grad.gradPre == nullptr))) {
        return Status::kMissingArgument;
    }
    const Room room = roomFor(plan, true);
    T* const base = workspace == nullptr ? nullptr : cpu::aligned<T>(workspace);
    auto job = jobFor(plan, in, base, room);
    job.saved = const_cast<T*>(saved);  // backward only reads it
    job.savedH = h;
    job.gradH = grad.gradH;
    job.gradFinalH = grad.gradFinalH;
    std::copy(std::begin(grad.gradFinalCell), std::end(grad.gradFinalCell), job.gradFinalCell);
    job.gradPre = grad.gradPre;
    job.gradRec = plan.cell == Cell::kGru ? base + room.gradRec : grad.gradPre;
    job.gradInitialH = grad.gradInitialH;
    std::copy(std::begin(grad.gradInitialCell), std::end(grad.gradInitialCell),
              job.gradInitialCell);
    const auto* const table = cpu::tableFor<T>(plan.isa);
    const std::int64_t hidden = s.hidden, inner = gatesOf(plan.cell) * hidden;
    if (s.batch > 0) {
        if (!empty) {
            cpu::GemmJob<T> weights{};  // R as the right factor of a product: its panels
            weights.columns = hidden;
            weights.inner = inner;
            weights.b = in.r;
            weights.bRow = hidden;
            weights.bColumn = 1;
            weights.panels = job.panels;
            const int panel = cpu::kGemmVectors * table->lanes;
            cpu::spread(exec, (hidden + panel - 1) / panel,
                        [&](int, std::int64_t begin, std::int64_t end) {
                            for (std::int64_t i = begin; i < end; ++i) {
                                table->gemmPack(weights, i);
                            }
                        });
        }
        cpu::spread(exec, job.batch, [&](int, std::int64_t begin, std::int64_t end) {
            table->recurrentBackward[index(plan.cell)](job, begin, end);
        });
    }
    const std::int64_t tokens = std::int64_t{s.batch} * s.steps;
    if (grad.gradBias != nullptr) {
        table->sumColumns(job.gradRec, tokens, inner, grad.gradBias);
    }
    if (grad.gradR == nullptr) {
        return Status::kOk;
    }
    if (empty) {
        std::fill(grad.gradR, grad.gradR + inner * hidden, T(0));
        return Status::kOk;
    }
    T* const before = base + room.before;
    copyBefore(plan, h, in.initialH, before);
    return gemm<T>(weightProduct(plan), {job.gradRec, 1, inner}, {before, hidden, 1},
                   {grad.gradR, hidden, 1}, false, base + room.product, exec);
}

// A step is a product [G d, d] and, for each unit, about six operations and an exponential a gate.
Cost recurrentForwardCost(Cell cell, const RecurrentShape& s) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps;
    const double gates = gatesOf(cell), d = s.hidden;
    return {tokens * (2.0 * gates * d * d + 6.0 * gates * d),
            (tokens * (gates + 1.0) * d + gates * d * d) * sizeof(float),
            tokens *
                (gates + (cell == Cell::kLstm    ? 1.0
                          : cell == Cell::kSlstm ? 2.0
                                                 : 0.0)) *
                d};
}

// The same product transposed, and that of the weights.
Cost recurrentBackwardCost(Cell cell, const RecurrentShape& s) noexcept {
    const double tokens = static_cast<double>(s.batch) * s.steps;
    const double gates = gatesOf(cell), d = s.hidden;
    return {tokens * (4.0 * gates * d * d + 10.0 * gates * d),
            (tokens * (2.0 * gates + 3.0) * d + 2.0 * gates * d * d) * sizeof(float),
            tokens * (cell == Cell::kLstm ? 1.0 : 0.0) * d};
}

template Status recurrentForward<float>(const RecurrentPlan&, const RecurrentInputs<float>&,
                                        const RecurrentOutputs<float>&, void*,
                                        const Exec&) noexcept;
template Status recurrentForward<double>(const RecurrentPlan&, const RecurrentInputs<double>&,
                                         const RecurrentOutputs<double>&, void*,
                                         const Exec&) noexcept;
template Status recurrentBackward<float>(const RecurrentPlan&, const RecurrentInputs<float>&,
                                         const float*, const float*,
                                         const RecurrentGradients<float>&, void*,
                                         const Exec&) noexcept;
template Status recurrentBackward<double>(const RecurrentPlan&, const RecurrentInputs<double>&,
                                          const double*, const double*,
                                          const RecurrentGradients<double>&, void*,
                                          const Exec&) noexcept;

}  // namespace lab::kernels
