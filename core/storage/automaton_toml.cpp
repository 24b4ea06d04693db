#include "core/storage/automaton_toml.h"

#include <map>
#include <sstream>

#include "core/storage/automaton_reading.h"
#include "core/storage/toml_library.h"
#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& message) {
    throw values::LabError(values::LabError::Kind::kInvalidInput, message);
}

std::string placeOf(const std::string& source, toml::source_position at) {
    return source + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

/// The same values as JSON, and where each field stands.
class Converter {
public:
    explicit Converter(std::string source) : m_source(std::move(source)) {}

    json convert(const toml::node& node, const std::string& field) {
        m_places.try_emplace(field, node.source().begin);
        if (const auto* table = node.as_table()) {
            json object = json::object();
            for (const auto& [key, value] : *table) {
                const std::string name(key.str());
                std::string path = field;
                path += field.empty() ? "" : ".";
                path += name;
                object[name] = convert(value, path);
            }
            return object;
        }
        if (const auto* array = node.as_array()) {
            json list = json::array();
            for (const toml::node& value : *array) {
                list.push_back(convert(value, field));
            }
            return list;
        }
        if (const auto text = node.value_exact<std::string>()) {
            return *text;
        }
        if (const auto whole = node.value_exact<std::int64_t>()) {
            return *whole;
        }
        if (const auto number = node.value_exact<double>()) {
            return *number;
        }
        if (const auto truth = node.value_exact<bool>()) {
            return *truth;
        }
        refuse(placeOf(m_source, node.source().begin) + ": " + field +
               ": is a date or a time, must be a text, a number, a list or a table");
    }

    /// Of the field, or of the nearest that contains it.
    [[nodiscard]] std::string place(std::string field) const {
        for (;;) {
            if (const auto found = m_places.find(field);
                found != m_places.end() && !field.empty()) {
                return placeOf(m_source, found->second);
            }
            const std::size_t dot = field.rfind('.');
            if (dot == std::string::npos) {
                return m_source + ":1:1";
            }
            field.resize(dot);
        }
    }

private:
    std::string m_source;
    std::map<std::string, toml::source_position> m_places;
};

}  // namespace

AutomatonCase automatonFromToml(std::string_view text, const std::string& source) {
    toml::table root;
    try {
        root = toml::parse(text, source);
    } catch (const toml::parse_error& error) {
        refuse(placeOf(source, error.source().begin) + ": " + std::string(error.description()));
    } catch (const TomlFault&) {
        refuse(source + ":1:1: this is no TOML; a table's name may be incomplete, as in \"[.\"");
    }
    Converter converter(source);
    const json object = converter.convert(root, "");
    return readAutomaton(object, [&](const std::string& field) { return converter.place(field); });
}

}  // namespace lab::storage
