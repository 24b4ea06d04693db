// What every plan says, and what every kernel costs.
#pragma once

#include <cstddef>

#include "kernels/cpu_features.h"
#include "kernels/status.h"

namespace lab::kernels {

/// Pure data. A plan is made once a shape and serves any number of calls at once; each call needs a
/// workspace of its own.
struct Plan {
    Status status = Status::kBadShape;
    Isa isa = Isa::kGeneric;
    bool doublePrecision = false;  ///< the T of the calls: a plan serves one
    std::size_t forwardWorkspaceBytes = 0, backwardWorkspaceBytes = 0;
    char variant[48] = {};  ///< e.g. "delta.avx512.k16v16"
};

struct Cost {
    double flops = 0;  ///< multiply and add counted apart
    double bytes = 0;  ///< compulsory traffic: each input read once, each output written once
    double exps = 0;   ///< exponentials
};

}  // namespace lab::kernels
