#include "core/storage/xml_text.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/values/lab_error.h"

namespace lab::storage {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool isNameByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
}

std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void appendUtf8(std::string& text, unsigned code) {
    const auto add = [&text](unsigned byte) { text += static_cast<char>(byte); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0U | (code >> 6U));
        add(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
        add(0xE0U | (code >> 12U));
        add(0x80U | ((code >> 6U) & 0x3FU));
        add(0x80U | (code & 0x3FU));
    } else {
        add(0xF0U | (code >> 18U));
        add(0x80U | ((code >> 12U) & 0x3FU));
        add(0x80U | ((code >> 6U) & 0x3FU));
        add(0x80U | (code & 0x3FU));
    }
}

class XmlParser {
public:
    XmlParser(std::string_view text, std::string source)
        : m_text(text), m_source(std::move(source)) {
        take("\xEF\xBB\xBF");
    }

    XmlElement parse() {
        skipMisc();
        if (atEnd() || m_text[m_at] != '<') {
            refuse("expected an element such as <structure>");
        }
        XmlElement root = element(0);
        skipMisc();
        if (!atEnd()) {
            refuse("there is something behind the end of <" + root.name + ">");
        }
        return root;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw values::LabError(values::LabError::Kind::kInvalidInput,
                               m_source + ":" + std::to_string(line()) + ": " + what);
    }
    [[nodiscard]] int line() const {
        const auto* const begin = m_text.data();
        return 1 + static_cast<int>(std::count(begin, begin + m_at, '\n'));
    }
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    bool take(std::string_view sign) {
        if (!m_text.substr(m_at).starts_with(sign)) {
            return false;
        }
        m_at += sign.size();
        return true;
    }
    void skipBlanks() { m_at = std::min(m_text.find_first_not_of(kBlanks, m_at), m_text.size()); }

    /// Up to and with `end`; what stands before it.
    std::string_view until(std::string_view end, const char* what) {
        const std::size_t found = m_text.find(end, m_at);
        if (found == std::string_view::npos) {
            refuse(std::string(what) + " is not closed: \"" + std::string(end) + "\" is missing");
        }
        const std::string_view inside = m_text.substr(m_at, found - m_at);
        m_at = found + end.size();
        return inside;
    }

    /// A comment or a processing instruction, if one stands here.
    bool skipAside() {
        if (take("<!--")) {
            static_cast<void>(until("-->", "a comment"));
            return true;
        }
        if (take("<?")) {
            static_cast<void>(until("?>", "an instruction"));
            return true;
        }
        if (m_text.substr(m_at).starts_with("<!DOCTYPE")) {
            refuse("document types are not read: remove the <!DOCTYPE ...>");
        }
        return false;
    }
    void skipMisc() {
        do {
            skipBlanks();
        } while (skipAside());
    }

    std::string name() {
        const std::size_t begin = m_at;
        while (!atEnd() && isNameByte(m_text[m_at])) {
            ++m_at;
        }
        if (m_at == begin) {
            refuse("expected a name");
        }
        return std::string(m_text.substr(begin, m_at - begin));
    }

    /// Text with its entities replaced.
    std::string decoded(std::string_view raw) const {
        std::string text;
        while (!raw.empty()) {
            const std::size_t ampersand = raw.find('&');
            text += raw.substr(0, ampersand);
            if (ampersand == std::string_view::npos) {
                break;
            }
            const std::size_t end = raw.find(';', ampersand);
            if (end == std::string_view::npos) {
                refuse(R"(an "&" begins no entity: write "&amp;")");
            }
            appendEntity(text, raw.substr(ampersand + 1, end - ampersand - 1));
            raw.remove_prefix(end + 1);
        }
        return text;
    }

    void appendEntity(std::string& text, std::string_view entity) const {
        constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
            {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}}};
        for (const auto& [named, sign] : kNamed) {
            if (named == entity) {
                text += sign;
                return;
            }
        }
        unsigned code = 0;
        const bool hex = entity.starts_with("#x");
        const std::string_view digits =
            entity.substr(std::min<std::size_t>(hex ? 2 : 1, entity.size()));
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
        const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        if (!entity.starts_with('#') || error != std::errc{} ||
            end != digits.data() + digits.size() || code == 0 || code > 0x10FFFF || surrogate) {
            refuse("there is no entity \"&" + std::string(entity.substr(0, 20)) + ";\"");
        }
        appendUtf8(text, code);
    }

    void attributes(XmlElement& element) {
        for (skipBlanks(); !atEnd() && isNameByte(m_text[m_at]); skipBlanks()) {
            std::string key = name();
            skipBlanks();
            if (!take("=")) {
                refuse("expected \"=\" behind the attribute " + key);
            }
            skipBlanks();
            const char* const quote = take("\"") ? "\"" : take("'") ? "'" : nullptr;
            if (quote == nullptr) {
                refuse("the value of the attribute " + key + " must stand in quotes");
            }
            element.attributes.emplace_back(std::move(key), decoded(until(quote, "a value")));
        }
    }

    XmlElement element(int depth) {
        if (depth == kDeepestXml) {
            refuse("elements stand in each other more than " + std::to_string(kDeepestXml) +
                   " deep");
        }
        XmlElement element;
        element.line = line();
        ++m_at;  // <
        element.name = name();
        attributes(element);
        if (take("/>")) {
            return element;
        }
        if (!take(">")) {
            refuse("expected \">\", the end of <" + element.name);
        }
        content(element, depth);
        if (name() != element.name) {
            refuse("expected </" + element.name + ">, which closes line " +
                   std::to_string(element.line));
        }
        skipBlanks();
        if (!take(">")) {
            refuse("expected \">\", the end of </" + element.name);
        }
        element.text = trimmed(element.text);
        return element;
    }

    /// Up to and with the "</" of its end.
    void content(XmlElement& element, int depth) {
        for (;;) {
            const std::size_t open = m_text.find('<', m_at);
            if (open == std::string_view::npos) {
                m_at = m_text.size();
                refuse("<" + element.name + "> of line " + std::to_string(element.line) +
                       " is not closed: </" + element.name + "> is missing");
            }
            element.text += decoded(m_text.substr(m_at, open - m_at));
            m_at = open;
            if (take("</")) {
                return;
            }
            if (take("<![CDATA[")) {
                element.text += until("]]>", "a CDATA section");
            } else if (!skipAside()) {
                element.children.push_back(this->element(depth + 1));
            }
        }
    }

    std::string_view m_text;
    std::string m_source;
    std::size_t m_at = 0;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const noexcept {
    const auto found = std::find_if(children.begin(), children.end(),
                                    [wanted](const XmlElement& one) { return one.name == wanted; });
    return found == children.end() ? nullptr : &*found;
}

const std::string* XmlElement::attribute(std::string_view wanted) const noexcept {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [wanted](const auto& one) { return one.first == wanted; });
    return found == attributes.end() ? nullptr : &found->second;
}

XmlElement parseXml(std::string_view text, const std::string& source) {
    return XmlParser(text, source).parse();
}

}  // namespace lab::storage
