// What can be said about a spec before it is trained, for the designers and the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/values/experiment_spec.h"

namespace lab::values {

struct LengthFacts {
    TraceLength length;
    std::int64_t tokens = 0;  ///< in one trace
    int reveals = 0;
};

struct TaskFacts {
    double states = 0;     ///< n!, n^n with repeating values, or the order of the group
    int inputTokens = 0;   ///< size of the vocabulary read
    int outputTokens = 0;  ///< size of the vocabulary predicted
    bool commutative = false;
    bool solvable = false;
    double chance = 0;  ///< accuracy of a blind guess
    std::vector<double>
        ceilings;  ///< A(n,R) for R = 0, 1, 2, ... remembered reveals; empty for word problems
    std::vector<LengthFacts> lengths;  ///< training stages, then evaluation lengths
};

struct ModelFacts {
    std::int64_t parameters = 0;
    double flopsPerToken = 0;  ///< forward only, multiply and add counted apart
    std::int64_t stateNumbers =
        0;  ///< carried from token to token, per sequence; grows with time for a Transformer
    std::string
        kernel;  ///< variant that would run, e.g. "delta.avx512.d16"; empty: LibTorch's operators
};

/// One row of the table of architectures.
struct ArchitectureRow {
    std::string key, title, summary;
};

/// A preset experiment.
struct PresetRow {
    std::string key, title, note;
};

}  // namespace lab::values
