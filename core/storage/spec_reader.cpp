#include "core/storage/spec_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <type_traits>

#include "core/storage/spec_fields.h"
#include "core/storage/spec_toml.h"

namespace lab::storage {
namespace {

/// A text as a message shows it: not endless, and not cut within a character.
std::string quoted(const std::string& text) {
    std::size_t shown = std::min<std::size_t>(text.size(), 60);
    while (shown < text.size() && shown > 0 &&
           (static_cast<unsigned char>(text[shown]) >> 6U) == 2) {
        --shown;
    }
    return "\"" + text.substr(0, shown) + (shown < text.size() ? "...\"" : "\"");
}

/// A value as a message shows it.
std::string shown(const toml::node& node) {
    if (const auto* text = node.as_string()) {
        return quoted(text->get());
    }
    if (const auto* number = node.as_integer()) {
        return std::to_string(number->get());
    }
    if (const auto* flag = node.as_boolean()) {
        return flag->get() ? "true" : "false";
    }
    if (const auto* real = node.as_floating_point()) {
        std::ostringstream out;
        out << real->get();
        return out.str();
    }
    if (node.is_table()) {
        return "a table";
    }
    return node.is_array() ? "an array" : "a date or time";
}

template <class E>
std::string listOf() {
    std::string list;
    for (const std::string_view name : values::namesOf<E>()) {
        list += (list.empty() ? "" : ", ") + std::string(name);
    }
    return list;
}

/// Takes the values of one table, by key.
class TableReader {
public:
    /// `path` names the table in messages, "" for the root.
    TableReader(const toml::table& table, std::string path, SpecReading& reading)
        : m_table(table), m_path(std::move(path)), m_reading(reading) {
        m_reading.places[m_path] = table.source().begin;
    }

    void operator()(std::string_view key, std::string& value) {
        if (const toml::node* node = take(key)) {
            const auto* text = node->as_string();
            text != nullptr ? void(value = text->get()) : wrong(key, *node, "a text");
        }
    }
    void operator()(std::string_view key, bool& value) {
        if (const toml::node* node = take(key)) {
            const auto* flag = node->as_boolean();
            flag != nullptr ? void(value = flag->get()) : wrong(key, *node, "true or false");
        }
    }
    void operator()(std::string_view key, double& value) {
        if (const toml::node* node = take(key)) {
            const auto number = node->value<double>();  // also from whole numbers
            number && node->is_number() ? void(value = *number) : wrong(key, *node, "a number");
        }
    }
    void operator()(std::string_view key, int& value) { whole(key, value); }
    void operator()(std::string_view key, std::int64_t& value) { whole(key, value); }
    /// A seed: a whole number from 0, or its digits as text.
    void operator()(std::string_view key, std::uint64_t& value) {
        const toml::node* node = take(key);
        if (node == nullptr) {
            return;
        }
        const auto* number = node->as_integer();
        if (number != nullptr && number->get() >= 0) {
            value = static_cast<std::uint64_t>(number->get());
            return;
        }
        const auto* text = node->as_string();
        if (text == nullptr || !fromDigits(text->get(), value)) {
            wrong(key, *node, "a whole number from 0 to 2^64 - 1 (above 2^63 - 1 as text)");
        }
    }
    template <class E>
    requires std::is_enum_v<E>
    void operator()(std::string_view key, E& value) {
        if (const toml::node* node = take(key)) {
            const auto* text = node->as_string();
            const auto found = text == nullptr ? std::nullopt : values::fromName<E>(text->get());
            found ? void(value = *found) : wrong(key, *node, "one of " + listOf<E>());
        }
    }
    void operator()(std::string_view key, std::vector<values::TraceLength>& value) {
        const toml::node* node = take(key);
        if (node == nullptr) {
            return;
        }
        const auto* array = node->as_array();
        if (array == nullptr) {
            return wrong(key, *node, "a list of [commands, spacing]");
        }
        std::vector<values::TraceLength> lengths;
        for (const toml::node& element : *array) {
            const std::string place = std::string(key) + "[" + std::to_string(lengths.size()) + "]";
            lengths.push_back(lengthIn(element, place));
        }
        value = std::move(lengths);
    }

