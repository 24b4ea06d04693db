// Verdicts and contents are those of the Python package safetensors 0.8.0: see the README in
// tests/golden/safetensors.
#include "core/storage/safetensors.h"

#include <gmock/gmock.h>

#include <array>
#include <nlohmann/json.hpp>

#include "core/values/lab_error.h"
#include "tests/core/storage/scratch_folder.h"

namespace lab::storage {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;
using values::LabError;

const std::filesystem::path kGolden = std::filesystem::path(LAB_GOLDEN_DIR) / "safetensors";

json load(const std::string& name) {
    return json::parse(contentOf(kGolden / name));
}

std::string hexOf(Bytes bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string hex;
    for (const std::byte byte : bytes) {
        hex += kDigits[std::to_integer<unsigned>(byte) >> 4U];
        hex += kDigits[std::to_integer<unsigned>(byte) & 15U];
    }
    return hex;
}

std::vector<std::byte> bytesOf(const std::string& text) {
    const Bytes bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> fromBase64(const std::string& text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::vector<std::byte> bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char c : text.substr(0, text.find('='))) {
        bits = bits << 6U | static_cast<unsigned>(kDigits.find(c));
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes.push_back(static_cast<std::byte>(bits >> static_cast<unsigned>(count) & 255U));
        }
    }
    return bytes;
}

/// The same claims as in the golden set about one accepted file.
void expectContents(const Safetensors& file, const json& expected) {
    const json& tensors = expected.at("tensors");
    EXPECT_EQ(file.tensors().size(), expected.value("tensor_count", tensors.size()));
    for (const auto& [name, wanted] : tensors.items()) {
        const TensorView* const tensor = file.find(name);
        ASSERT_NE(tensor, nullptr) << name;
        EXPECT_EQ(nameOf(tensor->dtype), wanted.at("dtype").get<std::string>()) << name;
        EXPECT_EQ(json(tensor->shape), wanted.at("shape")) << name;
        EXPECT_EQ(hexOf(tensor->bytes), wanted.at("hex").get<std::string>()) << name;
    }
    if (expected.contains("metadata")) {  // the mutations do not record it
        const json& metadata = expected.at("metadata");
        EXPECT_EQ(json(file.metadata()), metadata.is_object() ? metadata : json::object());
    }
}

std::string refusalOf(const std::vector<std::byte>& bytes) {
    try {
        static_cast<void>(Safetensors::parse(bytes, "file"));
    } catch (const LabError& error) {
        EXPECT_EQ(error.kind(), LabError::Kind::kInvalidInput);
        return error.what();
    }
    return "";
}

/// A file with the given header, an honest length field and `dataBytes` zeros.
std::vector<std::byte> fileWith(const std::string& header, std::size_t dataBytes) {
    std::string text(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) {
        text[i] = static_cast<char>(header.size() >> (8 * i) & 255U);
    }
    return bytesOf(text + header + std::string(dataBytes, '\0'));
}

TEST(Safetensors, AgreesWithTheReferenceReaderOnEveryGoldenFile) {
    int accepted = 0;
    int refused = 0;
    const json golden = load("verdicts.json");
    for (const json& wanted : golden.at("cases")) {
        const auto file = kGolden / wanted.at("file").get<std::string>();
        SCOPED_TRACE(file.filename().string() + ": " + wanted.at("note").get<std::string>());
        ASSERT_EQ(std::filesystem::file_size(file), wanted.at("bytes").get<std::uintmax_t>());
        try {
            const Safetensors read = Safetensors::read(file);
            EXPECT_EQ(wanted.at("verdict"), "accept");
            EXPECT_EQ(readSafetensorsHeader(file).tensors.size(), read.tensors().size());
            expectContents(read, wanted);
            ++accepted;
        } catch (const LabError& error) {
            EXPECT_TRUE(wanted.at("verdict") == "reject" ||
                        wanted.value("strict_refusal_ok", false))
                << error.what();
            EXPECT_THAT(error.what(), StartsWith(file.string() + ": "));
            EXPECT_THROW(static_cast<void>(readSafetensorsHeader(file)), LabError);
            ++refused;
        }
    }
    EXPECT_EQ(accepted + refused, 130);
    EXPECT_GE(accepted, 27);
}

