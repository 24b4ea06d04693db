// Every generated trace is what a real Python prints: CPython runs the commands.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tasks/repl_trace.h"
#include "tests/tasks/all_repl_settings.h"

namespace lab::tasks {
namespace {

struct Outcome {
    int status = -1;
    std::string output;
};

Outcome run(const std::string& command) {
    Outcome result;
    FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) {
        return result;
    }
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) {
        result.output.append(buffer, count);
    }
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return result;
}

/// A file of transcripts for run_transcripts.py; removed at the end.
class Batch {
public:
    Batch()
        : m_path(std::filesystem::temp_directory_path() /
                 ("repl_python_test." + std::to_string(getpid()))),
          m_file(m_path, std::ios::binary) {}
    ~Batch() {
        std::error_code ignored;
        std::filesystem::remove(m_path, ignored);
    }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    void add(const std::string& text) { m_file << text << '\x1e'; }

    Outcome check() {
        m_file.close();
        return run("python3 -I -S " LAB_GOLDEN_DIR "/../tasks/run_transcripts.py '" +
                   m_path.string() + "'");
    }

private:
    std::filesystem::path m_path;
    std::ofstream m_file;
};

class ReplPython : public testing::Test {
protected:
    void SetUp() override {
        if (run("python3 -c 'print(1)'").output != "1\n") {
            GTEST_SKIP() << "python3 does not run here; it is what these tests compare with";
        }
    }
};

// 48 settings, 500 traces each for four numbers of variables: 2,000 of every setting.
TEST_F(ReplPython, PrintsTheSameAsTwoThousandTracesOfEverySetting) {
    constexpr int kTracesEach = 500;
    for (const int n : {2, 3, 5, 8}) {
        Batch batch;
        int count = 0;
        std::uint64_t index = 0;
        for (const ReplSettings& settings : allReplSettings(n)) {
            const ReplTask task(settings);
            for (int i = 0; i < kTracesEach; ++i) {
                Rng rng(static_cast<std::uint64_t>(n), 0, index++);
                const Length length{rng.below(17), 1 + rng.below(5)};
                batch.add(task.text(task.sample(rng, length)));
                ++count;
            }
        }
        const Outcome result = batch.check();
        EXPECT_EQ(result.status, 0) << result.output;
        EXPECT_EQ(result.output, std::to_string(count) + " agree\n");
    }
}

TEST_F(ReplPython, AWrongValueWouldBeFound) {
    Batch batch;
    batch.add(">>> a = 3\n>>> b = 1\n>>> a, b = b, a\n>>> print('a', a)\na 1\n");
    batch.add(">>> a = 3\n>>> b = 1\n>>> a, b = b, a\n>>> print('a', a)\na 3\n");
    EXPECT_EQ(batch.check().status, 1);
}

}  // namespace
}  // namespace lab::tasks
