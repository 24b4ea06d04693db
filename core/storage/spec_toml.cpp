#include "core/storage/spec_toml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>
#include <type_traits>
#include <utility>

#include "core/storage/spec_fields.h"
#include "core/storage/spec_reader.h"
#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

using values::LabError;

/// A TOML basic string.
std::string quoted(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += {'\\', c};
        } else if (c == '\n') {
            out += "\\n";
        } else if (byte < 0x20 || byte == 0x7F) {
            out += {'\\', 'u', '0', '0', kHex[byte >> 4U], kHex[byte & 15U]};
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string written(const std::string& value) {
    return quoted(value);
}
std::string written(bool value) {
    return value ? "true" : "false";
}
std::string written(int value) {
    return std::to_string(value);
}
std::string written(std::int64_t value) {
    return std::to_string(value);
}
std::string written(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    return value >> 63U == 0 ? digits : quoted(digits);  // TOML's integers have a sign
}
/// The shortest text that reads back as the same number.
std::string written(double value) {
    if (std::isnan(value)) {
        return "nan";
    }
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string text(buffer.data(), result.ptr);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}
template <class E>
requires std::is_enum_v<E> std::string written(E value) {
    return quoted(values::nameOf(value));
}
std::string written(const std::vector<values::TraceLength>& lengths) {
    std::string text;
    for (const values::TraceLength& length : lengths) {
        text += (text.empty() ? "[" : ", [") + std::to_string(length.commands) + ", " +
                std::to_string(length.spacing) + "]";
    }
    return "[" + text + "]";
}

/// Any TOML value on the right of an equals sign.
std::string written(toml::node& node) {
    if (auto* table = node.as_table()) {
        table->is_inline(true);
    }
    std::ostringstream out;
    out << toml::toml_formatter{node, toml::format_flags::allow_unicode_strings};
    return out.str();
}

std::string writtenKey(std::string_view key) {
    constexpr std::string_view kBare =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
    return bare ? std::string(key) : quoted(key);
}

/// Writes the lines of one table: the fields, then what `kept` has besides.
class TableWriter {
public:
    explicit TableWriter(std::string& out) : m_out(out) {}

    template <class T>
    void operator()(std::string_view key, const T& value) {
        m_out += std::string(key) + " = " + written(value) + "\n";
        m_known.insert(std::string(key));
    }
    void skip(std::string_view key) { m_known.insert(std::string(key)); }
    void keep(toml::table* kept) {
        if (kept == nullptr) {
            return;
        }
        for (auto&& [key, node] : *kept) {
            if (!m_known.contains(std::string(key.str()))) {
                m_out += writtenKey(key.str()) + " = " + written(node) + "\n";
            }
        }
    }

private:
    std::string& m_out;
    std::set<std::string> m_known;
};

toml::table* tableIn(toml::table& root, std::string_view key) {
    toml::node* node = root.get(key);
    return node == nullptr ? nullptr : node->as_table();
}

toml::table* modelIn(toml::table& root, std::size_t index) {
    toml::node* node = root.get("model");
    toml::array* models = node == nullptr ? nullptr : node->as_array();
    toml::node* model = models == nullptr || index >= models->size() ? nullptr : models->get(index);
    return model == nullptr ? nullptr : model->as_table();
}

template <class Section>
void writeSection(std::string& out, const std::string& title, Section section, toml::table* kept) {
    out += "\n" + title + "\n";
    TableWriter writer(out);
    visit(section, writer);
    writer.keep(kept);
}

std::string write(values::ExperimentSpec spec, toml::table kept) {
    std::string out;
    TableWriter head(out);
    head("schema", kSpecSchema);
    visitHead(spec, head);
    for (const char* section : {"task", "model", "training", "evaluation"}) {
        head.skip(section);
    }
    head.keep(&kept);
    writeSection(out, "[task]", spec.task, tableIn(kept, "task"));
    for (std::size_t i = 0; i < spec.models.size(); ++i) {
        writeSection(out, "[[model]]", spec.models[i], modelIn(kept, i));
    }
    writeSection(out, "[training]", spec.training, tableIn(kept, "training"));
    writeSection(out, "[evaluation]", spec.evaluation, tableIn(kept, "evaluation"));
    return out;
}

/// toml++ breaks off at this text; see toml_library.h.
bool faultsOn(std::string_view text) {
    try {
        static_cast<void>(toml::parse(text));
    } catch (const TomlFault&) {
        return true;
    } catch (const toml::parse_error&) {  // an orderly refusal
    }
    return false;
}

/// The shortest beginning of a faulty text that is faulty: its last byte is to blame.
std::string_view blamed(std::string_view text) {
    std::size_t good = 0;
    std::size_t faulty = text.size();
    while (faulty - good > 1) {
        const std::size_t middle = good + (faulty - good) / 2;
        (faultsOn(text.substr(0, middle)) ? faulty : good) = middle;
    }
    return text.substr(0, faulty);
}

[[noreturn]] void refuse(std::string_view source, toml::source_position at, std::string_view what) {
    std::ostringstream message;
    message << source << ":" << at.line << ":" << at.column << ": " << what;
    throw LabError(LabError::Kind::kInvalidInput, message.str());
}

toml::table parse(std::string_view text, std::string_view source) {
    try {
        return toml::parse(text, source);
    } catch (const toml::parse_error& error) {
        refuse(source, error.source().begin, error.description());
    } catch (const TomlFault&) {
        const std::string_view until = blamed(text);
        const auto line = 1 + std::ranges::count(until, '\n') - (until.back() == '\n' ? 1 : 0);
        const auto column = until.size() - (until.substr(0, until.size() - 1).rfind('\n') + 1);
        refuse(source,
               {static_cast<toml::source_index>(line), static_cast<toml::source_index>(column)},
               "this character may not stand here");
    }
}

std::string placed(std::string_view source, const Finding& finding) {
    std::ostringstream line;
    line << source << ":" << finding.at.line << ":" << finding.at.column << ": " << finding.field;
    return line.str();
}

[[noreturn]] void refuseSetting(std::string_view assignment, const std::string& what) {
    throw LabError(LabError::Kind::kInvalidInput,
                   "setting " + std::string(assignment) + ": " + what);
}

/// The right side of a setting: a TOML value, or else a text.
toml::table valueOf(std::string_view assignment, std::string_view text) {
    try {
        toml::table parsed = parse("value = " + std::string(text), "value");
        if (parsed.size() == 1) {
            return parsed;
        }
    } catch (const LabError&) {  // a bare word: see below
    }
    try {
        return parse("value = " + quoted(text), "value");
    } catch (const LabError& error) {
        refuseSetting(assignment, error.what());
    }
}

/// The tables that a path without its last key names; "model" alone names every model.
std::vector<toml::table*> tablesAt(toml::table& root, const std::string& path) {
    std::vector<toml::table*> tables;
    const bool all = path == "model" || path == "models";
    for (std::size_t i = 0; modelIn(root, i) != nullptr; ++i) {
        const std::string number = "[" + std::to_string(i) + "]";
        if (all || path == "model" + number || path == "models" + number) {
            tables.push_back(modelIn(root, i));
        }
    }
    if (path.empty()) {
        tables.push_back(&root);
    } else if (toml::table* table = tableIn(root, path)) {
        tables.push_back(table);
    }
    return tables;
}

}  // namespace

