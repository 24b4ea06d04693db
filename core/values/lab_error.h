// The one exception this project throws.
#pragma once

#include <stdexcept>
#include <string>

namespace lab::values {

class LabError : public std::runtime_error {
public:
    enum class Kind {
        kInvalidInput,  ///< the user can fix it: a spec, a file, a path
        kDevice,        ///< a backend is missing or failed
        kDiverged,      ///< training produced a number that is not finite
        kStopped,       ///< a person asked to stop
    };

    /// `message` is shown to a person: what was wrong, where, and how to go on,
    /// e.g. "run.toml:12:9: training.steps is 0, must be at least 1".
    LabError(Kind kind, const std::string& message) : std::runtime_error(message), m_kind(kind) {}

    [[nodiscard]] Kind kind() const noexcept { return m_kind; }

private:
    Kind m_kind;
};

}  // namespace lab::values
