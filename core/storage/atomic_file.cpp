#include "core/storage/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int error) {
    throw values::LabError(
        values::LabError::Kind::kInvalidInput,
        path.string() + ": " + what + ": " + std::system_category().message(error));
}

/// A file descriptor that closes itself.
class Descriptor {
public:
    explicit Descriptor(int number) noexcept : m_number(number) {}
    ~Descriptor() { static_cast<void>(close()); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int number() const noexcept { return m_number; }
    /// False: the system reports a write that failed late, as network file systems do.
    [[nodiscard]] bool close() noexcept {
        const int number = std::exchange(m_number, -1);
        return number < 0 || ::close(number) == 0;
    }

private:
    int m_number;
};

/// Removes a temporary file unless it was renamed.
class Temporary {
public:
    explicit Temporary(std::filesystem::path path) : m_path(std::move(path)) {}
    ~Temporary() {
        if (!m_path.empty()) {
            ::unlink(m_path.c_str());
        }
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    void keep() { m_path.clear(); }

private:
    std::filesystem::path m_path;
};

void writeAll(const Descriptor& out, Bytes bytes, const std::filesystem::path& file) {
    while (!bytes.empty()) {
        const ssize_t done = ::write(out.number(), bytes.data(), bytes.size());
        if (done < 0 && errno != EINTR) {
            fail(file, "cannot be written", errno);
        }
        bytes = bytes.subspan(done < 0 ? 0 : static_cast<std::size_t>(done));
    }
}

std::filesystem::path folderOf(const std::filesystem::path& file) {
    return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

/// A name that no other thread or process uses at this moment.
std::filesystem::path temporaryFor(const std::filesystem::path& file) {
    static std::atomic<unsigned> count{0};
    return folderOf(file) / ("." + file.filename().string() + "." + std::to_string(::getpid()) +
                             "-" + std::to_string(++count) + ".tmp");
}

}  // namespace

void writeAtomically(const std::filesystem::path& file, std::span<const Bytes> parts) {
    const std::filesystem::path name = temporaryFor(file);
    Descriptor out(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (out.number() < 0) {
        fail(file, "cannot be written", errno);
    }
    Temporary temporary(name);
    for (const Bytes part : parts) {
        writeAll(out, part, file);
    }
    if (::fsync(out.number()) != 0 || !out.close()) {
        fail(file, "cannot be written", errno);
    }
    if (::rename(name.c_str(), file.c_str()) != 0) {
        fail(file, "cannot be replaced", errno);
    }
    temporary.keep();
    const Descriptor folder(::open(folderOf(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.number() >= 0) {
        static_cast<void>(::fsync(folder.number()));  // some file systems cannot; the data is safe
    }
}

void writeAtomically(const std::filesystem::path& file, std::string_view text) {
    const std::array<Bytes, 1> parts{std::as_bytes(std::span(text))};
    writeAtomically(file, parts);
}

std::string readWhole(const std::filesystem::path& file, std::uintmax_t limit) {
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (in.number() < 0) {
        fail(file, "cannot be read", errno);
    }
    std::string text;
    std::array<char, 1U << 16U> buffer{};
    for (;;) {
        const ssize_t got = ::read(in.number(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail(file, "cannot be read", errno);
        }
        if (got == 0) {
            return text;
        }
        text.append(buffer.data(), static_cast<std::size_t>(got));
        if (text.size() > limit) {
            fail(file, "is too large to be what was expected", EFBIG);
        }
    }
}

void makeFolders(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) {
        fail(folder, "cannot be created", error.value());
    }
}

}  // namespace lab::storage
