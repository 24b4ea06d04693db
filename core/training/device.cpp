#include "core/training/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>

#include <filesystem>

#include "core/values/lab_error.h"

namespace lab::training {
namespace {

std::string openCudaLibrary() {
    Dl_info found{};
    const auto* symbol = reinterpret_cast<const void*>(&at::get_num_threads);
    if (dladdr(symbol, &found) == 0 || found.dli_fname == nullptr) {
        return "LibTorch's own folder cannot be found";
    }
    const auto library = std::filesystem::path(found.dli_fname).parent_path() / "libtorch_cuda.so";
    if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        const char* reason = dlerror();  // NOLINT(concurrency-mt-unsafe): glibc keeps one a thread
        return std::string("LibTorch's CUDA library cannot be opened: ") +
               (reason != nullptr ? reason : "no reason given") +
               " (./lab setup --gpu fetches what it needs)";
    }
    return {};
}

}  // namespace

ThreadCount::ThreadCount(int threads) : m_before(at::get_num_threads()) {
    if (m_before != threads) {
        at::set_num_threads(threads);
    }
}

ThreadCount::~ThreadCount() {
    if (at::get_num_threads() != m_before) {
        at::set_num_threads(m_before);
    }
}

std::optional<std::string> whyNoCuda() {
    static const std::string problem = openCudaLibrary();
    if (!problem.empty()) {
        return problem;
    }
    try {
        if (at::hasCUDA()) {
            return std::nullopt;
        }
        return "LibTorch sees no CUDA device (is an NVIDIA driver installed and a GPU present?)";
    } catch (const std::exception& error) {
        return std::string("LibTorch sees no CUDA device: ") + error.what();
    }
}

void requireDevice(values::Device device) {
    if (device != values::Device::kCuda) {
        return;
    }
    if (const auto reason = whyNoCuda()) {
        throw values::LabError(
            values::LabError::Kind::kDevice,
            "training.device is cuda, but " + *reason + "; set it to cpu or see `lab cli doctor`");
    }
}

}  // namespace lab::training
