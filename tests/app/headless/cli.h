// Runs thimblerig-cli as a person's shell would, and keeps what it said.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lab::headless {

struct Said {
    int code = -1;  ///< exit code; 128 + signal when it was killed
    std::string out, err;

    [[nodiscard]] nlohmann::json json() const { return nlohmann::json::parse(out); }
    /// One value a line.
    [[nodiscard]] std::vector<nlohmann::json> jsonLines() const;
};

/// A run of the program in the background.
class Cli {
public:
    explicit Cli(const std::vector<std::string>& arguments, const std::string& input = "");
    ~Cli();
    Cli(const Cli&) = delete;
    Cli& operator=(const Cli&) = delete;

    void interrupt() const;  ///< SIGINT
    [[nodiscard]] Said wait();

private:
    int m_pid = -1;
    std::string m_folder;  // holds in, out, err
};

/// Runs it to the end.
[[nodiscard]] Said cli(const std::vector<std::string>& arguments, const std::string& input = "");

[[nodiscard]] std::string golden(const std::string& file);
[[nodiscard]] std::string contentOf(const std::string& file);

}  // namespace lab::headless
