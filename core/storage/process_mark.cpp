#include "core/storage/process_mark.h"

#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace lab::storage {
namespace {

struct ProcessFacts {
    char state = 'X';   ///< of proc(5): Z and X have ended
    std::string start;  ///< clock ticks after the boot
};

/// Fields 3 and 22 of /proc/<pid>/stat; state X when there is no such process.
ProcessFacts factsOf(const std::string& pid) {
    std::ifstream in("/proc/" + pid + "/stat");
    std::string text;
    std::getline(in, text);
    ProcessFacts facts;
    const auto nameEnd = text.rfind(')');  // the name may contain anything
    if (nameEnd == std::string::npos) {
        return facts;
    }
    std::istringstream fields(text.substr(nameEnd + 1));
    fields >> facts.state;
    for (int field = 4; field <= 22; ++field) {
        fields >> facts.start;
    }
    return facts;
}

std::string hostName() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data()
                                                                               : "localhost";
}

std::string bootId() {
    std::ifstream in("/proc/sys/kernel/random/boot_id");
    std::string id;
    return in >> id ? id : "unknown";
}

}  // namespace

std::string processMark() {
    const std::string pid = std::to_string(::getpid());
    return hostName() + " " + bootId() + " " + pid + " " + factsOf(pid).start;
}

bool hasEnded(std::string_view mark) {
    std::istringstream fields{std::string(mark)};
    std::string host;
    std::string boot;
    std::string pid;
    std::string start;
    if (!(fields >> host >> boot >> pid >> start) || host != hostName()) {
        return false;
    }
    const ProcessFacts now = factsOf(pid);
    return boot != bootId() || now.state == 'Z' || now.state == 'X' || now.start != start;
}

}  // namespace lab::storage
