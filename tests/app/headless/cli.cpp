#include "tests/app/headless/cli.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lab::headless {

std::vector<nlohmann::json> Said::jsonLines() const {
    std::vector<nlohmann::json> values;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
        values.push_back(nlohmann::json::parse(line));
    }
    return values;
}

std::string contentOf(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::string golden(const std::string& file) {
    return std::string(LAB_GOLDEN_DIR) + "/" + file;
}

Cli::Cli(const std::vector<std::string>& arguments, const std::string& input) {
    m_folder = (std::filesystem::temp_directory_path() / "lab-cli-XXXXXX").string();
    if (::mkdtemp(m_folder.data()) == nullptr) {
        throw std::runtime_error("no temporary folder");
    }
    std::ofstream(m_folder + "/in", std::ios::binary) << input;
    std::vector<std::string> words{LAB_CLI};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    m_pid = ::fork();
    if (m_pid == 0) {
        ::dup2(::open((m_folder + "/in").c_str(), O_RDONLY), STDIN_FILENO);
        ::dup2(::open((m_folder + "/out").c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
        ::dup2(::open((m_folder + "/err").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
        ::execv(LAB_CLI, argv.data());
        ::_exit(127);
    }
}

Cli::~Cli() {
    if (m_pid > 0) {
        ::kill(m_pid, SIGKILL);
        ::waitpid(m_pid, nullptr, 0);
    }
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
}

void Cli::interrupt() const {
    ::kill(m_pid, SIGINT);
}

Said Cli::wait() {
    int status = 0;
    ::waitpid(m_pid, &status, 0);
    m_pid = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            contentOf(m_folder + "/out"), contentOf(m_folder + "/err")};
}

Said cli(const std::vector<std::string>& arguments, const std::string& input) {
    return Cli(arguments, input).wait();
}

}  // namespace lab::headless