std::string toToml(const values::ExperimentSpec& spec, std::string_view keepFrom) {
    toml::table kept;
    try {
        kept = parse(keepFrom, "");
    } catch (const LabError&) {  // half-typed text: nothing can be kept from it
        kept.clear();
    }
    return write(spec, std::move(kept));
}

values::ExperimentSpec fromToml(std::string_view text, std::string_view source) {
    SpecReading reading = readSpec(parse(text, source));
    std::string message;
    for (const Finding& finding : reading.findings) {
        message += (message.empty() ? "" : "\n") + placed(source, finding) + " " + finding.text;
    }
    if (!message.empty()) {
        throw LabError(LabError::Kind::kInvalidInput, message);
    }
    return std::move(reading.spec);
}

std::vector<std::string> unknownKeysIn(std::string_view text, std::string_view source) {
    std::vector<std::string> lines;
    for (const Finding& finding : readSpec(parse(text, source)).unknown) {
        lines.push_back(placed(source, finding) + " is not a key that this program knows");
    }
    return lines;
}

values::ExperimentSpec withSetting(const values::ExperimentSpec& spec,
                                   std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos) {
        refuseSetting(assignment, "must be KEY=VALUE, for example training.steps=100");
    }
    const std::string path(assignment.substr(0, equals));
    const auto dot = path.rfind('.');
    const std::string key = dot == std::string::npos ? path : path.substr(dot + 1);
    toml::table value = valueOf(assignment, assignment.substr(equals + 1));
    toml::table root = toml::parse(toToml(spec));
    const auto tables = tablesAt(root, dot == std::string::npos ? "" : path.substr(0, dot));
    if (tables.empty() || key == "schema" || tables.front()->get(key) == nullptr) {
        refuseSetting(assignment, "there is no key " + path);
    }
    for (toml::table* table : tables) {
        table->insert_or_assign(key, *value.get("value"));
    }
    SpecReading reading = readSpec(root);
    std::string problems;
    for (const Finding& finding : reading.findings) {
        problems += (problems.empty() ? "" : "; ") + finding.field + " " + finding.text;
    }
    if (!problems.empty()) {
        refuseSetting(assignment, problems);
    }
    return std::move(reading.spec);
}

}  // namespace lab::storage
