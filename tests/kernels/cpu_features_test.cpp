// Which instruction set runs. CTest runs this once more with THIMBLERIG_ISA set.
#include "kernels/cpu_features.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "tests/kernels/support.h"

namespace lab::kernels::testing {
namespace {

/// Plans ignore the environment, so they tell what the machine has.
TEST(CpuFeatures, TakesTheBestSetUnlessTheEnvironmentLowersIt) {
    Isa machine = Isa::kGeneric;
    for (const Isa isa : kEveryIsa) {
        machine = canRun(isa) ? isa : machine;
    }
    const char* const wish = std::getenv("THIMBLERIG_ISA");
    Isa expected = machine;
    for (const Isa isa : kEveryIsa) {
        if (wish != nullptr && std::string_view(wish) == nameOf(isa)) {
            expected = std::min(isa, machine);
        }
    }
    EXPECT_EQ(bestIsa(), expected);
}

/// What a machine can run it can run completely: no set above a missing one.
TEST(CpuFeatures, SetsAreNested) {
    EXPECT_TRUE(canRun(Isa::kGeneric));
    EXPECT_LE(canRun(Isa::kAvx512), canRun(Isa::kAvx2));
}

}  // namespace
}  // namespace lab::kernels::testing
