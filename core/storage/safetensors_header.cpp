#include "core/storage/safetensors_header.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

using nlohmann::json;

struct DtypeRow {
    std::string_view name;
    int bytes;
};
/// In enumerator order.
constexpr std::array<DtypeRow, 19> kDtypes{{{"BOOL", 1},
                                            {"U8", 1},
                                            {"I8", 1},
                                            {"F8_E5M2", 1},
                                            {"F8_E4M3", 1},
                                            {"F8_E8M0", 1},
                                            {"F8_E4M3FNUZ", 1},
                                            {"F8_E5M2FNUZ", 1},
                                            {"I16", 2},
                                            {"U16", 2},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"I32", 4},
                                            {"U32", 4},
                                            {"F32", 4},
                                            {"C64", 8},
                                            {"F64", 8},
                                            {"I64", 8},
                                            {"U64", 8}}};
constexpr std::array<std::string_view, 3> kSubByte{"F4", "F6_E2M3", "F6_E3M2"};
constexpr std::uint64_t kMaxDimension = 0x7FFF'FFFF'FFFF'FFFFU;

[[noreturn]] void refuse(const std::string& source, const std::string& what) {
    throw values::LabError(values::LabError::Kind::kInvalidInput, source + ": " + what);
}

/// A name as a message shows it: quoted, escaped, not endless.
std::string shownName(const std::string& name) {
    constexpr std::size_t kShown = 80;
    const std::string text =
        json(name).dump(-1, ' ', /*ensure_ascii=*/true, json::error_handler_t::replace);
    return text.size() <= kShown ? text : text.substr(0, kShown) + "...\"";
}

/// For a message: bytes that are no printable ASCII become question marks.
std::string printable(std::string_view text) {
    std::string result(text);
    std::ranges::replace_if(
        result, [](char c) { return c < ' ' || c > '~'; }, '?');
    return result;
}

/// The value `a * b`, or nothing when it passes 2^64.
std::optional<std::uint64_t> product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t result = 0;
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

/// Follows the JSON as events, so that nothing is built that the format does not allow: every
/// nesting deeper than an entry's arrays, every repeated key and every other type ends the parse.
class HeaderEvents : public json::json_sax_t {
public:
    explicit HeaderEvents(const std::string& source) : m_source(source) {}
    SafetensorsHeader header;

    bool start_object(std::size_t) override {
        if (m_place == Place::kOutside) {
            m_place = Place::kTop;
        } else if (m_place == Place::kEntry) {
            m_place = m_name == "__metadata__" ? Place::kMetadata : Place::kField;
            m_seen.clear();
        } else {
            unexpected("an object");
        }
        return true;
    }
    bool end_object() override {
        if (m_place == Place::kField) {
            finishEntry();
        }
        m_place = m_place == Place::kTop ? Place::kOutside : Place::kTop;
        return true;
    }
    bool key(string_t& name) override {
        if (m_place == Place::kTop) {
            startEntry(name);
        } else if (m_place == Place::kMetadata) {
            m_field = name;
            if (!header.metadata.emplace(name, "").second) {
                fail("key " + shownName(name) + " stands there twice");
            }
        } else {
            startField(name);
        }
        return true;
    }
    bool start_array(std::size_t) override {
        if (m_place == Place::kField && (m_field == "shape" || m_field == "data_offsets")) {
            m_place = Place::kArray;
        } else {
            unexpected("an array");
        }
        return true;
    }
    bool end_array() override {
        if (m_field == "shape") {
            m_entry.shape.assign(m_numbers.begin(), m_numbers.end());
        } else if (m_numbers.size() != 2) {
            fail("data_offsets has " + std::to_string(m_numbers.size()) +
                 " numbers, must have 2: begin and end");
        } else {
            m_entry.begin = m_numbers[0];
            m_entry.end = m_numbers[1];
        }
        m_numbers.clear();
        m_place = Place::kField;
        return true;
    }
    bool number_unsigned(number_unsigned_t number) override {
        if (m_place != Place::kArray) {
            unexpected("the number " + std::to_string(number));
        }
        if (m_field == "shape" && number > kMaxDimension) {
            fail("shape has the dimension " + std::to_string(number) + ", must be below 2^63");
        }
        m_numbers.push_back(number);
        return true;
    }
    bool string(string_t& text) override {
        if (m_place == Place::kMetadata) {
            header.metadata[m_field] = text;
        } else if (m_place == Place::kField && m_field == "dtype") {
            setDtype(text);
        } else {
            unexpected("the text " + shownName(text));
        }
        return true;
    }
    bool number_integer(number_integer_t number) override {
        unexpected("the number " + std::to_string(number));
    }
    bool number_float(number_float_t, const string_t& text) override {
        unexpected("the number " + text.substr(0, 40));
    }
    bool null() override { unexpected("null"); }
    bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
    bool binary(binary_t&) override { unexpected("binary data"); }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& error) override {
        const std::string_view what = error.what();
        const auto detail = what.find("- ");  // behind nlohmann's own position
        refuse(m_source, "header byte " + std::to_string(position) + " is no valid JSON" +
                             (detail == std::string_view::npos
                                  ? std::string()
                                  : ": " + printable(what.substr(detail + 2, 200))));
    }

