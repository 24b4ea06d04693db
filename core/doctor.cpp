// What this machine and build have. Every line is found out when asked.
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/headeronly/version.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "core/catalog.h"
#include "core/storage/paths.h"
#include "core/training/device.h"
#include "kernels/cpu_features.h"

namespace lab {
namespace {

namespace fs = std::filesystem;

/// The value of the first line "key : value" of a file of /proc; empty when there is none.
std::string procLine(const char* file, std::string_view key) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const auto colon = line.find(':');
        if (line.starts_with(key) && colon != std::string::npos) {
            const auto begin = line.find_first_not_of(" \t", colon + 1);
            return begin == std::string::npos ? "" : line.substr(begin);
        }
    }
    return {};
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody calls setenv
    return value != nullptr ? value : "";
}

/// The line of LibTorch's build description that begins with `key`.
std::string configLine(std::string_view key) {
    const std::string config = at::show_config();
    const auto begin = config.find(key);
    if (begin == std::string::npos) {
        return {};
    }
    return config.substr(begin, config.find('\n', begin) - begin);
}

DoctorLine display() {
    const auto wayland = variable("WAYLAND_DISPLAY"), x11 = variable("DISPLAY"),
               platform = variable("QT_QPA_PLATFORM");
    if (wayland.empty() && x11.empty() && platform.empty()) {
        return {"display",
                "none: DISPLAY and WAYLAND_DISPLAY are empty; the command line works without",
                false};
    }
    return {"display", fmt::format("DISPLAY=\"{}\" WAYLAND_DISPLAY=\"{}\" QT_QPA_PLATFORM=\"{}\"",
                                   x11, wayland, platform)};
}

DoctorLine cuda() {
    const auto reason = training::whyNoCuda();
    return reason ? DoctorLine{"cuda", "not available: " + *reason, false}
                  : DoctorLine{"cuda", fmt::format("{} device(s)", at::getNumGPUs())};
}

DoctorLine driver() {
    const std::string driverVersion = procLine("/proc/driver/nvidia/version", "NVRM version");
    return driverVersion.empty()
               ? DoctorLine{"nvidia_driver", "none (/proc/driver/nvidia/version is missing)", false}
               : DoctorLine{"nvidia_driver", driverVersion};
}

DoctorLine toolkit() {
    const std::string home = variable("CUDA_HOME");
    for (const fs::path folder : {home, std::string("/usr/local/cuda"), std::string("/usr")}) {
        std::error_code none;
        if (!folder.empty() && fs::exists(folder / "bin" / "nvcc", none)) {
            return {"cuda_toolkit", (folder / "bin" / "nvcc").string() + " (needed to build only)"};
        }
    }
    return {"cuda_toolkit", "none (no nvcc; needed to build CUDA kernels only)", false};
}

DoctorLine store() {
    try {
        const fs::path folder = storage::defaultStore();
        fs::path existing = folder;
        while (!fs::exists(existing) && existing.has_parent_path() &&
               existing != existing.parent_path()) {
            existing = existing.parent_path();
        }
        const auto space = fs::space(existing);
        const bool writable = access(existing.c_str(), W_OK) == 0;
        const double gigabytes = static_cast<double>(space.available) / 1e9;
        return {"store",
                fmt::format("{}, {:.1f} GB free{}", folder.string(), gigabytes,
                            writable ? "" : ", not writable"),
                writable && gigabytes > 0.1};
    } catch (const std::exception& error) {
        return {"store", error.what(), false};
    }
}

}  // namespace

std::vector<DoctorLine> doctor() {
    const std::string blas = configLine("Intel(R) oneAPI Math Kernel Library");
    const std::string memory = procLine("/proc/meminfo", "MemAvailable");
    return {
        {"version", fmt::format("Thimblerig {}", version())},
        {"cpu", procLine("/proc/cpuinfo", "model name")},
        {"cores", std::to_string(std::thread::hardware_concurrency())},
        {"memory", memory.empty() ? "unknown" : memory + " available"},
        {"kernels", fmt::format("{} (our own recurrences)", kernels::nameOf(kernels::bestIsa()))},
        {"libtorch",
         fmt::format("{}, its operators use {}", TORCH_VERSION, at::get_cpu_capability())},
        {"blas", blas.empty() ? "unknown" : blas, !blas.empty()},
        {"libtorch_threads",
         fmt::format("{} by default; every run sets its own", at::get_num_threads())},
        cuda(),
        driver(),
        toolkit(),
        display(),
        store(),
    };
}

}  // namespace lab
