// Every combination of the choices that a REPL trace offers, for tests that must hold for all.
#pragma once

#include <array>
#include <vector>

#include "tasks/repl_trace.h"

namespace lab::tasks {

inline constexpr std::array kAllCommandSets{Generators::kSwaps, Generators::kAdjacentSwaps,
                                            Generators::kThreePoints, Generators::kPermutations};
inline constexpr std::array kAllRevealPolicies{RevealPolicy::kUniform, RevealPolicy::kRoundRobin,
                                               RevealPolicy::kFixed};

/// 48 settings for a number of variables.
inline std::vector<ReplSettings> allReplSettings(int variables) {
    std::vector<ReplSettings> result;
    for (const Generators commands : kAllCommandSets) {
        for (const RevealPolicy reveal : kAllRevealPolicies) {
            for (const bool firstPrint : {false, true}) {
                for (const bool distinctValues : {false, true}) {
                    result.push_back(
                        {variables, commands, reveal, variables - 1, firstPrint, distinctValues});
                }
            }
        }
    }
    return result;
}

}  // namespace lab::tasks