TEST(Safetensors, AgreesWithTheReferenceReaderOnEveryMutation) {
    int accepted = 0;
    const json golden = load("mutations.json");
    for (const json& wanted : golden.at("cases")) {
        const auto bytes = fromBase64(wanted.at("base64"));
        SCOPED_TRACE(wanted.at("base64").get<std::string>());
        try {
            const Safetensors read = Safetensors::parse(bytes, "mutation");
            EXPECT_EQ(wanted.at("verdict"), "accept");
            expectContents(read, wanted);
            ++accepted;
        } catch (const LabError& error) {
            EXPECT_EQ(wanted.at("verdict"), "reject") << error.what();
        }
    }
    EXPECT_EQ(accepted, 42);
}

TEST(Safetensors, SaysWhichTensorAndWhichFieldIsWrong) {
    EXPECT_THAT(refusalOf(fileWith(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4)),
                HasSubstr("file: tensor \"a\": data_offsets [0, 4] holds 4 bytes, but dtype and "
                          "shape need 8"));
    EXPECT_THAT(refusalOf(fileWith(R"({"a":{"dtype":"F4","shape":[2],"data_offsets":[0,1]}})", 1)),
                HasSubstr("tensor \"a\": dtype is F4"));
    EXPECT_THAT(refusalOf(fileWith(R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", 1)),
                HasSubstr("tensor \"a\": shape contains the number -1"));
    EXPECT_THAT(refusalOf(fileWith(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})", 1)),
                HasSubstr("header byte 5"));
    EXPECT_THAT(refusalOf(fileWith(R"({"__metadata__":{"k":1}})", 0)),
                HasSubstr("__metadata__: \"k\" is the number 1, must be a text"));
}

TEST(Safetensors, EveryTruncationAndEveryLongerFileIsRefused) {
    const std::string whole = contentOf(kGolden / "lib_metadata.safetensors");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        EXPECT_NE(refusalOf(bytesOf(whole.substr(0, length))), "") << length;
    }
    EXPECT_EQ(refusalOf(bytesOf(whole)), "");
    EXPECT_THAT(refusalOf(bytesOf(whole + "x")), HasSubstr("1 bytes stand behind the last tensor"));
}

TEST(Safetensors, WhatIsWrittenIsReadBackAndEqualContentGivesEqualBytes) {
    const ScratchFolder folder;
    const std::array<float, 3> floats{1.5F, -2.0F, 0.25F};
    const std::array<std::int64_t, 1> step{1234567890123};
    const std::array<std::uint8_t, 3> flags{1, 0, 1};
    const std::vector<TensorView> tensors{
        {"z.flags", Dtype::kBool, {3}, std::as_bytes(std::span(flags))},
        {"b \"quoted\" \xE2\x98\x83", Dtype::kF32, {3, 1}, std::as_bytes(std::span(floats))},
        {"step", Dtype::kI64, {}, std::as_bytes(std::span(step))},
        {"a", Dtype::kF32, {0, 4}, {}}};
    const std::map<std::string, std::string> metadata{{"format", "pt"}, {"note", "two\nlines"}};
    writeSafetensors(folder / "one", tensors, metadata);
    const std::vector<TensorView> reversed(tensors.rbegin(), tensors.rend());
    writeSafetensors(folder / "two", reversed, metadata);
    EXPECT_EQ(contentOf(folder / "one"), contentOf(folder / "two"));

    const Safetensors read = Safetensors::read(folder / "one");
    EXPECT_EQ(read.metadata(), metadata);
    std::vector<std::string> order;
    for (const TensorView& tensor : read.tensors()) {
        order.push_back(tensor.name);
    }
    EXPECT_EQ(order, (std::vector<std::string>{"step", "a", tensors[1].name, "z.flags"}));
    for (const TensorView& tensor : tensors) {
        const TensorView* const found = read.find(tensor.name);
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->shape, tensor.shape);
        EXPECT_EQ(hexOf(found->bytes), hexOf(tensor.bytes));
    }
    EXPECT_EQ(std::to_integer<unsigned>(bytesOf(contentOf(folder / "one"))[0]) % 8, 0U);
}

TEST(Safetensors, WhatTheReaderWouldRefuseIsNotWritten) {
    const ScratchFolder folder;
    const std::array<std::byte, 4> bytes{};
    const auto write = [&](const std::vector<TensorView>& tensors) {
        writeSafetensors(folder / "x", tensors);
    };
    EXPECT_THROW(write({{"a", Dtype::kF32, {2}, bytes}}), LabError);
    EXPECT_THROW(write({{"a", Dtype::kF32, {1}, bytes}, {"a", Dtype::kI32, {1}, bytes}}), LabError);
    EXPECT_THROW(write({{"\xFF", Dtype::kF32, {1}, bytes}}), LabError);
    EXPECT_THROW(write({{"__metadata__", Dtype::kF32, {1}, bytes}}), LabError);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace lab::storage
