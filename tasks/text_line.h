// Lines of text with a reading position: what the transcript reader stands on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lab::tasks {

/// What a person is told that stands at the front of `text`: a word or sign in quotes, or the name
/// of something unprintable.
[[nodiscard]] std::string describeFront(std::string_view text);

/// `text` in quotes and shortened if it is printable, else its first unprintable byte.
[[nodiscard]] std::string quoted(std::string_view text);

class TextLine {
public:
    TextLine(std::string_view text, int number) : m_text(text), m_number(number) {}

    [[nodiscard]] int number() const noexcept { return m_number; }
    [[nodiscard]] int column() const noexcept { return static_cast<int>(m_at) + 1; }
    [[nodiscard]] int endColumn() const noexcept { return static_cast<int>(m_text.size()) + 1; }
    [[nodiscard]] std::string_view rest() const noexcept { return m_text.substr(m_at); }
    [[nodiscard]] bool atEnd() const noexcept { return m_at == m_text.size(); }

    void skipSpaces() noexcept;
    /// Steps over `sign` if it stands here.
    [[nodiscard]] bool take(std::string_view sign) noexcept;
    /// Letters, digits and underscores from here on, left in place; may be empty.
    [[nodiscard]] std::string_view word() const noexcept;
    void advance(std::size_t bytes) noexcept { m_at += bytes; }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
    int m_number;
};

/// Hands out the lines of a text: without a byte order mark, and without "\r" before a line end.
class TextLines {
public:
    explicit TextLines(std::string_view text);

    [[nodiscard]] std::optional<TextLine> next();
    /// Whether no line follows.
    [[nodiscard]] bool atEnd() const noexcept { return m_text.empty(); }
    /// Number of the line read last, from 1; 0 before the first.
    [[nodiscard]] int number() const noexcept { return m_number; }

private:
    std::string_view m_text;  // not yet read
    int m_number = 0;
};

}  // namespace lab::tasks
