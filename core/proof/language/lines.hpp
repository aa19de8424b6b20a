// Lines and words of a text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace gradproof::proof {

/// The line that begins there.
inline std::string_view line_at(std::string_view text, std::size_t begin) {
    return text.substr(begin, text.find('\n', begin) - begin);
}

/// Where the line begins in which that stands.
inline std::size_t begin_of_line(std::string_view text, std::size_t at) {
    return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // 0 where there is none
}

/// Without the blanks at its ends.
inline std::string_view trimmed(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r\n") + 1 - first);
}

/// With small letters of ASCII.
inline std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

/// The first word, and what stands behind it.
inline std::pair<std::string_view, std::string_view> first_word(std::string_view text, std::string_view blanks = " \t\r\n") {
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    return {text.substr(0, end), trimmed(text.substr(end))};
}

}  // namespace gradproof::proof
