// Reads the safetensors files of tests/golden: trusted input, so a broken file throws.
#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace lab::kernels::testing {

struct GoldenTensor {
    std::vector<int> shape;
    std::vector<double> values;  ///< int64 widened
};

class Golden {
public:
    explicit Golden(const std::string& name) {
        const std::string path = std::string(LAB_GOLDEN_DIR) + "/" + name + ".safetensors";
        std::ifstream file(path, std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        std::uint64_t length = 0;
        if (bytes.size() < sizeof length) {
            throw std::runtime_error("cannot read " + path);
        }
        std::memcpy(&length, bytes.data(), sizeof length);
        const auto header = nlohmann::json::parse(bytes.substr(sizeof length, length));
        for (const auto& [key, entry] : header.items()) {
            if (key == "__metadata__") {
                continue;
            }
            const std::size_t begin = entry.at("data_offsets").at(0);
            const std::size_t end = entry.at("data_offsets").at(1);
            const char* const data = bytes.data() + sizeof length + length + begin;
            GoldenTensor tensor;
            tensor.shape = entry.at("shape").get<std::vector<int>>();
            if (entry.at("dtype") == "BOOL") {
                continue;  // masks: said in words by the options
            }
            for (std::size_t at = 0; at < end - begin; at += 8) {
                tensor.values.push_back(entry.at("dtype") == "I64"
                                            ? static_cast<double>(read<std::int64_t>(data + at))
                                            : read<double>(data + at));
            }
            m_tensors[key] = tensor;
        }
    }
    /// Empty when the file has no such tensor.
    [[nodiscard]] std::vector<double> values(const std::string& name) const {
        const auto found = m_tensors.find(name);
        return found == m_tensors.end() ? std::vector<double>{} : found->second.values;
    }
    [[nodiscard]] int extent(const std::string& name, std::size_t axis) const {
        return m_tensors.at(name).shape.at(axis);
    }

    /// Of the last axis.
    [[nodiscard]] int last(const std::string& name) const {
        return m_tensors.at(name).shape.back();
    }

private:
    template <class T>
    static T read(const char* from) {
        T value;
        std::memcpy(&value, from, sizeof value);
        return value;
    }
    std::map<std::string, GoldenTensor> m_tensors;
};

}  // namespace lab::kernels::testing
