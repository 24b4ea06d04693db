// As much of XML 1.0 as programs write their files in: elements, attributes, text, comments,
// declarations, CDATA and the five named entities besides character numbers. No document types.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lab::storage {

constexpr int kDeepestXml = 64;

struct XmlElement {
    std::string name;
    std::vector<std::pair<std::string, std::string>> attributes;
    std::string text;  ///< its own, without that of its children; blanks at both ends removed
    std::vector<XmlElement> children;
    int line = 1;

    /// The first child of that name, or null.
    [[nodiscard]] const XmlElement* child(std::string_view wanted) const noexcept;
    /// Null when there is none.
    [[nodiscard]] const std::string* attribute(std::string_view wanted) const noexcept;
};

/// The root element. LabError{kInvalidInput} "source:LINE: what".
[[nodiscard]] XmlElement parseXml(std::string_view text, const std::string& source);

}  // namespace lab::storage
