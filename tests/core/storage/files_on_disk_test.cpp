#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "core/storage/atomic_file.h"
#include "core/storage/paths.h"
#include "core/storage/process_mark.h"
#include "core/values/lab_error.h"
#include "tests/core/storage/scratch_folder.h"

namespace lab::storage {
namespace {

using testing::HasSubstr;

std::string refusalOf(const std::function<void()>& action) {
    try {
        action();
    } catch (const values::LabError& error) {
        return error.what();
    }
    return "no refusal";
}

int entriesIn(const std::filesystem::path& folder) {
    return static_cast<int>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

/// While it lives no file of this process may pass `bytes`: the disk seems full.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        m_handler = std::signal(SIGXFSZ, SIG_IGN);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int) = nullptr;
};

TEST(AtomicFile, TheNewContentReplacesTheOldAndNothingElseStays) {
    const ScratchFolder folder;
    writeAtomically(folder / "a", std::string_view("old and long"));
    writeAtomically(folder / "a", std::string_view("new"));
    EXPECT_EQ(contentOf(folder / "a"), "new");
    EXPECT_EQ(readWhole(folder / "a"), "new");
    EXPECT_EQ(entriesIn(folder.path()), 1);
}

TEST(AtomicFile, AWriteThatFailsHalfWayLeavesTheOldContent) {
    const ScratchFolder folder;
    writeAtomically(folder / "a", std::string_view("old"));
    const std::string large(10'000, 'x');
    const std::string refusal = refusalOf([&] {
        const FileSizeLimit limit(5'000);
        writeAtomically(folder / "a", large);
    });
    EXPECT_EQ(refusal, (folder / "a").string() + ": cannot be written: File too large");
    EXPECT_EQ(contentOf(folder / "a"), "old");
    EXPECT_EQ(entriesIn(folder.path()), 1);
}

TEST(AtomicFile, AFailureNamesTheFileAndTheReason) {
    const ScratchFolder folder;
    const auto write = [](const std::filesystem::path& file) {
        return refusalOf([&] { writeAtomically(file, std::string_view("x")); });
    };
    EXPECT_EQ(write(folder / "no" / "a"),
              (folder / "no" / "a").string() + ": cannot be written: No such file or directory");
    EXPECT_THAT(write(folder.path()), HasSubstr("Is a directory"));
    EXPECT_EQ(entriesIn(folder.path()), 0);
    EXPECT_THAT(refusalOf([&] { static_cast<void>(readWhole(folder / "none")); }),
                HasSubstr("cannot be read: No such file or directory"));
    EXPECT_THAT(refusalOf([&] { static_cast<void>(readWhole(folder.path())); }),
                HasSubstr("cannot be read: Is a directory"));
    EXPECT_THAT(refusalOf([&] { static_cast<void>(readWhole("/dev/zero", 1000)); }),
                HasSubstr("too large"));
    writeAtomically(folder / "file", std::string_view(""));
    EXPECT_THAT(refusalOf([&] { makeFolders(folder / "file" / "below"); }),
                HasSubstr("cannot be created: Not a directory"));
}

TEST(Paths, FollowTheXdgVariablesAndElseHome) {
    ::setenv("HOME", "/home/someone", 1);
    ::setenv("XDG_DATA_HOME", "/data", 1);
    ::setenv("XDG_CACHE_HOME", "relative/is/ignored", 1);
    ::setenv("XDG_CONFIG_HOME", "", 1);
    ::unsetenv("XDG_STATE_HOME");
    EXPECT_EQ(dataFolder(), "/data/thimblerig");
    EXPECT_EQ(defaultStore(), "/data/thimblerig");
    EXPECT_EQ(cacheFolder(), "/home/someone/.cache/thimblerig");
    EXPECT_EQ(configFolder(), "/home/someone/.config/thimblerig");
    EXPECT_EQ(stateFolder(), "/home/someone/.local/state/thimblerig");
    ::unsetenv("HOME");
    EXPECT_THAT(refusalOf([] { static_cast<void>(configFolder()); }),
                HasSubstr("neither XDG_CONFIG_HOME nor HOME"));
}

TEST(ProcessMark, TellsTheLivingFromTheDead) {
    EXPECT_FALSE(hasEnded(processMark()));
    int pipeEnds[2];
    ASSERT_EQ(::pipe(pipeEnds), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const std::string mark = processMark();
        ::_exit(::write(pipeEnds[1], mark.data(), mark.size()) > 0 ? 0 : 1);
    }
    std::string mark(200, '\0');
    mark.resize(static_cast<std::size_t>(::read(pipeEnds[0], mark.data(), mark.size())));
    siginfo_t ended{};  // waits for the end but leaves the process a zombie
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
    EXPECT_TRUE(hasEnded(mark)) << mark;
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(hasEnded(mark)) << mark;
    ::close(pipeEnds[0]);
    ::close(pipeEnds[1]);
}

TEST(ProcessMark, AReusedNumberIsAnotherProcessAndAnotherHostIsNotJudged) {
    const std::string mine = processMark();
    EXPECT_TRUE(hasEnded(mine + "0"));  // the same pid, started later
    EXPECT_FALSE(hasEnded("elsewhere" + mine.substr(mine.find(' '))));
    EXPECT_FALSE(hasEnded("nonsense"));
}

}  // namespace
}  // namespace lab::storage