private:
    enum class Place { kOutside, kTop, kEntry, kField, kArray, kMetadata };

    void startEntry(const std::string& name) {
        m_name = name;
        m_place = Place::kEntry;
        m_field.clear();
        m_entry = TensorEntry{};
        m_entry.name = name;
        if (!m_names.insert(name).second) {
            refuse(m_source, "tensor " + shownName(name) + " stands there twice");
        }
    }
    void startField(const std::string& name) {
        if (name != "dtype" && name != "shape" && name != "data_offsets") {
            fail("unknown key " + shownName(name) + ", must be dtype, shape or data_offsets");
        }
        if (std::ranges::find(m_seen, name) != m_seen.end()) {
            fail(name + " stands there twice");
        }
        m_seen.push_back(name);
        m_field = name;
    }
    void setDtype(const std::string& text) {
        if (std::ranges::find(kSubByte, text) != kSubByte.end()) {
            fail("dtype is " + text + ", whose elements do not fill bytes: not supported");
        }
        const auto dtype = dtypeFromName(text);
        if (!dtype) {
            fail("dtype is " + shownName(text) + ", which this program does not know");
        }
        m_entry.dtype = *dtype;
    }
    void finishEntry() {
        for (const char* needed : {"dtype", "shape", "data_offsets"}) {
            if (std::ranges::find(m_seen, needed) == m_seen.end()) {
                fail(std::string(needed) + " is missing");
            }
        }
        std::optional<std::uint64_t> bytes = 1;
        for (const std::int64_t dimension : m_entry.shape) {
            bytes = bytes ? product(*bytes, static_cast<std::uint64_t>(dimension)) : bytes;
        }
        bytes = bytes ? product(*bytes, static_cast<std::uint64_t>(bytesOf(m_entry.dtype))) : bytes;
        if (!bytes) {
            fail("shape describes more than 2^64 bytes");
        }
        if (m_entry.begin > m_entry.end) {
            fail(offsets() + ": begin lies behind end");
        }
        if (m_entry.end - m_entry.begin != *bytes) {
            fail(offsets() + " holds " + std::to_string(m_entry.end - m_entry.begin) +
                 " bytes, but dtype and shape need " + std::to_string(*bytes));
        }
        header.tensors.push_back(std::move(m_entry));
    }
    [[nodiscard]] std::string offsets() const {
        return "data_offsets [" + std::to_string(m_entry.begin) + ", " +
               std::to_string(m_entry.end) + "]";
    }
    [[noreturn]] void fail(const std::string& what) const {
        refuse(m_source,
               (m_name == "__metadata__" ? m_name : "tensor " + shownName(m_name)) + ": " + what);
    }
    [[noreturn]] void unexpected(const std::string& found) const {
        if (m_place == Place::kOutside) {
            refuse(m_source, "the header is " + found + ", must be a JSON object");
        }
        switch (m_place) {
            case Place::kMetadata: fail(shownName(m_field) + " is " + found + ", must be a text");
            case Place::kArray:
                fail(m_field + " contains " + found + ", must be whole numbers from 0");
            case Place::kField:
                fail(m_field + " is " + found + ", must be " +
                     (m_field == "dtype" ? "a text" : "an array of whole numbers"));
            default: fail("is " + found + ", must be an object");
        }
    }

    const std::string& m_source;
    Place m_place = Place::kOutside;
    std::string m_name;   // of the entry
    std::string m_field;  // key within the entry or the metadata
    std::vector<std::string> m_seen;
    std::vector<std::uint64_t> m_numbers;
    TensorEntry m_entry;
    std::set<std::string> m_names;
};

