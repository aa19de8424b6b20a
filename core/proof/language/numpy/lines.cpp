// Lines of a text in Python.
#include "gradproof/core/proof/language/numpy/lines.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "gradproof/core/proof/language/budget.hpp"
#include "gradproof/core/proof/language/characters.hpp"
#include "gradproof/core/proof/language/lines.hpp"
#include "gradproof/core/proof/language/numpy/gradient_names.hpp"

namespace gradproof::proof::numpy {

Span trimmed(const Source& source, Span s) {
    while (s.begin < s.end && kBlanks.find(source.text()[s.begin]) != std::string_view::npos) ++s.begin;
    while (s.end > s.begin && kBlanks.find(source.text()[s.end - 1]) != std::string_view::npos) --s.end;
    return s;
}
Span code_of(const Source& source, Span statement) {
    const std::string_view text = source.slice(statement);
    char quote = 0;
    std::size_t comment = text.size();
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (comment < text.size()) {
            if (c == '\n') comment = text.size();
        } else if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '#') {
            comment = i;
        }
    }
    return trimmed(source, {statement.begin, statement.begin + comment});
}
Span note_in(const Source& source, Span line) {
    constexpr std::string_view kMark = "gradproof:";
    Span s = trimmed(source, line);
    if (s.begin >= s.end || source.text()[s.begin] != '#') return {};
    ++s.begin;
    s = trimmed(source, s);
    if (!source.slice(s).starts_with(kMark)) return {};
    s.begin += kMark.size();
    return trimmed(source, s);
}

namespace {

/// Those that no backslash stands before: of 'it\\'s' the last.
std::size_t close_of_quotes(std::string_view text, std::string_view quotes, std::size_t from) {
    for (std::size_t i = from; i < text.size(); ++i) {
        if (text[i] == '\\')
            ++i;
        else if (text.substr(i).starts_with(quotes))
            return i;
    }
    return std::string_view::npos;
}

}  // namespace

std::size_t end_of_statement(const Source& source, std::size_t begin, std::size_t end) {
    const std::string_view text = source.text();
    const std::size_t first_line = std::min(text.find('\n', begin), end);
    int depth = 0;
    std::size_t behind_comment = text.npos;
    for (std::size_t i = begin; i < end; ++i) {
        const char c = text[i];
        if (c == '#') {
            behind_comment = std::min(text.find('\n', i), end);
            i = behind_comment - 1;
        } else if (c == '"' || c == '\'') {
            const std::string_view quotes = text.substr(i, 3);
            const bool three = quotes == "\"\"\"" || quotes == "'''";
            const std::size_t close = close_of_quotes(text, three ? quotes : text.substr(i, 1), i + (three ? 3 : 1));
            if (!three && close > std::min(text.find('\n', i), end)) return std::min(text.find('\n', i), end);
            if (close == std::string_view::npos || close >= end) throw ProofError(source, i, "a quoted text is never closed");
            i = close + (three ? 2 : 0);
        } else if (c == '(' || c == '[' || c == '{') {
            if (++depth > kDeepestBrackets)
                throw ProofError(source, i,
                                 fmt::format("brackets are nested deeper than {} (kDeepestBrackets)", kDeepestBrackets));
        } else if (c == ')' || c == ']' || c == '}') {
            depth = std::max(0, depth - 1);
        } else if (c == ';' && depth == 0) {
            return i;
        } else if (c == '\n' && depth == 0 && (i == begin || text[i - 1] != '\\' || i == behind_comment)) {
            return i;
        }
        if (i - begin > kLongestStatement)
            throw ProofError(source, begin,
                             fmt::format("the statement has more than {} bytes (kLongestStatement)", kLongestStatement));
    }
    return depth > 0 ? first_line : end;  // of a bracket that is never closed
}

std::size_t indent_of(const Source& source, std::size_t at) {
    const std::size_t line = begin_of_line(source.text(), at);
    return source.text().find_first_not_of(" \t", line) - line;
}

std::size_t end_of_body(const Source& source, Span s, std::size_t end, std::size_t last, bool over_notes) {
    while (end < last) {
        const std::size_t next = end_of_statement(source, end + 1, last);
        const Span body = trimmed(source, {end + 1, next});
        const bool stops =
            indent_of(source, body.begin) <= indent_of(source, s.begin) || (!over_notes && note_in(source, body).end > 0);
        if (body.begin < body.end && stops) break;
        end = next;
    }
    return end;
}

std::string_view first_word(std::string_view code) { return code.substr(0, identifier_length(code)); }

std::string_view word_before(std::string_view code, std::size_t at) {
    std::size_t begin = at;
    while (begin > 0 && identifier_length(code.substr(begin - 1, 1)) == 1) --begin;
    return code.substr(begin, at - begin);
}
bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

bool writes_in_place(std::string_view statement) { return has_any(statement, {"out=", ".fill(", ".sort("}); }

