// Lines of a text in Python, and the comments in them that are meant for this program.
#pragma once

#include <algorithm>
#include <string_view>

#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

inline constexpr std::string_view kBlanks = " \t\r\n";

/// Without the blanks at its ends.
Span trimmed(const Source& source, Span s);
/// The text behind "# gradproof:" at the start of a line; empty where there is none.
Span note_in(const Source& source, Span line);
/// f(line) for each line of the text.
template <class F>
void each_line(const Source& source, Span text, F f) {
    for (std::size_t i = text.begin; i < text.end;) {
        const std::size_t end = std::min(source.text().find('\n', i), text.end);
        f(Span{i, end});
        i = end + 1;
    }
}

}  // namespace gradproof::proof::numpy
