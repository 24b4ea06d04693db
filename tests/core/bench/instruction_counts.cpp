// Runs every operation of the kernels once, forward and backward, and tells callgrind where each
// begins and ends: instruction_counts.py runs it and compares the counts with those on record.
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstring>

#include "core/bench/op_case.h"
#include "kernels/cpu_features.h"

namespace {

using lab::kernels::Isa;

/// Small, but with whole tiles of tokens and a rest.
constexpr lab::bench::LabShape kShape{2, 37, 2, 32};

void measure(const lab::bench::OpEntry& entry, Isa isa) {
    const auto op = entry.make(kShape, isa);
    const lab::kernels::Exec alone;
    op->forward(alone, true);  // what is done once is not counted
    op->backward(alone);
    CALLGRIND_ZERO_STATS;
    op->forward(alone, true);
    CALLGRIND_DUMP_STATS_AT((entry.name + ".fwd").c_str());
    op->backward(alone);
    CALLGRIND_DUMP_STATS_AT((entry.name + ".bwd").c_str());
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) {
        std::fputs("usage: core_bench_instruction_counts generic|avx2\n", stderr);
        return 2;
    }
    for (const Isa isa : {Isa::kGeneric, Isa::kAvx2}) {
        if (std::strcmp(words[1], lab::kernels::nameOf(isa)) == 0) {
            for (const auto& entry : lab::bench::everyOp()) {
                measure(entry, isa);
            }
            return 0;
        }
    }
    std::fprintf(stderr, "no such instruction set: %s\n", words[1]);
    return 2;
}