std::pair<std::size_t, std::size_t> assignment_in(const Source& source, Span s) {
    const std::string_view text = source.text();
    int depth = 0;
    for (std::size_t i = s.begin; i < s.end; ++i) {
        const char c = text[i], next = i + 1 < s.end ? text[i + 1] : ' ';
        if (c == '#') break;
        if (c == '"' || c == '\'') i = std::min(text.find(c, i + 1), s.end);
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (depth > 0) continue;
        if ((c == '=' || c == '<' || c == '>' || c == '!') && next == '=') {
            ++i;
            continue;
        }
        if (c == '=') return {i, 1};
        if (std::string_view("+-*/@|&^%").find(c) != std::string_view::npos && next == '=') return {i, 2};
    }
    return {s.begin, 0};
}

namespace {

/// Without blanks and the backslashes of lines that go on.
Span without_line_ends(const Source& source, Span s) {
    s = trimmed(source, s);
    while (source.slice(s).starts_with("\\\n")) s = trimmed(source, {s.begin + 1, s.end});
    while (source.slice(s).ends_with("\\")) s = trimmed(source, {s.begin, s.end - 1});
    return s;
}

}  // namespace

std::vector<Span> split_at_commas(const Source& source, Span s) {
    std::vector<Span> out;
    int depth = 0;
    for (std::size_t i = s.begin, begin = s.begin; i <= s.end; ++i) {
        const char c = i < s.end ? source.text()[i] : ',';
        depth += deeper_by(c);
        if (c != ',' || (depth > 0 && i < s.end)) continue;
        if (const Span part = without_line_ends(source, {begin, i}); part.begin < part.end) out.push_back(part);
        begin = i + 1;
    }
    return out;
}

Span without_brackets(const Source& source, Span s) {
    const std::string_view text = source.slice(s);
    const bool opens = text.starts_with('(') || text.starts_with('[');
    if (!opens || closer_of(source, s.begin, s.end) + 1 != s.end) return s;
    const Span inner = trimmed(source, {s.begin + 1, s.end - 1});
    return split_at_commas(source, inner).size() > (text[0] == '(' ? 0 : 1) ? inner : s;
}

bool makes_zeros(std::string_view value) {
    const std::size_t call = value.find('(');
    const std::string_view function = value.substr(0, call);
    return value == "0" || value == "0.0" ||
           (call != value.npos && (function.ends_with("zeros") || function.ends_with("zeros_like")));
}

Span given_to(const Source& source, Span s, std::string_view function) {
    if (!source.slice(s).starts_with(function) || !source.slice(s).ends_with(")")) return {};
    return trimmed(source, {s.begin + function.size(), s.end - 1});
}

std::size_t closer_of(const Source& source, std::size_t open, std::size_t end) {
    int depth = 0;
    for (std::size_t i = open; i < end; ++i) {
        const int by = deeper_by(source.text()[i]);
        depth += by;
        if (by < 0 && depth == 0) return i;
    }
    return end;
}

std::vector<Span> statements_in(const Source& source, Span text) {
    std::vector<Span> out;
    for (std::size_t i = text.begin; i < text.end;) {
        const std::size_t end = end_of_statement(source, i, text.end);
        if (const Span s = code_of(source, trimmed(source, {i, end})); s.begin < s.end) out.push_back(s);
        i = end + 1;
    }
    return out;
}

bool is_number_text(std::string_view text) {
    if (text.starts_with("-") || text.starts_with("+")) text.remove_prefix(1);
    return !text.empty() && number_length(text) == text.size();
}

std::vector<std::pair<Span, char>> terms_of(const Source& source, Span s) {
    std::vector<std::pair<Span, char>> out;
    int depth = 0;
    char sign = '+', before = ' ';  // the last character that is no blank
    std::size_t begin = s.begin;
    for (std::size_t i = s.begin; i <= s.end; ++i) {
        const char c = i < s.end ? source.text()[i] : '+';
        depth += deeper_by(c);
        const bool of_number =
            i >= s.begin + 2 && std::tolower(before) == 'e' && std::isdigit(source.text()[i - 2]) != 0;  // 1e-5
        const bool follows = std::string_view("*/@%<>=&|+-,").find(before) == std::string_view::npos && !of_number;
        if ((c == '+' || c == '-') && (i == s.end || (depth == 0 && follows))) {
            if (const Span term = trimmed(source, {begin, i}); term.begin < term.end) out.emplace_back(term, sign);
            sign = c, begin = i + 1;
        }
        if (c != ' ' && c != '\n') before = c;
    }
    return out;
}

std::pair<Span, char> added_to_itself(const Source& source, std::string_view name, Span right) {
    const Span all = trimmed(source, right);
    if (name.empty() || !source.slice(all).starts_with(name)) return {};
    const Span rest = trimmed(source, {all.begin + name.size(), all.end});
    const char sign = rest.begin < rest.end ? source.text()[rest.begin] : ' ';
    if (sign != '+' && sign != '-') return {};
    return {trimmed(source, {rest.begin + 1, rest.end}), sign};
}

std::vector<Span> statements_or_lines(const Source& source, Span text) {
    try {
        return statements_in(source, text);
    } catch (const ProofError&) {  // told where it is read
        std::vector<Span> out;
        each_line(source, text, [&](Span line) {
            if (const Span s = code_of(source, trimmed(source, line)); s.begin < s.end) out.push_back(s);
        });
        return out;
    }
}

}  // namespace gradproof::proof::numpy
