// LibTorch's operators run on one thread, as in the program: its own pool only waits for itself on
// the small matrices of these tests, most of all on a busy machine.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

namespace {

class SingleThread : public ::testing::Environment {
public:
    void SetUp() override { at::set_num_threads(1); }
};

const ::testing::Environment* const kSingleThread =
    ::testing::AddGlobalTestEnvironment(new SingleThread);  // owned by GoogleTest

}  // namespace