/// Sorts the tensors by their bytes; they must tile [0, dataBytes).
void checkTiling(SafetensorsHeader& header, std::uint64_t dataBytes, const std::string& source) {
    std::ranges::stable_sort(header.tensors, [](const TensorEntry& a, const TensorEntry& b) {
        return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const TensorEntry& tensor : header.tensors) {
        const std::string which = "tensor " + shownName(tensor.name) + ": data_offsets [" +
                                  std::to_string(tensor.begin) + ", " + std::to_string(tensor.end) +
                                  "]";
        if (tensor.begin != at) {
            refuse(source, which +
                               (tensor.begin < at ? " overlaps the tensor before, which ends at "
                                                  : " leaves a hole behind byte ") +
                               std::to_string(at));
        }
        if (tensor.end > dataBytes) {
            refuse(source, which + " ends behind the data, which has " + std::to_string(dataBytes) +
                               " bytes: the file is cut off");
        }
        at = tensor.end;
    }
    if (at != dataBytes) {
        refuse(source, std::to_string(dataBytes - at) + " bytes stand behind the last tensor");
    }
}

}  // namespace

int bytesOf(Dtype dtype) noexcept {
    return kDtypes[static_cast<std::size_t>(dtype)].bytes;
}

std::string_view nameOf(Dtype dtype) noexcept {
    return kDtypes[static_cast<std::size_t>(dtype)].name;
}

std::optional<Dtype> dtypeFromName(std::string_view name) noexcept {
    const auto* const at = std::ranges::find(kDtypes, name, &DtypeRow::name);
    return at == kDtypes.end() ? std::nullopt
                               : std::optional(static_cast<Dtype>(at - kDtypes.begin()));
}

std::uint64_t headerLength(std::string_view firstEight, std::uint64_t fileBytes,
                           const std::string& source) {
    if (fileBytes < 8 || firstEight.size() < 8) {
        refuse(source,
               "is " + std::to_string(fileBytes) + " bytes long, too short for a safetensors file");
    }
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) {
        length = length << 8U | static_cast<unsigned char>(firstEight[i]);
    }
    if (length > kMaxHeaderBytes) {
        refuse(source, "the header length is " + std::to_string(length) + ", must be at most " +
                           std::to_string(kMaxHeaderBytes) + ": is this a safetensors file?");
    }
    if (length > fileBytes - 8) {
        refuse(source, "the header length is " + std::to_string(length) + ", but only " +
                           std::to_string(fileBytes - 8) + " bytes follow: the file is cut off");
    }
    return length;
}

SafetensorsHeader parseHeader(std::string_view text, std::uint64_t dataBytes,
                              const std::string& source) {
    if (text.starts_with("\xEF\xBB\xBF")) {  // the parser would skip it
        refuse(source, "the header begins with a byte order mark");
    }
    if (const auto at = text.find('\0'); at != std::string_view::npos) {
        refuse(source, "header byte " + std::to_string(at) + " is NUL, which JSON does not allow");
    }
    HeaderEvents events(source);
    json::sax_parse(text.begin(), text.end(), &events);
    checkTiling(events.header, dataBytes, source);
    return std::move(events.header);
}

}  // namespace lab::storage
