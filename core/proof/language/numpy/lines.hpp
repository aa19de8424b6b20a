// Lines of a text in Python, and the comments in them that are meant for this program.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/source.hpp"

namespace gradproof::proof::numpy {

inline constexpr std::string_view kBlanks = " \t\r\n";

/// Without the blanks at its ends.
Span trimmed(const Source& source, Span s);
/// The text behind "# gradproof:" at the start of a line; empty where there is none.
Span note_in(const Source& source, Span line);
/// A statement without the comment that ends it.
Span code_of(const Source& source, Span statement);
/// The end of a line, and of those after it while a bracket or a text of three quotes is open or it ends in a backslash.
/// Errors: ProofError for a quoted text that is never closed, and for a statement that is too long.
std::size_t end_of_statement(const Source& source, std::size_t begin, std::size_t end);
/// Those of a text, without comments. Errors: those of end_of_statement.
std::vector<Span> statements_in(const Source& source, Span text);
/// The same; of a text that is no program, its lines.
std::vector<Span> statements_or_lines(const Source& source, Span text);
/// What stands between commas that no bracket holds; nothing of what is empty there.
std::vector<Span> split_at_commas(const Source& source, Span s);
/// 1 of a bracket that opens, -1 of one that closes, else 0.
constexpr int deeper_by(char c) { return c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0; }
/// The name that it begins with; "" where another character stands there.
std::string_view first_word(std::string_view code);
/// The name that ends right there, as f does before the bracket of f(x); "" where another character stands there.
std::string_view word_before(std::string_view code, std::size_t at);
template <class All>
bool is_one_of(const All& all, std::string_view word) {
    return std::find(all.begin(), all.end(), word) != all.end();
}
/// The names of a text that stand behind no dot and in no quotes, as far as `length` says that they go: f(where, name).
template <class Length, class F>
void each_name(std::string_view text, Length length, F f) {
    char quote = 0;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (quote != 0 || c == '"' || c == '\'') {
            quote = quote == 0 ? c : c == quote ? '\0' : quote;
            ++i;
            continue;
        }
        const bool begins = i == 0 || (text[i - 1] != '.' && !goes_on_in_identifier(text[i - 1]));
        const std::size_t size = begins ? length(text.substr(i)) : 0;
        if (size > 0) f(i, text.substr(i, size));
        i += std::max<std::size_t>(size, 1);
    }
}
/// Whether one of them stands in the text.
bool has_any(std::string_view text, std::initializer_list<std::string_view> parts);
/// Whether a call of the statement writes into what it is given: np.exp(z, out=z), z.fill(0), z.sort().
bool writes_in_place(std::string_view statement);
/// a, b of (a, b) and [a, b], a of (a), and what else is given as it is.
Span without_brackets(const Source& source, Span s);
/// What stands in the brackets of f(...), where `function` is "f("; empty of others.
Span given_to(const Source& source, Span s, std::string_view function);
/// Where the bracket closes that opens there; `end` where none does.
std::size_t closer_of(const Source& source, std::size_t open, std::size_t end);
/// Whether nothing but a number stands there: 2.0, -1e-5.
bool is_number_text(std::string_view text);
/// 0, np.zeros_like(W).
bool makes_zeros(std::string_view value);
/// How far the line in which it stands is indented.
std::size_t indent_of(const Source& source, std::size_t at);
/// Of a loop, a branch or a function, whose first line is s and ends at `end`: where the lines behind it end that are indented
/// more than it is; the first line that is a note ends them too, unless they go on over notes.
std::size_t end_of_body(const Source& source, Span s, std::size_t end, std::size_t last, bool over_notes = false);
/// Where = or += stands, outside of brackets and texts, and its length, which is 0 where there is none.
std::pair<std::size_t, std::size_t> assignment_in(const Source& source, Span s);
/// a with +, b with - and c with + of a - b + c, outside of brackets.
std::vector<std::pair<Span, char>> terms_of(const Source& source, Span s);
/// Of an assignment v = v + e or self.v = self.v - e to that name: e and the sign; empty of others.
std::pair<Span, char> added_to_itself(const Source& source, std::string_view name, Span right);
/// The text with blanks in the place of functions that are neither named nor, where they can be read, called by what is, so that
/// all else stands where it stood.
/// Errors: ValueError for a name that no function has.
std::string with_functions(const std::string& file, const std::string& text, const std::vector<std::string>& names);
/// f(line) for each line of the text.
template <class F>
void each_line(const Source& source, Span text, F f) {
    for (std::size_t i = text.begin; i < text.end;) {
        const std::size_t end = std::min(source.text().find('\n', i), text.end);
        f(Span{i, end});
        i = end + 1;
    }
}

template <class F>
void each_line(const Source& source, const std::vector<Span>& texts, F f) {
    for (const Span text : texts) each_line(source, text, f);
}

}  // namespace gradproof::proof::numpy
