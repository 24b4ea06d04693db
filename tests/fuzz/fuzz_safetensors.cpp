// Any bytes are a safetensors file or are refused; what is accepted lies within the input.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "core/storage/safetensors.h"
#include "core/values/lab_error.h"

namespace {

using lab::storage::Bytes;
using lab::storage::Safetensors;

void require(bool good) {
    if (!good) {
        std::abort();
    }
}

/// The tensors must tile the end of the file, and their views must hold readable memory.
void check(const Safetensors& file, std::size_t fileBytes) {
    std::size_t dataBytes = 0;
    unsigned sum = 0;
    for (const auto& tensor : file.tensors()) {
        dataBytes += tensor.bytes.size();
        for (const std::byte byte : tensor.bytes) {
            sum += std::to_integer<unsigned>(byte);
        }
        require(file.find(tensor.name) != nullptr);
    }
    require(dataBytes + 8 <= fileBytes && sum <= 255U * dataBytes);
}

bool accepts(Bytes bytes) {
    try {
        check(Safetensors::parse({bytes.begin(), bytes.end()}, "input"), bytes.size());
        return true;
    } catch (const lab::values::LabError&) {
        return false;
    }
}

/// The same input as a file, read whole and header alone, gets the same verdict.
bool acceptsFile(Bytes bytes) {
    static const std::filesystem::path s_file =
        std::filesystem::temp_directory_path() / ("fuzz_safetensors." + std::to_string(::getpid()));
    const std::array<Bytes, 1> parts{bytes};
    lab::storage::writeAtomically(s_file, parts);
    bool whole = false;
    bool header = false;
    try {
        static_cast<void>(lab::storage::readSafetensorsHeader(s_file));
        header = true;
        static_cast<void>(Safetensors::read(s_file));
        whole = true;
    } catch (const lab::values::LabError&) {
        require(header == whole);
    }
    std::filesystem::remove(s_file);
    return whole;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Bytes bytes = std::as_bytes(std::span(data, size));
    const bool accepted = accepts(bytes);
    if (size % 64 == 6) {  // a disk is slow: some inputs are enough
        require(acceptsFile(bytes) == accepted);
    }
    return 0;
}
