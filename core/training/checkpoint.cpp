#include "core/training/checkpoint.h"

#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>
#include <vector>

#include "core/storage/safetensors.h"
#include "core/values/lab_error.h"

namespace lab::training {
namespace {

using values::LabError;

constexpr std::string_view kFormat = "thimblerig-checkpoint-1";
constexpr std::string_view kFirst = "adam.first/", kSecond = "adam.second/";
constexpr std::string_view kNameBegin = "step-", kNameEnd = ".safetensors";

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw LabError(LabError::Kind::kInvalidInput,
                   fmt::format("{}: {}; choose another checkpoint", file.string(), why));
}

template <class T>
std::string textOf(T number) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

/// The numbers of a file's metadata, each checked.
class Numbers {
public:
    Numbers(const std::filesystem::path& file, const std::map<std::string, std::string>& texts)
        : m_file(file), m_texts(texts) {}

    template <class T>
    void read(const std::string& key, T lowest, T& number) const {
        const auto found = m_texts.find(key);
        if (found == m_texts.end()) {
            refuse(m_file, "has no \"" + key + "\"");
        }
        const std::string& text = found->second;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        const bool whole = error == std::errc() && end == text.data() + text.size();
        if (!whole || !std::isfinite(static_cast<double>(number)) || number < lowest) {
            refuse(m_file, fmt::format("\"{}\" is \"{}\"", key, text));
        }
    }

private:
    const std::filesystem::path& m_file;
    const std::map<std::string, std::string>& m_texts;
};

void append(std::vector<storage::TensorView>& views, std::string_view prefix,
            const Weights& weights) {
    for (const auto& [name, tensor] : weights) {
        const bool wide = tensor.scalar_type() == at::kDouble;
        views.push_back({std::string(prefix) + name,
                         wide ? storage::Dtype::kF64 : storage::Dtype::kF32, tensor.sizes().vec(),
                         storage::Bytes(static_cast<const std::byte*>(tensor.const_data_ptr()),
                                        tensor.nbytes())});
    }
}

at::Tensor tensorOf(const std::filesystem::path& file, const storage::TensorView& view) {
    if (view.dtype != storage::Dtype::kF32 && view.dtype != storage::Dtype::kF64) {
        refuse(file, fmt::format("tensor \"{}\" is {}, expected F32 or F64", view.name,
                                 storage::nameOf(view.dtype)));
    }
    const auto dtype = view.dtype == storage::Dtype::kF64 ? at::kDouble : at::kFloat;
    at::Tensor tensor = at::empty(view.shape, at::TensorOptions().dtype(dtype));
    std::memcpy(tensor.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
    return tensor;
}

std::vector<std::filesystem::path> checkpointsIn(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(kNameBegin) && name.ends_with(kNameEnd)) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace

void writeCheckpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
    std::vector<storage::TensorView> views;
    append(views, "", checkpoint.weights);
    append(views, kFirst, checkpoint.first);
    append(views, kSecond, checkpoint.second);
    storage::writeSafetensors(file, views,
                              {{"format", std::string(kFormat)},
                               {"step", textOf(checkpoint.step)},
                               {"tokens", textOf(checkpoint.tokens)},
                               {"cpu_seconds", textOf(checkpoint.cpuSeconds)},
                               {"peak_rate", textOf(checkpoint.peakRate)},
                               {"good_evaluations", textOf(checkpoint.goodEvaluations)},
                               {"stage", textOf(checkpoint.curriculum.stage)},
                               {"steps_in_stage", textOf(checkpoint.curriculum.stepsInStage)},
                               {"mean_accuracy", textOf(checkpoint.curriculum.meanAccuracy)},
                               {"experiment", checkpoint.experiment}});
}

Checkpoint readCheckpoint(const std::filesystem::path& file) {
    const auto content = storage::Safetensors::read(file);
    const auto& texts = content.metadata();
    if (const auto format = texts.find("format");
        format == texts.end() || format->second != kFormat) {
        refuse(file, "is no checkpoint of this program (metadata \"format\" is not \"" +
                         std::string(kFormat) + "\")");
    }
    Checkpoint checkpoint;
    const Numbers numbers(file, texts);
    numbers.read<std::int64_t>("step", 0, checkpoint.step);
    numbers.read<std::int64_t>("tokens", 0, checkpoint.tokens);
    numbers.read("cpu_seconds", 0.0, checkpoint.cpuSeconds);
    numbers.read("peak_rate", 0.0, checkpoint.peakRate);
    numbers.read("good_evaluations", 0, checkpoint.goodEvaluations);
    numbers.read("stage", 0, checkpoint.curriculum.stage);
    numbers.read<std::int64_t>("steps_in_stage", 0, checkpoint.curriculum.stepsInStage);
    numbers.read("mean_accuracy", 0.0, checkpoint.curriculum.meanAccuracy);
    if (const auto experiment = texts.find("experiment"); experiment != texts.end()) {
        checkpoint.experiment = experiment->second;
    }
    for (const auto& view : content.tensors()) {
        const std::string_view name = view.name;
        if (name.starts_with(kFirst)) {
            checkpoint.first[view.name.substr(kFirst.size())] = tensorOf(file, view);
        } else if (name.starts_with(kSecond)) {
            checkpoint.second[view.name.substr(kSecond.size())] = tensorOf(file, view);
        } else {
            checkpoint.weights[view.name] = tensorOf(file, view);
        }
    }
    return checkpoint;
}

std::string checkpointFileName(std::int64_t step) {
    return fmt::format("{}{:09}{}", kNameBegin, step, kNameEnd);
}

std::filesystem::path newestCheckpoint(const std::filesystem::path& folder) {
    const auto files = checkpointsIn(folder);
    return files.empty() ? std::filesystem::path() : files.back();
}

void keepNewestCheckpoints(const std::filesystem::path& folder, int count) {
    auto files = checkpointsIn(folder);
    while (files.size() > static_cast<std::size_t>(count)) {
        std::error_code ignored;  // a file that stays costs disk space alone
        std::filesystem::remove(files.front(), ignored);
        files.erase(files.begin());
    }
}

}  // namespace lab::training