    /// The table or array below a key, or null; unlike a field it is read by the caller.
    const toml::node* take(std::string_view key) {
        m_known.insert(std::string(key));
        const toml::node* node = m_table.get(key);
        if (node != nullptr) {
            m_reading.places[pathOf(key)] = node->source().begin;
        }
        return node;
    }
    void wrong(std::string_view key, const toml::node& node, const std::string& wanted) {
        m_reading.findings.push_back(
            {node.source().begin, pathOf(key), "is " + shown(node) + ", must be " + wanted});
    }
    /// Records the keys that nothing asked for.
    void finish() {
        for (const auto& [key, node] : m_table) {
            if (!m_known.contains(std::string(key.str()))) {
                m_reading.unknown.push_back({key.source().begin, pathOf(key.str()), ""});
            }
        }
    }

private:
    [[nodiscard]] std::string pathOf(std::string_view key) const {
        return m_path.empty() ? std::string(key) : m_path + "." + std::string(key);
    }
    static bool fromDigits(const std::string& text, std::uint64_t& value) {
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        return error == std::errc() && stop == end;
    }
    template <class T>
    void whole(std::string_view key, T& value) {
        if (const toml::node* node = take(key)) {
            wholeIn(key, *node, value);
        }
    }
    template <class T>
    void wholeIn(std::string_view key, const toml::node& node, T& value) {
        const auto* number = node.as_integer();
        if (number == nullptr) {
            return wrong(key, node, "a whole number");
        }
        if (number->get() < std::numeric_limits<T>::min() ||
            number->get() > std::numeric_limits<T>::max()) {
            return wrong(key, node, "a whole number of at most 32 bits");
        }
        value = static_cast<T>(number->get());
    }
    values::TraceLength lengthIn(const toml::node& node, const std::string& place) {
        values::TraceLength length;
        m_reading.places[pathOf(place)] = node.source().begin;
        const auto* pair = node.as_array();
        if (pair == nullptr || pair->size() != 2) {
            wrong(place, node, "[commands, spacing]");
            return length;
        }
        wholeIn(place + ".commands", *pair->get(0), length.commands);
        wholeIn(place + ".spacing", *pair->get(1), length.spacing);
        m_reading.places[pathOf(place + ".commands")] = pair->get(0)->source().begin;
        m_reading.places[pathOf(place + ".spacing")] = pair->get(1)->source().begin;
        return length;
    }

    const toml::table& m_table;
    std::string m_path;
    SpecReading& m_reading;
    std::set<std::string> m_known;
};

/// False: the text is of a newer schema, so that nothing else in it can be judged.
bool checkSchema(TableReader& root, SpecReading& reading) {
    const toml::node* node = root.take("schema");
    if (node == nullptr) {
        return true;
    }
    const auto schema = node->is_integer() ? node->value<std::int64_t>() : std::nullopt;
    if (schema && *schema > kSpecSchema) {
        reading.findings.push_back({node->source().begin, "schema",
                                    "is " + std::to_string(*schema) + ", but this program reads " +
                                        std::to_string(kSpecSchema) +
                                        ": update Thimblerig to open this file"});
        return false;
    }
    if (!schema || *schema < 1) {
        root.wrong("schema", *node, std::to_string(kSpecSchema));
    }
    return true;
}

template <class Section>
void readSection(TableReader& root, std::string_view key, Section& section, SpecReading& reading) {
    const toml::node* node = root.take(key);
    if (node == nullptr) {
        return;
    }
    if (!node->is_table()) {
        return root.wrong(key, *node, "a table: write [" + std::string(key) + "]");
    }
    TableReader table(*node->as_table(), std::string(key), reading);
    visit(section, table);
    table.finish();
}

void readModels(TableReader& root, SpecReading& reading) {
    const toml::node* node = root.take("model");
    if (node == nullptr) {
        return;
    }
    const auto* array = node->as_array();
    const bool tables =
        array != nullptr &&
        std::all_of(array->begin(), array->end(), [](const toml::node& e) { return e.is_table(); });
    if (!tables) {
        return root.wrong("model", *node, "a table for each model: write [[model]]");
    }
    reading.places["models"] = node->source().begin;
    reading.spec.models.clear();
    for (const toml::node& element : *array) {
        const std::string path = "models[" + std::to_string(reading.spec.models.size()) + "]";
        TableReader table(*element.as_table(), path, reading);
        visit(reading.spec.models.emplace_back(), table);
        table.finish();
    }
}

/// Where `field` was set, or the nearest thing around it.
toml::source_position placeOf(const SpecReading& reading, std::string field) {
    for (;;) {
        const auto at = reading.places.find(field);
        if (at != reading.places.end() && at->second) {
            return at->second;
        }
        const auto cut = field.find_last_of(".[");
        if (cut == std::string::npos) {
            return {1, 1};
        }
        field.resize(cut);
    }
}

}  // namespace

SpecReading readSpec(const toml::table& root) {
    SpecReading reading;
    TableReader table(root, "", reading);
    if (!checkSchema(table, reading)) {
        return reading;
    }
    visitHead(reading.spec, table);
    readSection(table, "task", reading.spec.task, reading);
    readModels(table, reading);
    readSection(table, "training", reading.spec.training, reading);
    readSection(table, "evaluation", reading.spec.evaluation, reading);
    table.finish();
    const bool typesGood = reading.findings.empty();  // else a default might be blamed
    for (const values::Problem& problem : values::problemsIn(reading.spec)) {
        if (typesGood || reading.places.contains(problem.field)) {
            const auto same = [&](const Finding& f) { return f.field == problem.field; };
            if (std::ranges::none_of(reading.findings, same)) {
                reading.findings.push_back(
                    {placeOf(reading, problem.field), problem.field, problem.text});
            }
        }
    }
    std::ranges::stable_sort(reading.findings,
                             [](const Finding& a, const Finding& b) { return a.at < b.at; });
    return reading;
}

}  // namespace lab::storage
