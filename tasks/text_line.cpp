#include "tasks/text_line.h"

#include <array>

namespace lab::tasks {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestQuote = 40;  // bytes

bool isWordByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Bytes of the UTF-8 character at the front, or 0 where there is none (RFC 3629).
std::size_t characterLength(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    std::size_t length = 1;
    unsigned code = first;
    if (first >= 0xF0 && first <= 0xF4) {
        length = 4;
        code = first & 0x07U;
    } else if (first >= 0xE0 && first < 0xF0) {
        length = 3;
        code = first & 0x0FU;
    } else if (first >= 0xC2 && first < 0xE0) {
        length = 2;
        code = first & 0x1FU;
    } else if (first >= 0x80) {
        return 0;
    }
    if (text.size() < length) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) {
            return 0;
        }
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    constexpr std::array<unsigned, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code < kSmallest.at(length) || code > 0x10FFFF || surrogate ? 0 : length;
}

std::string hexByte(unsigned char byte) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    return std::string("0x") + kDigits[byte >> 4U] + kDigits[byte & 0x0FU];
}

/// Describes a byte that must not be shown; empty if the front is printable.
std::string unprintable(std::string_view text) {
    const auto byte = static_cast<unsigned char>(text.front());
    switch (byte) {
        case 0: return "a NUL byte";
        case '\t': return "a tab";
        case '\r': return "a carriage return";
        default: break;
    }
    if (byte < 0x20 || byte == 0x7F) {
        return "the control character " + hexByte(byte);
    }
    if (characterLength(text) == 0) {
        return "the byte " + hexByte(byte) + ", which is not UTF-8";
    }
    return {};
}

}  // namespace

std::string describeFront(std::string_view text) {
    if (text.empty()) {
        return "the end of the line";
    }
    if (text.front() == ' ') {
        return "a space";
    }
    std::size_t length = 0;
    while (length < text.size() && isWordByte(text[length])) {
        ++length;
    }
    if (length == 0) {
        if (std::string name = unprintable(text); !name.empty()) {
            return name;
        }
        length = characterLength(text);
    }
    return quoted(text.substr(0, length));
}

std::string quoted(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && at < kLongestQuote) {
        const std::string_view rest = text.substr(at);
        if (std::string name = unprintable(rest); !name.empty()) {
            return name;
        }
        at += characterLength(rest);
    }
    // Double quotes, because names stand in single quotes inside commands.
    return '"' + std::string(text.substr(0, at)) + (at < text.size() ? "…\"" : "\"");
}

void TextLine::skipSpaces() noexcept {
    while (m_at < m_text.size() && m_text[m_at] == ' ') {
        ++m_at;
    }
}

bool TextLine::take(std::string_view sign) noexcept {
    if (!rest().starts_with(sign)) {
        return false;
    }
    m_at += sign.size();
    return true;
}

std::string_view TextLine::word() const noexcept {
    std::size_t end = m_at;
    while (end < m_text.size() && isWordByte(m_text[end])) {
        ++end;
    }
    return m_text.substr(m_at, end - m_at);
}

TextLines::TextLines(std::string_view text) : m_text(text) {
    if (m_text.starts_with(kByteOrderMark)) {
        m_text.remove_prefix(kByteOrderMark.size());
    }
}

std::optional<TextLine> TextLines::next() {
    if (m_text.empty()) {
        return std::nullopt;
    }
    const std::size_t end = m_text.find('\n');
    std::string_view line = m_text.substr(0, end);
    const bool ended = end != std::string_view::npos;
    m_text.remove_prefix(ended ? end + 1 : m_text.size());
    if (ended && line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return TextLine(line, ++m_number);
}

}  // namespace lab::tasks
