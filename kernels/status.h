// What a kernel reports. Kernels never throw, allocate or wait.
#pragma once

namespace lab::kernels {

enum class Status {
    kOk,
    kBadShape,         ///< an extent is negative or zero where it may not be, or sizes overflow
    kBadStride,        ///< an output is not contiguous along its channels, or strides are negative
    kMissingArgument,  ///< a required pointer is null
    kWorkspaceTooSmall,  ///< see Plan::workspaceBytes
    kUnavailable,        ///< this build or machine has no such backend
    kLaunchFailed,       ///< the device refused the launch
};

[[nodiscard]] constexpr const char* describe(Status status) {
    switch (status) {
        case Status::kOk: return "ok";
        case Status::kBadShape: return "bad shape";
        case Status::kBadStride: return "bad stride";
        case Status::kMissingArgument: return "missing argument";
        case Status::kWorkspaceTooSmall: return "workspace too small";
        case Status::kUnavailable: return "not available in this build or on this machine";
        case Status::kLaunchFailed: return "the device refused the launch";
    }
    return "unknown status";
}

}  // namespace lab::kernels
